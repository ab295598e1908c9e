//! What holds for every estimator that has a name.

use compaction_tokens::{Encoding, Estimators, Family};

const TEXTS: &[&str] = &[
    "a",
    " ",
    "\n",
    "\0",
    "\u{301}",
    "漢",
    "\u{10ffff}",
    "👩\u{200d}👩\u{200d}👧",
    "ᄒ\u{1161}\u{11ab}",
    "ﾊﾝｶｸ",
    "<|endoftext|>",
    "User: where may a conversation be cut?",
];

#[test]
fn every_listed_name_is_found_and_is_the_estimators_own() {
    for name in Estimators::names() {
        assert_eq!(Estimators::by_name(name).unwrap().name(), name);
        let shouted = format!("  {} ", name.to_uppercase());
        assert_eq!(Estimators::by_name(&shouted).unwrap().name(), name);
    }
}

#[test]
fn names_are_distinct_and_cover_all_encodings_and_families() {
    let mut names: Vec<&str> = Estimators::names().collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    assert_eq!(all, Encoding::ALL.len() + Family::ALL.len() + 2);
    assert!(names.contains(&Estimators::DEFAULT));
}

#[test]
fn gpt2_is_another_name_of_r50k_base() {
    assert_eq!(Estimators::by_name("gpt2").unwrap().name(), "r50k_base");
}

#[test]
fn an_unknown_name_is_refused_with_the_valid_ones() {
    for name in ["", " ", "o200k", "gpt-4o", "chars", "heuristic-"] {
        let error = Estimators::by_name(name).err().unwrap();
        assert_eq!(error.name, name);
        for valid in Estimators::names() {
            assert!(error.to_string().contains(valid), "{valid} in {error}");
        }
    }
}

#[test]
fn only_empty_text_costs_nothing() {
    for name in Estimators::names() {
        let estimator = Estimators::by_name(name).unwrap();
        assert_eq!(estimator.estimate(""), 0, "{name}");
        for text in TEXTS {
            assert!(estimator.estimate(text) > 0, "{name}: {text:?}");
        }
    }
}

#[test]
fn more_text_never_costs_much_less() {
    for name in Estimators::names() {
        let estimator = Estimators::by_name(name).unwrap();
        for text in TEXTS {
            let once = estimator.estimate(text);
            let often = estimator.estimate(&text.repeat(50));
            assert!(often >= once, "{name}: {once} and {often} for {text:?}");
        }
    }
}

/// 160 characters each.
fn east_asian_texts() -> [String; 4] {
    [
        "東京の天気".repeat(32),
        "晴れと雨".repeat(40),
        "明日は？".repeat(40),
        "くもりです".repeat(32),
    ]
}

#[test]
fn only_chars4_counts_a_quarter_of_a_token_for_an_east_asian_character() {
    for name in Estimators::names().filter(|name| *name != "chars4") {
        let estimator = Estimators::by_name(name).unwrap();
        for text in east_asian_texts() {
            let count = estimator.estimate(&text);
            assert!((60..=400).contains(&count), "{name}: {count} for {text}");
        }
    }
}

#[test]
fn the_default_counts_half_a_token_to_two_and_a_half_for_an_east_asian_character() {
    let estimator = Estimators::by_name(Estimators::DEFAULT).unwrap();
    for text in east_asian_texts() {
        let count = estimator.estimate(&text);
        assert!((80..=400).contains(&count), "{count} for {text}");
    }
    for text in [
        "안녕하세요".repeat(32),
        "ｶﾀｶﾅ".repeat(40),
        "가나".repeat(80),
    ] {
        let count = estimator.estimate(&text);
        assert!((40..=640).contains(&count), "{count} for {text}");
    }
}
