//! Folding is Unicode's simple folding: compared, character by character, with the tables of an
//! independent library.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::unreachable)]

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};
use session_store::search::{fold, fold_char};

/// The characters that Unicode says differ from `c` in letter case only, `c` among them.
fn same_but_for_case(c: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.case_fold_simple();
    let ranges = class.iter().flat_map(|range| range.start()..=range.end());
    ranges.collect()
}

/// Characters that the tables do not know yet, because they are of an older Unicode.
fn unknown() -> ClassUnicode {
    match regex_syntax::parse(r"\p{Unassigned}").unwrap().into_kind() {
        HirKind::Class(Class::Unicode(class)) => class,
        other => unreachable!("{other:?} is no class"),
    }
}

#[test]
fn characters_fold_to_the_same_exactly_when_only_their_case_differs() {
    let unknown = unknown();
    let is_known = |c: &char| {
        let mut ranges = unknown.iter();
        !ranges.any(|range| (range.start()..=range.end()).contains(c))
    };
    let changed = ('\0'..=char::MAX).filter(|c| fold_char(*c) != *c);
    for c in changed.filter(is_known) {
        let same = same_but_for_case(c);
        assert!(
            same.contains(&fold_char(c)),
            "{c:?} folds to {:?}",
            fold_char(c)
        );
    }
    for c in '\0'..=char::MAX {
        let class = same_but_for_case(c);
        if class.len() > 1 {
            let folded: Vec<char> = class.iter().copied().map(fold_char).collect();
            assert!(
                folded.iter().all(|other| *other == folded[0]),
                "{class:?}: {folded:?}"
            );
        }
    }
}

#[test]
fn folding_again_changes_nothing() {
    for c in '\0'..=char::MAX {
        assert_eq!(fold_char(fold_char(c)), fold_char(c), "{c:?}");
    }
}

#[test]
fn a_text_folds_like_its_characters() {
    for text in [
        "",
        "ABC xyz",
        "ΒΟΡΡΑΣ",
        "Straße",
        "İstanbul ırmak",
        "ﬁ Ǆ",
        "a\0B😀",
    ] {
        let by_character: String = text.chars().map(fold_char).collect();
        assert_eq!(fold(text), by_character);
        assert_eq!(fold(text).chars().count(), text.chars().count());
    }
}
