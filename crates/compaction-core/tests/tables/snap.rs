use compaction_core::{Entry, Policy, Strategy, View};
use compaction_testkit::Pass;

/// Proposes a position.
struct At(usize, Policy);

impl<E: Entry> Strategy<E> for At {
    fn keep_from(&self, _: &View<'_, E>) -> usize {
        self.0
    }

    fn policy(&self) -> Policy {
        self.1
    }
}

/// Where a proposal is snapped to: forward to the next turn, and back to the newest one.
#[test]
fn proposals_are_snapped() {
    let rows = [
        ("u1 a1 u2 a2", 0, "fits"),
        ("u1 a1 u2 a2", 1, "- / u1 a1 / u2 a2"),
        ("u1 a1 u2 a2", 2, "- / u1 a1 / u2 a2"),
        ("u1 a1 u2 a2", 3, "- / u1 a1 / u2 a2"),
        ("u1 a1 u2 a2", 4, "- / u1 a1 / u2 a2"),
        ("u1 a1", 0, "fits"),
        ("u1 a1", 2, "uncut"),
        ("a1 a2 a3", 0, "uncut"),
        ("a1 a2 a3", 1, "uncut"),
        ("a1 a2", 2, "uncut"),
        ("u1 a1 a2 u2 a3", 1, "- / u1 a1 a2 / u2 a3"),
        ("u1 a1 a2 u2 a3", 2, "- / u1 a1 a2 / u2 a3"),
        ("", 0, "uncut"),
        ("u1 a1 u2 a2", usize::MAX, "- / u1 a1 / u2 a2"),
    ];
    for (log, at, expected) in rows {
        for policy in [Policy::WINDOW, Policy::ARCHIVE, Policy::ARCHIVE_TURNS] {
            let actual = Pass::of(At(at, policy)).describe(log);
            assert_eq!(actual, expected, "{at} in {log}");
        }
    }
}

/// A proposal that keeps all conversation covers none, whatever it is snapped to.
#[test]
fn keeping_all_keeps_the_preamble() {
    for at in 0..2 {
        Pass::of(At(at, Policy::ARCHIVE)).check("s1 p0 u1 a1", "fits");
    }
    Pass::of(At(2, Policy::ARCHIVE)).check("s1 p0 u1 a1", "s1 / p0 / u1 a1");
    Pass::of(At(1, Policy::WINDOW)).check("p0 p1 u1 a1", "fits");
    Pass::of(At(2, Policy::WINDOW)).check("s1 p0 u1 a1", "fits");
}
