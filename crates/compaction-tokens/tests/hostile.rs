//! Text that stops or slows other tokenizers: counted all the same, by every encoding.

use compaction_core::TokenEstimator;
use compaction_tokens::{Encoding, Tiktoken};

const SIZE: usize = 1_000_000;

/// Counts about a megabyte of `unit` over and over, and checks the count against the length.
///
/// A third of it for the older encodings, which have only the slower way to count.
#[track_caller]
fn check(unit: &str) {
    for (encoding, size) in [
        (Encoding::O200kBase, SIZE),
        (Encoding::Cl100kBase, SIZE),
        (Encoding::P50kBase, SIZE / 3),
        (Encoding::R50kBase, SIZE / 3),
    ] {
        check_bounds(encoding, &unit.repeat(size.div_ceil(unit.len())));
    }
}

#[track_caller]
fn check_bounds(encoding: Encoding, text: &str) {
    let bytes = text.len() as u64;
    let count = Tiktoken::new(encoding).estimate(text);
    assert!(
        count <= bytes,
        "{encoding}: {count} tokens in {bytes} bytes"
    );
    assert!(
        count * Encoding::LONGEST_TOKEN >= bytes,
        "{encoding}: {count} tokens in {bytes} bytes"
    );
}

#[test]
fn a_megabyte_of_one_letter() {
    check("a");
    check("X");
}

#[test]
fn a_megabyte_of_spaces() {
    check(" ");
}

#[test]
fn a_megabyte_of_line_breaks() {
    check("\n");
    check("\r\n");
}

#[test]
fn a_megabyte_of_mixed_white_space() {
    check(" \t\n \u{a0}\u{3000}\r\n\u{85}\u{2028}");
    check("\n                                        ");
}

#[test]
fn a_megabyte_of_digits() {
    check("7");
    check("0123456789");
}

#[test]
fn a_megabyte_of_marks() {
    check("=");
    check("^");
    check("'");
}

#[test]
fn a_megabyte_of_combining_marks() {
    check("\u{301}");
    check("e\u{301}\u{302}");
}

#[test]
fn a_megabyte_of_joined_emoji() {
    check("👩\u{200d}👩\u{200d}👧\u{200d}👦");
    check("👍🏽");
}

#[test]
fn a_megabyte_of_control_markers() {
    check("<|endoftext|>");
    check("<|endoftext|><|im_start|> <|fim_prefix|>");
}

#[test]
fn a_megabyte_of_control_characters() {
    check("\0");
    check("\u{1b}[0m");
}

#[test]
fn a_megabyte_of_anything_in_unicode() {
    let mut state = 1_u64;
    let mut text = String::new();
    while text.len() < SIZE {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        text.extend(char::from_u32((state >> 40) as u32 % 0x11_0000));
    }
    for encoding in Encoding::ALL {
        check_bounds(encoding, &text);
    }
}

#[test]
fn control_markers_are_plain_text() {
    for encoding in Encoding::ALL {
        let tokens = Tiktoken::new(encoding);
        for marker in [
            "<|endoftext|>",
            "<|im_start|>",
            "<|fim_prefix|>",
            "<|endofprompt|>",
            "<|return|>",
        ] {
            assert!(tokens.estimate(marker) >= 5, "{marker} in {encoding}");
        }
    }
}

#[test]
fn only_empty_text_costs_nothing() {
    for encoding in Encoding::ALL {
        let tokens = Tiktoken::new(encoding);
        assert_eq!(tokens.estimate(""), 0);
        for text in ["a", " ", "\n", "\0", "\u{301}", "漢"] {
            assert!(tokens.estimate(text) > 0, "{text:?} in {encoding}");
        }
    }
}

#[test]
fn ten_times_the_run_costs_ten_times_the_tokens() {
    for unit in ["x", " ", "=", "7", "漢"] {
        let short = Tiktoken::new(Encoding::O200kBase).estimate(&unit.repeat(98_304));
        let long = Tiktoken::new(Encoding::O200kBase).estimate(&unit.repeat(983_040));
        assert!(
            long.abs_diff(10 * short) <= long / 1_000,
            "{unit:?}: {short} and {long}"
        );
    }
}
