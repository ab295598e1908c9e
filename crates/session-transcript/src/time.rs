//! Moments as other tools write them.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, SignedDurationRound, Unit};
use session_log::Timestamp;

use crate::json::{Kind, Raw};

/// The moment a value names: RFC 3339 text, text without an offset (taken as UTC), or seconds,
/// milliseconds, microseconds or nanoseconds as a number.
pub(crate) fn parse(value: Raw<'_>) -> Option<Timestamp> {
    match value.kind() {
        Kind::String => from_text(&value.as_str()?),
        Kind::Number => from_number(value.text()),
        _ => None,
    }
}

/// The moment a text names.
pub(crate) fn from_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp::from_millis(moment.as_millisecond()));
    }
    if let Ok(moment) = text.parse::<DateTime>() {
        let moment = Offset::UTC.to_timestamp(moment).ok()?;
        return Some(Timestamp::from_millis(moment.as_millisecond()));
    }
    from_number(text)
}

/// The moment as RFC 3339 text with milliseconds.
pub(crate) fn to_text(moment: Timestamp) -> String {
    let moment = jiff::Timestamp::from_millisecond(moment.as_millis()).unwrap_or_default();
    format!("{moment:.3}")
}

fn from_number(text: &str) -> Option<Timestamp> {
    let number: f64 = text.parse().ok()?;
    let seconds = match number.abs() {
        n if n < 1e11 => number,
        n if n < 1e14 => number / 1e3,
        n if n < 1e17 => number / 1e6,
        n if n < 1e20 => number / 1e9,
        _ => return None,
    };
    let moment = SignedDuration::try_from_secs_f64(seconds).ok()?;
    let moment = moment
        .round(SignedDurationRound::new().smallest(Unit::Millisecond))
        .ok()?;
    Some(Timestamp::from_millis(
        i64::try_from(moment.as_millis()).ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_form_names_the_same_moment() {
        for text in [
            "\"2024-05-15T15:00:00.250Z\"",
            "\"2024-05-15T17:00:00.250+02:00\"",
            "\"2024-05-15T15:00:00.250\"",
            "\"2024-05-15 15:00:00.250\"",
            "1715785200.25",
            "1715785200250",
            "1715785200250000",
            "1715785200250000000",
            "\"1715785200250\"",
        ] {
            let moment = parse(Raw::parse(text).unwrap());
            assert_eq!(
                moment,
                Some(Timestamp::from_millis(1_715_785_200_250)),
                "{text}"
            );
        }
        assert_eq!(
            to_text(Timestamp::from_millis(1_715_785_200_250)),
            "2024-05-15T15:00:00.250Z"
        );
    }

    #[test]
    fn what_names_no_moment_is_none() {
        for text in [
            "\"soon\"",
            "\"\"",
            "null",
            "{}",
            "1e40",
            "\"1e400\"",
            "1e400",
        ] {
            assert_eq!(parse(Raw::parse(text).unwrap()), None, "{text}");
        }
    }
}
