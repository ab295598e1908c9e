//! What the page allows a browser to do: show itself, run its own script, and nothing else.

use sha2::{Digest as _, Sha256};

/// The content security policy of a page with this style and this script.
pub(super) fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(style),
        digest(script)
    )
}

fn digest(text: &str) -> String {
    base64(&Sha256::digest(text))
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |place: usize| three.get(place).copied().map_or(0, u32::from);
        let bits = (at(0) << 16) | (at(1) << 8) | at(2);
        for place in 0..4_usize {
            let six = (bits >> (18 - 6 * place)) & 63;
            let letter = usize::try_from(six).ok().and_then(|six| ALPHABET.get(six));
            match letter {
                Some(letter) if place <= three.len() => text.push(char::from(*letter)),
                _ => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
