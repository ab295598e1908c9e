//! Tests that every way to count gives the same count.

use std::collections::HashSet;

use proptest::prelude::*;
use tiktoken_rs::CoreBPE;

use crate::pieces::{LIMIT, is_free, pieces};
use crate::vocabulary::Vocabulary;
use crate::{Encoding, Tiktoken};

const VOCABULARIES: [Vocabulary; 4] = [
    Vocabulary::O200k,
    Vocabulary::Cl100k,
    Vocabulary::P50k,
    Vocabulary::R50k,
];

/// Words over which tokenizers disagree if they ever do.
const ALPHABETS: &[&[&str]] = &[
    &[
        "a", "b", "th", "ing", " ", "  ", "\n", ".", ",", "'s", "'", "I", "THE", "1",
    ],
    &[
        " ", "  ", "\n", "\r\n", "\r", "\t", "\u{a0}", "\u{3000}", "\u{85}", "\u{b}", "\u{2028}",
        "x", "!", "/",
    ],
    &[
        "fn ", "(", ")", "{", "}", ";", "\n    ", "//", "/", "_", "self", "0x1F", "==", "\"", "'",
        "->", "::",
    ],
    &[
        "{\"", "\":", ",", "[", "]", "null", "1234", "0.5", "\\n", "\\u00e9", " ", "\n  ",
    ],
    &[
        "漢", "字", "仮名", "カ", "ナ", "한국", "어", "、", "。", "！", "「", "」", "ー", "々",
        " ", "1", "a",
    ],
    &[
        "é", "e\u{301}", "ß", "ſ", "'ſ", "\u{212a}", "ǅ", "ʰ", "ª", "И", "й", "İ", "ı", "'S",
        "'LL", "'re", "A", "a", " ",
    ],
    &[
        "👍",
        "👩\u{200d}👩\u{200d}👧",
        "🏽",
        "\u{fe0f}",
        "❤",
        "🇩",
        "🇪",
        " ",
        "a",
        "\u{200d}",
        "\n",
    ],
    &[
        "\u{301}", "\u{5b0}", "א", "ب", "ा", "ก", "ั", "\u{93c}", "न", " ", "१", "٣", "Ⅷ", "½", "²",
        "1",
    ],
    &[
        "<|endoftext|>",
        "<|im_start|>",
        "<|",
        "|>",
        "endoftext",
        " ",
        "<",
        "|",
        "\n",
    ],
    &[
        "0", "1", "9", "12", "345", "6789", ".", " ", "-", "a", "F", "\u{966}",
    ],
    &["+", "/", "=", "Q", "z", "9", "kJ", "Rw", "=="],
    &[
        "'t", "'T", "'v", "'ve", "'VE", "'r", "'l", "'ll", "'d", "''", "don", "I", " ", "\t", "1",
    ],
    &[
        "\0",
        "\u{7f}",
        "\u{1c}",
        "\u{fffd}",
        "\u{feff}",
        "\u{200b}",
        "\u{ad}",
        "\u{e000}",
        "\u{10ffff}",
        "a",
        " ",
        "\n",
        "'",
    ],
];

/// Text of fewer than `most` words of one alphabet, of all, or of anything in Unicode.
fn text(most: usize) -> impl Strategy<Value = String> {
    let words = move |alphabet: Vec<&'static str>| {
        prop::collection::vec(prop::sample::select(alphabet), 0..most)
            .prop_map(|words| words.concat())
    };
    let one = prop::sample::select(ALPHABETS).prop_flat_map(move |all| words(all.to_vec()));
    let unicode = prop::collection::vec(any::<char>(), 0..most).prop_map(String::from_iter);
    prop_oneof![6 => one, 2 => words(ALPHABETS.concat()), 1 => unicode]
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// What tiktoken itself says of the whole text.
fn reference(vocabulary: Vocabulary, text: &str) -> u64 {
    let bpe: &CoreBPE = match vocabulary {
        Vocabulary::O200k => tiktoken_rs::o200k_base_singleton(),
        Vocabulary::Cl100k => tiktoken_rs::cl100k_base_singleton(),
        Vocabulary::P50k => tiktoken_rs::p50k_base_singleton(),
        Vocabulary::R50k => tiktoken_rs::r50k_base_singleton(),
    };
    bpe.count(text, &HashSet::new()).unwrap() as u64
}

