//! Long values, written as what they repeat.

use serde_json::Value;

use crate::json::{Object, Parsed, malformed};

/// A text made of a prefix, a piece repeated, and a suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repeated {
    prefix: String,
    repeat: String,
    times: usize,
    suffix: String,
}

impl Repeated {
    pub(crate) fn take(object: &mut Object<'_>) -> Parsed<Self> {
        let times = object.need_number("times")?;
        Ok(Self {
            prefix: object.text("prefix")?.unwrap_or_default().into(),
            repeat: object.need_text("repeat")?.into(),
            times: usize::try_from(times).unwrap_or(usize::MAX),
            suffix: object.text("suffix")?.unwrap_or_default().into(),
        })
    }

    /// The text with the piece repeated a part of the times.
    pub(crate) fn text(&self, divisor: usize) -> String {
        let times = self.times.checked_div(divisor).unwrap_or(self.times);
        format!(
            "{}{}{}",
            self.prefix,
            self.repeat.repeat(times),
            self.suffix
        )
    }
}

/// A field of a record that is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generated {
    path: String,
    text: Repeated,
}

impl Generated {
    pub(crate) fn parse(value: &Value) -> Parsed<Self> {
        let mut object = Object::of(value, "_gen")?;
        let generated = Self {
            path: object.need_text("field")?.into(),
            text: Repeated::take(&mut object)?,
        };
        object.finish()?;
        Ok(generated)
    }

    /// Puts the text into `record`, a `divisor`th as long as it is meant to be.
    pub(crate) fn fill(&self, record: &mut Value, divisor: usize) -> Parsed<()> {
        let mut at = record;
        for step in self.path.split('.') {
            let next = match at {
                Value::Array(items) => step.parse::<usize>().ok().and_then(|at| items.get_mut(at)),
                Value::Object(fields) => Some(fields.entry(step).or_insert(Value::Null)),
                _ => None,
            };
            at = match next {
                Some(next) => next,
                None => return malformed(format!("_gen names no field: `{}`", self.path)),
            };
        }
        *at = Value::String(self.text.text(divisor));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_deep_inside_is_filled() {
        let generated = Generated::parse(&json!({
            "field": "content.1.image_url.url", "prefix": "data:", "repeat": "ab", "times": 4, "suffix": "!"
        }))
        .unwrap();
        let mut record = json!({"content": ["x", {"image_url": {"url": ""}}]});
        generated.fill(&mut record, 1).unwrap();
        assert_eq!(record["content"][1]["image_url"]["url"], "data:abababab!");
        generated.fill(&mut record, 2).unwrap();
        assert_eq!(record["content"][1]["image_url"]["url"], "data:abab!");

        let error = generated.fill(&mut json!({"content": "x"}), 1).unwrap_err();
        assert!(error.reason.contains("content.1.image_url.url"));
    }
}
