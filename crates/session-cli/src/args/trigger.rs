//! `--when`: when a pass runs.

use session::Trigger;

use crate::args::number::amount;

/// A condition as it was typed.
#[derive(Clone, Debug)]
pub(crate) enum When {
    /// One that says everything.
    Ready(Trigger),
    /// A fraction of the context window of the model, in thousandths.
    FractionOfModel(u32),
}

/// Reads `turns>20`, `events>200`, `tokens>=100000`, `fraction>=0.8:128000` or `fraction>=0.8`.
pub(crate) fn when(text: &str) -> Result<When, String> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let end = plain
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(plain.len());
    let (name, rest) = plain.split_at(end);
    let (operator, name) = match name {
        "turns" | "events" => (">", name),
        "tokens" | "fraction" => (">=", name),
        "always" if rest.is_empty() => return Ok(When::Ready(Trigger::Always)),
        _ => {
            return Err(
                "expected 'turns>N', 'events>N', 'tokens>=N', 'fraction>=F:LIMIT' or always".into(),
            );
        }
    };
    let Some(value) = rest.strip_prefix(operator) else {
        let shell = if rest.is_empty() {
            "; quote it, since to the shell an open > writes a file"
        } else {
            ""
        };
        return Err(format!("expected '{name}{operator}…'{shell}"));
    };
    if value.starts_with('=') {
        return Err(format!(
            "{name} fires on more than a number: write '{name}>N'"
        ));
    }
    match name {
        "turns" => Ok(When::Ready(Trigger::TurnCount(amount(value)?))),
        "events" => Ok(When::Ready(Trigger::EventCount(amount(value)?))),
        "tokens" => Ok(When::Ready(Trigger::TokenCount(amount(value)?))),
        _ => fraction(value),
    }
}

/// Reads `0.8`, `80%`, and a limit behind either.
fn fraction(value: &str) -> Result<When, String> {
    let (part, limit) = match value.split_once(':') {
        Some((part, limit)) => (part, Some(amount(limit)?)),
        None => (value, None),
    };
    let per_mille = per_mille(part).ok_or("expected a fraction between 0 and 1, such as 0.8")?;
    Ok(match limit {
        Some(limit) => When::Ready(of_limit(per_mille, limit)),
        None => When::FractionOfModel(per_mille),
    })
}

/// Fires at a fraction of a context window of `limit` tokens.
pub(crate) fn of_limit(per_mille: u32, limit: u64) -> Trigger {
    Trigger::WindowFraction {
        limit,
        reserve_output: 0,
        per_mille,
    }
}

fn per_mille(text: &str) -> Option<u32> {
    let (number, places) = match text.strip_suffix('%') {
        Some(number) => (number, 1),
        None => (text, 3),
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(decimals) || number.len() == number.matches('.').count() {
        return None;
    }
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > places {
        return None;
    }
    let thousandths: u32 = format!("{whole}{decimals:0<places$}").parse().ok()?;
    (1..=1000).contains(&thousandths).then_some(thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let said = match when(text) {
            Ok(When::Ready(trigger)) => trigger.to_string(),
            Ok(When::FractionOfModel(per_mille)) => format!("{per_mille} of the model"),
            Err(error) => error,
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn each_condition_reads_as_people_write_it() {
        check("turns>20", "more than 20 turns");
        check("turns > 20", "more than 20 turns");
        check("events>1k", "more than 1000 events");
        check("tokens>=100_000", "at least 100000 tokens");
        check(
            "fraction>=0.8:128k",
            "at least 102400 of 128000 usable tokens",
        );
        check("fraction>=80%:100", "at least 80 of 100 usable tokens");
        check("fraction>=1:100", "at least 100 of 100 usable tokens");
        check("fraction>=.5", "500 of the model");
        check("always", "always");
    }

    #[test]
    fn an_unquoted_condition_is_recognised() {
        check(
            "turns",
            "expected 'turns>…'; quote it, since to the shell an open > writes a file",
        );
    }

    #[test]
    fn what_is_no_condition_is_refused_with_what_is_expected() {
        check("tokens>5", "expected 'tokens>=…'");
        check(
            "turns>=5",
            "turns fires on more than a number: write 'turns>N'",
        );
        check("turns>many", "expected a whole number, such as 8000 or 8k");
        let all = "expected 'turns>N', 'events>N', 'tokens>=N', 'fraction>=F:LIMIT' or always";
        for text in ["", "steps>3", ">3", "always>3"] {
            check(text, all);
        }
        for text in [
            "fraction>=0",
            "fraction>=1.5:10",
            "fraction>=0.0001:5",
            "fraction>=.",
            "fraction>=-1",
            "fraction>=",
        ] {
            check(text, "expected a fraction between 0 and 1, such as 0.8");
        }
    }
}