fn in_pieces(vocabulary: Vocabulary, text: &str) -> u64 {
    pieces(text).map(|piece| vocabulary.count(piece)).sum()
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn every_encoding_counts_short_text_as_tiktoken_does(text in text(40)) {
        for vocabulary in VOCABULARIES {
            prop_assert_eq!(vocabulary.count(&text), reference(vocabulary, &text));
        }
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_cut_at_a_free_place_changes_no_count(text in text(16)) {
        let counts = VOCABULARIES.map(|vocabulary| reference(vocabulary, &text));
        for ((_, before), (at, after)) in text.char_indices().zip(text.char_indices().skip(1)) {
            if !is_free(before, after) {
                continue;
            }
            let (left, right) = text.split_at(at);
            for (vocabulary, count) in VOCABULARIES.into_iter().zip(counts) {
                let parts = reference(vocabulary, left) + reference(vocabulary, right);
                prop_assert_eq!(parts, count, "{:?} | {:?} in {:?}", left, right, vocabulary);
            }
        }
    }

    #[test]
    fn counting_up_to_a_limit_agrees_with_counting(text in text(24), limit in 0_u64..30) {
        let tokens = Tiktoken::new(Encoding::O200kBase);
        let count = tokens.count(&text);
        prop_assert_eq!(tokens.count_up_to(&text, limit), (count <= limit).then_some(count));
        prop_assert_eq!(tokens.fits(&text, limit), count <= limit);
    }
}

proptest! {
    #![proptest_config(cases(24))]

    /// Repeating a text gives long text with and without free places. Only the latter may differ
    /// from tiktoken, by [`SHIFT`] tokens a cut.
    #[test]
    fn long_text_counts_as_tiktoken_does(text in text(40).prop_filter("empty", |t| !t.is_empty())) {
        let long = text.repeat(2 * LIMIT / text.len() + 1);
        let free = long.chars().zip(long.chars().skip(1)).any(|(a, b)| is_free(a, b));
        let allowed = if free { 0 } else { SHIFT * (pieces(&long).count() as u64 - 1) };
        for vocabulary in VOCABULARIES {
            let count = in_pieces(vocabulary, &long);
            let off = count.abs_diff(reference(vocabulary, &long));
            prop_assert!(off <= allowed, "{} off of {} for {:?}", off, count, text);
        }
    }

    /// The worst that was seen on runs of letters, marks, white space, ideographs and emoji.
    #[test]
    fn a_cut_inside_a_run_shifts_the_count_by_a_few_tokens(
        run in prop::sample::select(RUNS).prop_flat_map(|alphabet| {
            let alphabet: Vec<char> = alphabet.chars().collect();
            prop::collection::vec(prop::sample::select(alphabet), LIMIT..LIMIT + 500)
                .prop_map(String::from_iter)
        })
    ) {
        let cuts = pieces(&run).count() as u64 - 1;
        for vocabulary in VOCABULARIES {
            let count = in_pieces(vocabulary, &run);
            let off = count.abs_diff(reference(vocabulary, &run));
            prop_assert!(off <= SHIFT * cuts, "{} off of {} in {} cuts", off, count, cuts);
            prop_assert!(count * Encoding::LONGEST_TOKEN >= run.len() as u64);
        }
    }
}

/// How far one cut inside a run may shift a count.
const SHIFT: u64 = 2;

/// Alphabets of runs in which no place is free.
const RUNS: &[&str] = &[
    "a",
    "ab",
    "etaoinshr",
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    "=",
    "=-_#*",
    "{}[]()<>.,;:!?",
    "的一是不了人我在有他这中大来上国",
    "あいうえおかきくけこ",
    "👍🎉😀🚀🔥",
    "абвгдежз",
    "\u{301}\u{302}\u{303}",
];

#[test]
fn a_run_of_white_space_in_pieces_is_off_by_a_few_tokens() {
    let tokens = |text: &str| in_pieces(Vocabulary::O200k, text);
    for run in [
        " ",
        "\n",
        "\t",
        "\r\n",
        " \n",
        "  \n\t",
        "\u{a0}",
        "\u{3000}\n",
    ] {
        let half = run.repeat(LIMIT / run.len() / 2);
        let whole = run.repeat(LIMIT / run.len());
        let off = (2 * tokens(&half)).abs_diff(tokens(&whole));
        assert!(off <= SHIFT, "{off} off for {run:?}");
    }
}

#[test]
fn encodings_that_share_a_vocabulary_differ_only_in_control_tokens() {
    let text = "He said:\n\n    x = 1;  // <|endoftext|> 漢字 👍";
    let plain = |bpe: &CoreBPE| bpe.count(text, &HashSet::new()).unwrap();
    assert_eq!(
        plain(&tiktoken_rs::o200k_harmony().unwrap()),
        plain(&tiktoken_rs::o200k_base().unwrap())
    );
    assert_eq!(
        plain(&tiktoken_rs::p50k_edit().unwrap()),
        plain(&tiktoken_rs::p50k_base().unwrap())
    );
}

#[test]
fn no_token_is_longer_than_the_stated_length() {
    let longest = |bpe: &CoreBPE| {
        let tokens = (0..210_000).filter_map(|id| bpe.decode_bytes(&[id]).ok());
        tokens.map(|token| token.len() as u64).max()
    };
    for bpe in [
        tiktoken_rs::o200k_base_singleton(),
        tiktoken_rs::cl100k_base_singleton(),
        tiktoken_rs::p50k_base_singleton(),
        tiktoken_rs::r50k_base_singleton(),
    ] {
        assert_eq!(longest(bpe), Some(Encoding::LONGEST_TOKEN));
    }
}

/// The two engines split white space at the end of `cl100k_base` text differently: one takes it
/// whole, the other ends a word at the last line break. That no token goes on after a line break
/// makes the counts equal all the same.
#[test]
fn no_cl100k_token_goes_on_after_its_last_line_break() {
    let bpe = tiktoken_rs::cl100k_base_singleton();
    for token in (0..100_256).filter_map(|id| bpe.decode_bytes(&[id]).ok()) {
        if let Some(at) = token.iter().rposition(|byte| b"\r\n".contains(byte)) {
            assert_eq!(at + 1, token.len(), "{token:?}");
        }
    }
}

#[cfg(feature = "bpe-openai")]
mod fast {
    use super::*;
    use crate::words::Pattern;

    /// How many bytes of `text` have their words found without the regex.
    fn check_words(pattern: Pattern, tokenizer: &bpe_openai::Tokenizer, text: &str) -> usize {
        let mut rest = text;
        let mut found = 0;
        for word in tokenizer.split(text) {
            if let Some(length) = pattern.word(rest.as_bytes()) {
                assert_eq!(length, word.len(), "{word:?} at the start of {rest:?}");
                found += length;
            }
            rest = rest.split_at(word.len()).1;
        }
        found
    }

    proptest! {
        #![proptest_config(cases(10_000))]

        #[test]
        fn both_engines_agree(text in text(40)) {
            for vocabulary in [Vocabulary::O200k, Vocabulary::Cl100k] {
                let fast = crate::fast::count(vocabulary, &text);
                prop_assert_eq!(fast, Some(vocabulary.count_with_tiktoken(&text)));
            }
        }

        #[test]
        fn words_end_where_the_regex_ends_them(text in text(40)) {
            check_words(Pattern::O200k, bpe_openai::o200k_base(), &text);
            check_words(Pattern::Cl100k, bpe_openai::cl100k_base(), &text);
        }
    }

    #[test]
    fn the_regex_is_hardly_asked_in_plain_text() {
        let text = include_str!("words.rs");
        let found = check_words(Pattern::O200k, bpe_openai::o200k_base(), text);
        assert!(found * 100 > text.len() * 99, "{found} of {}", text.len());
    }
}
