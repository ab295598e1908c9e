//! How long a provider asks to wait.

use core::time::Duration;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use super::body::ErrorBody;

/// The wait that an answer asks for: in a header as seconds, milliseconds or a date, in a field, or
/// in its message. None is none; neither is zero, which some gateways send when they do not know.
///
/// A date is measured from the date of the answer itself, so that clocks need not agree.
pub(super) fn of(headers: &HeaderMap, body: &ErrorBody) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let milliseconds = || {
        let value: f64 = text("retry-after-ms")?.parse().ok()?;
        Duration::try_from_secs_f64(value / 1_000.0).ok()
    };
    let header = || {
        let value = text(RETRY_AFTER.as_str())?;
        if let Ok(seconds) = value.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        let wait = date(value)?.checked_sub(date(text(DATE.as_str())?)?)?;
        u64::try_from(wait).ok().map(Duration::from_secs)
    };
    let field = || duration(body.delay.as_deref()?);
    let message = || {
        let (_, after) = body
            .lower
            .split_once("try again in ")
            .or_else(|| body.lower.split_once("retry in "))?;
        duration(after.split_whitespace().next()?.trim_end_matches('.'))
    };
    milliseconds()
        .or_else(header)
        .or_else(field)
        .or_else(message)
        .filter(|wait| !wait.is_zero())
}

/// A duration such as `26s`, `1.5s`, `6m0s`, `120ms`.
fn duration(text: &str) -> Option<Duration> {
    let mut total = 0.0_f64;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(end)?;
        let end = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(end)?;
        let seconds = match unit {
            "h" => 3_600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 0.001,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * seconds;
        rest = after;
    }
    Duration::try_from_secs_f64(total).ok()
}

/// The seconds since 1970 of a date as HTTP has it: `Wed, 21 Oct 2015 07:28:00 GMT`.
fn date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_, text) = text.split_once(", ")?;
    let mut words = text.split(' ');
    let day: i64 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let month = MONTHS.iter().position(|month| *month == name)?;
    let year: i64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(str::parse::<i64>);
    let mut next = || clock.next()?.ok();
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    let is_sane = (1..=31).contains(&day)
        && (1970..=9999).contains(&year)
        && (0..24).contains(&hours)
        && (0..60).contains(&minutes)
        && (0..=60).contains(&seconds);
    if !is_sane || words.next() != Some("GMT") || words.next().is_some() {
        return None;
    }

    // Years are counted from March, so that the leap day is the last one.
    let month = i64::try_from(month).ok()?;
    let (year, month) = if month < 2 {
        (year - 1, month + 10)
    } else {
        (year, month - 2)
    };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468;
    Some(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(headers: &[(&'static str, &str)], message: &str) -> Option<Duration> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        let body = serde_json::json!({ "error": { "message": message } });
        of(&map, &ErrorBody::of_bytes(body.to_string().as_bytes()))
    }

    #[test]
    fn a_wait_is_found_wherever_it_is_said() {
        let date = |at: &'static str| {
            [
                ("date", "Sat, 28 Feb 2026 23:59:30 GMT"),
                ("retry-after", at),
            ]
        };
        let ms = Duration::from_millis;
        type Headers<'a> = &'a [(&'static str, &'a str)];
        let cases: [(Headers<'_>, &str, Option<Duration>); 12] = [
            (&[("retry-after", "2")], "", Some(ms(2_000))),
            (&[("retry-after", "0.5")], "", Some(ms(500))),
            (&[("retry-after", "0")], "", None),
            (&[("retry-after", "-1")], "", None),
            (&[("retry-after", "1e300")], "", None),
            (&[("retry-after", "soon")], "", None),
            (
                &[("retry-after-ms", "150"), ("retry-after", "1")],
                "",
                Some(ms(150)),
            ),
            (&date("Sun, 01 Mar 2026 00:01:00 GMT"), "", Some(ms(90_000))),
            (&date("Sat, 28 Feb 2026 23:59:00 GMT"), "", None),
            (&[], "Please try again in 1.5s.", Some(ms(1_500))),
            (&[], "Please try again in 6m0s. Or not.", Some(ms(360_000))),
            (&[], "Please try again later.", None),
        ];
        for (headers, message, expected) in cases {
            assert_eq!(wait(headers, message), expected, "{headers:?} {message}");
        }
        let no_date = [("retry-after", "Sun, 01 Mar 2026 00:01:00 GMT")];
        assert_eq!(wait(&no_date, ""), None);
    }

    #[test]
    fn durations_are_read_by_their_units() {
        let cases = [
            ("26s", Some(26_000)),
            ("120ms", Some(120)),
            ("1h1m1s", Some(3_661_000)),
            ("7", None),
            ("s", None),
            ("1.2.3s", None),
            ("5 s", None),
        ];
        for (text, expected) in cases {
            assert_eq!(
                duration(text),
                expected.map(Duration::from_millis),
                "{text}"
            );
        }
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let cases = [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Wed, 21 Oct 2015 07:28:00 GMT", Some(1_445_412_480)),
            ("Thu, 29 Feb 2024 12:00:00 GMT", Some(1_709_208_000)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799)),
            ("Wed, 21 Oct 2015 07:28:00 CET", None),
            ("Wed, 99 Oct 2015 07:28:00 GMT", None),
            ("2015-10-21T07:28:00Z", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(date(text), expected, "{text}");
        }
    }
}
