use compaction_core::{RecursiveSummarization, Window};
use compaction_testkit::{Log, Pass};

/// Appends and passes in turn, and the view after each pass.
fn views<const N: usize>(passes: [(&str, &Pass<Window>); N]) -> [String; N] {
    let mut view = Log::new();
    passes.map(|(appended, pass)| {
        view.append(appended).unwrap();
        view = pass.next_view(&view, 1);
        view.names(0..view.notes().len())
    })
}

fn plain(turns: usize) -> Pass<Window> {
    Pass::of(Window::Turns(turns))
}

fn summarizing(turns: usize) -> Pass<Window> {
    plain(turns).summarizing(1)
}

#[test]
fn rows_of_views() {
    // V2: pinned, summary, kept. V4: what is appended later joins behind.
    assert_eq!(
        views([("s1 p0 u1 a1 u2 a2", &summarizing(1)), ("u3 a3", &plain(9))]),
        ["s1 p0 Σ1 u2 a2", "s1 p0 Σ1 u2 a2 u3 a3"]
    );
    // V3: only the newest summary counts.
    assert_eq!(
        views([("u1 u2", &summarizing(1)), ("u3", &summarizing(1))]),
        ["Σ1 u2", "Σ2 u3"]
    );
    // V7: a prompt stored after a pass is pinned by the next that cuts.
    assert_eq!(
        views([
            ("s1 u1 u2", &plain(1)),
            ("s2", &plain(1)),
            ("u3", &plain(1))
        ]),
        ["s1 u2", "s1 u2 s2", "s2 u3"]
    );
    // V8: a superseded prompt leaves the kept part too. V9: it stays without a cut.
    assert_eq!(
        views([("u1 u2 s1 a2 s2", &plain(2)), ("", &plain(1))]),
        ["u1 u2 s1 a2 s2", "s2 u2 a2"]
    );
    // V10: a pass right after a pass changes nothing.
    assert_eq!(
        views([
            ("s1 u1 u2", &summarizing(1)),
            ("", &summarizing(1)),
            ("", &plain(1))
        ]),
        ["s1 Σ1 u2", "s1 Σ1 u2", "s1 Σ1 u2"]
    );
    // V12: a summary is carried by plain passes and then is the prior one.
    assert_eq!(
        views([
            ("u1 u2", &summarizing(1)),
            ("u3", &plain(1)),
            ("u4", &plain(1)),
            ("u5", &summarizing(1)),
        ]),
        ["Σ1 u2", "Σ1 u3", "Σ1 u4", "Σ2 u5"]
    );
}

/// V11: a summarizer that declines changes nothing.
#[test]
fn declining_leaves_the_view() {
    summarizing(1).check_declined("s1 s2 u1 u2", "declined");
}

/// What a pass leaves: the covered notes are archived where they are, the summary goes in before
/// the kept conversation.
#[test]
fn rows_of_plans() {
    let strategy = RecursiveSummarization {
        max_events_to_keep: 2,
        overlap_size: 0,
    };
    let pass = Pass::of(strategy).with_summarize(strategy.summarize());
    // CP1.
    pass.check("Σo u1 a1 u2 a2", "- / Σo u1 a1 / Σ+ u2 a2");
    // CP3: what keeps all is no plan.
    pass.check("u1 a1", "fits");
}
