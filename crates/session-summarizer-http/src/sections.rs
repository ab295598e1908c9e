//! The sections of a template as JSON: a schema that a server enforces, and the page that is made
//! of what it lets through.

use core::fmt::Write as _;

use serde_json::{Map, Value, json};
use session_summarizer::Template;

/// What the system prompt says besides, since it asks for headings.
pub(crate) const INSTRUCTION: &str = "\
Write the sections as one JSON object with one string for each of them, under the names of its \
schema and in its order. The text of a section goes into its string, without its heading.";

/// The schema: one string for each section, none left out, none added.
pub(crate) fn schema(template: &Template) -> Value {
    let mut properties = Map::new();
    for (name, section) in names(template).zip(template.sections()) {
        let about = format!("{}: {}", section.heading, section.hint);
        properties.insert(name, json!({ "type": "string", "description": about }));
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": names(template).collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

/// The sections under their headings; `None` when the text is not the object that was asked for.
pub(crate) fn page(text: &str, template: &Template) -> Option<String> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(text.trim()) else {
        return None;
    };
    let mut page = String::new();
    for (name, section) in names(template).zip(template.sections()) {
        let Value::String(said) = fields.remove(&name)? else {
            return None;
        };
        let said = match said.trim() {
            "" => "None.",
            said => said,
        };
        let _ = write!(page, "## {}\n{said}\n\n", section.heading);
    }
    if !fields.is_empty() {
        return None;
    }
    page.truncate(page.trim_end().len());
    Some(page)
}

/// The name of each section: its number first, since servers write names in order, then what of its
/// heading every server takes.
fn names(template: &Template) -> impl Iterator<Item = String> {
    template.sections().iter().enumerate().map(|(at, section)| {
        let mut name = format!("s{:02}", at.saturating_add(1));
        for word in section.heading.split(|c: char| !c.is_ascii_alphanumeric()) {
            if !word.is_empty() && name.len() < 40 {
                let _ = write!(name, "_{}", word.to_ascii_lowercase());
            }
        }
        name
    })
}

#[cfg(test)]
mod tests {
    use session_summarizer::Section;

    use super::*;

    fn template() -> Template {
        Template::new([
            Section::new("Goal", "what the person wants"),
            Section::new("Open questions", "what is not done"),
            Section::new("问题", "x"),
        ])
    }

    #[test]
    fn every_section_has_a_string_in_order() {
        let schema = schema(&template());
        assert_eq!(
            schema["required"],
            json!(["s01_goal", "s02_open_questions", "s03"])
        );
        assert_eq!(schema["properties"]["s01_goal"]["type"], "string");
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn the_page_has_the_headings_of_the_template() {
        let text = r#" {"s01_goal": "Ship.\n", "s03": "- a", "s02_open_questions": " "} "#;
        assert_eq!(
            page(text, &template()).unwrap(),
            "## Goal\nShip.\n\n## Open questions\nNone.\n\n## 问题\n- a"
        );
    }

    #[test]
    fn what_is_not_the_object_that_was_asked_for_is_left_as_it_is() {
        let texts = [
            "## Goal\nShip.",
            r#"{"s01_goal": "Ship."}"#,
            r#"{"s01_goal": "a", "s02_open_questions": "b", "s03": "c", "s04": "d"}"#,
            r#"{"s01_goal": "a", "s02_open_questions": ["b"], "s03": "c"}"#,
            r#"{"s01_goal": "a", "s02_op"#,
            "[]",
        ];
        for text in texts {
            assert_eq!(page(text, &template()), None, "{text}");
        }
    }
}
