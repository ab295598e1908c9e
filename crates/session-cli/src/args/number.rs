//! Numbers as people type them.

/// Reads `8000`, `8_000`, `8,000`, `8k` or `1m`.
pub(crate) fn amount(text: &str) -> Result<u64, String> {
    let plain: String = text
        .trim()
        .chars()
        .filter(|c| !matches!(c, '_' | ','))
        .collect();
    let (digits, factor) = match plain.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1000),
        None => match plain.strip_suffix(['m', 'M']) {
            Some(digits) => (digits, 1_000_000),
            None => (plain.as_str(), 1),
        },
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("expected a whole number, such as 8000 or 8k".into());
    }
    let number = digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor));
    number
        .filter(|number| i64::try_from(*number).is_ok())
        .ok_or_else(|| "the number is too large".into())
}

/// Reads a count of things that are held in memory.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    usize::try_from(amount(text)?).map_err(|_| "the number is too large".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_numbers_in_several_ways() {
        for (text, number) in [
            ("8000", 8000),
            ("8_000", 8000),
            ("8,000", 8000),
            (" 8k", 8000),
            ("2M", 2_000_000),
            ("0", 0),
        ] {
            assert_eq!(amount(text), Ok(number), "{text}");
        }
    }

    #[test]
    fn what_is_no_count_is_refused() {
        for text in [
            "",
            "k",
            "-1",
            "+1",
            "1.5k",
            "1e3",
            "٣",
            "99999999999999999999",
            "9223372036854775808",
        ] {
            assert!(amount(text).is_err(), "{text}");
        }
    }
}
