//! Colours, used sparingly: they leave the output by themselves when it is no terminal.

use anstyle::{AnsiColor, Style};

/// What matters most in a line.
pub(crate) const BOLD: Style = Style::new().bold();

/// What may be passed over.
pub(crate) const DIM: Style = Style::new().dimmed();

/// Something failed.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Something to know.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Something to do.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// What stays in the view.
pub(crate) const KEPT: Style = AnsiColor::Green.on_default();

/// What leads the view.
pub(crate) const PINNED: Style = AnsiColor::Cyan.on_default();

/// What left the view.
pub(crate) const COVERED: Style = AnsiColor::Yellow.on_default();
