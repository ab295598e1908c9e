//! The messages inside of a document that cannot be read as a whole.

/// Names under which an object holds its messages, the surest first.
const LISTS: [&str; 9] = [
    "\"messages\"",
    "\"chat_messages\"",
    "\"conversation\"",
    "\"history\"",
    "\"steps\"",
    "\"trajectory\"",
    "\"contents\"",
    "\"input\"",
    "\"output\"",
];

/// The place behind the bracket that opens the messages of a document.
pub(super) fn array_of_messages(document: &str) -> Option<usize> {
    LISTS.iter().find_map(|name| {
        let after = document.find(name)? + name.len();
        let rest = document.get(after..)?;
        let bracket = rest.find('[')?;
        let between = rest.get(..bracket)?;
        (between.trim() == ":").then_some(after + bracket + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surest_name_counts_and_only_as_a_list() {
        for (document, expected) in [
            (r#"{"steps": [1], "messages": [2"#, Some("2")),
            (r#"{"messages": "none", "history" : [1"#, Some("1")),
            (r#"{"messages": {"history": 1}}"#, None),
            (r#"{"messages""#, None),
            (r#"{"tools": [], "contents": [1"#, Some("1")),
        ] {
            let place = array_of_messages(document);
            assert_eq!(place.and_then(|at| document.get(at..)), expected);
        }
    }
}
