//! Moments as people type them.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use session::Timestamp;

/// Reads `7d` (before now), `2026-01-31` (its beginning, where the command runs) or
/// `2026-01-31T12:00:00Z`.
pub(crate) fn moment(text: &str) -> Result<Timestamp, String> {
    moment_at(text.trim(), jiff::Timestamp::now())
}

/// The moment it is now.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
}

fn moment_at(text: &str, now: jiff::Timestamp) -> Result<Timestamp, String> {
    let millis = ago(text, now.as_millisecond())
        .or_else(|| {
            text.parse::<jiff::Timestamp>()
                .ok()
                .map(jiff::Timestamp::as_millisecond)
        })
        .or_else(|| beginning(text.parse::<Date>().ok()?))
        .ok_or("expected 7d, 12h, 30m, a date such as 2026-01-31, or 2026-01-31T12:00:00Z")?;
    Ok(Timestamp::from_millis(millis))
}

/// So many weeks, days, hours or minutes before now.
fn ago(text: &str, now: i64) -> Option<i64> {
    let unit = match text.chars().last()? {
        'w' => 7 * 24 * 3600,
        'd' => 24 * 3600,
        'h' => 3600,
        'm' => 60,
        _ => return None,
    };
    let digits = text.get(..text.len() - 1)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = digits.parse::<i64>().ok()?.checked_mul(unit)?;
    now.checked_sub(seconds.checked_mul(1000)?)
}

fn beginning(date: Date) -> Option<i64> {
    let moment = date.to_zoned_datetime(TimeZone::system()).ok()?;
    Some(moment.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<i64> {
        let now = jiff::Timestamp::from_millisecond(10_000_000_000).unwrap();
        moment_at(text, now).ok().map(Timestamp::as_millis)
    }

    #[test]
    fn a_moment_is_a_time_before_now_a_date_or_an_instant() {
        assert_eq!(millis("1d"), Some(10_000_000_000 - 86_400_000));
        assert_eq!(millis("90m"), Some(10_000_000_000 - 5_400_000));
        assert_eq!(millis("1970-01-01T00:00:01Z"), Some(1000));
        assert!(millis("1970-06-01").is_some());
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "d",
            "yesterday",
            "2026-13-01",
            "99999999999999999999d",
            "-1d",
            "1970-06",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
    }
}
