//! Progress of long work: a bar on a terminal, nothing on a pipe.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar for `steps` of `what`, hidden unless standard error is a terminal and the work is long.
pub(crate) fn bar(what: &'static str, steps: u64, is_long: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), target(is_long));
    bar.set_style(style("{msg:>10} [{bar:30}] {human_pos}/{human_len}"));
    bar.set_message(what);
    bar
}

/// A sign of life for work that cannot say how far it is.
pub(crate) fn spinner(what: impl Into<String>, is_long: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, target(is_long));
    bar.set_style(style("{msg:>10} {spinner} {elapsed}"));
    bar.set_message(what.into());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn target(is_long: bool) -> ProgressDrawTarget {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if is_long && !is_dumb {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}
