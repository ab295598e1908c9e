//! Known counts, taken from the reference implementation of the encodings. They are the same
//! whichever features are on.

use compaction_tokens::{Encoding, Tiktoken};

/// Text, and its tokens in `o200k_base`, `cl100k_base`, `p50k_base` and `r50k_base`.
const CASES: &[(&str, [u64; 4])] = &[
    ("", [0, 0, 0, 0]),
    ("tiktoken is great!", [6, 6, 6, 6]),
    ("Where may a conversation be cut?", [7, 7, 7, 7]),
    ("    let cut = outline.snap(position)?;\n", [8, 8, 12, 14]),
    (
        "{\"id\":\"call_7\",\"arguments\":\"{\\\"path\\\":\\\"src/lib.rs\\\"}\"}",
        [18, 18, 23, 23],
    ),
    ("お誕生日おめでとう", [8, 9, 14, 14]),
    ("东京的天气怎么样？", [5, 11, 17, 17]),
    ("오늘 서울 날씨는 어때?", [8, 17, 28, 28]),
    ("Сколько будет дважды два?", [7, 10, 27, 27]),
    ("👩\u{200d}👩\u{200d}👧 👍🏽", [11, 18, 15, 15]),
    ("<|endoftext|>", [7, 7, 7, 7]),
    ("I'LL don't 'tis we've", [7, 10, 9, 9]),
    ("1234567 3.14159", [8, 8, 7, 7]),
    ("a\n\n  \n b \t\r\n  ", [6, 7, 10, 12]),
    ("aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IQ==", [25, 27, 29, 29]),
];

#[test]
fn counts_are_as_known() {
    let encodings = [
        Encoding::O200kBase,
        Encoding::Cl100kBase,
        Encoding::P50kBase,
        Encoding::R50kBase,
    ];
    for (text, expected) in CASES {
        let counts = encodings.map(|encoding| Tiktoken::new(encoding).count(text));
        assert_eq!(counts, *expected, "{text:?}");
    }
}

#[test]
fn long_runs_are_counted_the_same_by_every_build() {
    let o200k = Tiktoken::new(Encoding::O200kBase);
    let cl100k = Tiktoken::new(Encoding::Cl100kBase);
    for (unit, expected) in [
        ("x", [12_500, 12_500]),
        (" ", [782, 782]),
        ("^", [12_500, 25_000]),
        ("漢字", [200_000, 300_000]),
    ] {
        let text = unit.repeat(100_000);
        assert_eq!(
            [o200k.count(&text), cl100k.count(&text)],
            expected,
            "{unit:?}"
        );
    }
}
