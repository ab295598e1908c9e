//! Texts of each kind, for the table of errors. None was used to fit a weight.

use self::random::{BASE64, EMOJI, Random};

mod random;

/// A name and a text for each kind of content.
pub(crate) fn samples() -> Vec<(&'static str, String)> {
    let mut random = Random(7);
    vec![
        ("English", include_str!("english.txt").to_owned()),
        ("Rust", include_str!("../src/calibrated.rs").to_owned()),
        ("Python", include_str!("script.py").to_owned()),
        ("JSON", include_str!("tools.json").to_owned()),
        ("German", include_str!("german.txt").to_owned()),
        ("Russian", include_str!("russian.txt").to_owned()),
        ("Arabic", include_str!("arabic.txt").to_owned()),
        ("Hindi", include_str!("hindi.txt").to_owned()),
        ("Chinese", include_str!("chinese.txt").to_owned()),
        ("Japanese", include_str!("japanese.txt").to_owned()),
        ("Korean", include_str!("korean.txt").to_owned()),
        ("base64", random.characters(BASE64, 4_000)),
        ("hexadecimal", random.characters("0123456789abcdef", 4_000)),
        ("numbers", random.numbers(800)),
        ("emoji", random.characters(EMOJI, 1_000)),
    ]
}
