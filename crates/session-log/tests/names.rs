//! Ids, types, branches, places and versions: what is a name, and how it reads.

#![allow(clippy::unwrap_used, missing_docs)]

use session_log::{
    Branch, EventId, EventType, InvalidId, MAX_ID_BYTES, Role, Seq, SessionId, Timestamp, Version,
};

#[test]
fn any_text_of_a_line_is_an_id_as_it_is() {
    for text in ["a", " a ", "../x:42", "日本", &"x".repeat(MAX_ID_BYTES)] {
        let id = SessionId::new(text).unwrap();
        assert_eq!(id.as_str(), text);
        assert_eq!(id.as_ref(), text);
        assert_eq!(id.to_string(), text);
        assert_eq!(text.parse(), Ok(id.clone()));
        assert_eq!(SessionId::try_from(text), Ok(id.clone()));
        assert_eq!(SessionId::try_from(text.to_owned()), Ok(id));
    }
}

#[test]
fn an_id_that_cannot_be_one_says_why() {
    let long = "x".repeat(MAX_ID_BYTES + 1);
    for (text, why, said) in [
        ("", InvalidId::Blank, "an id must not be blank"),
        (" \t", InvalidId::Blank, "an id must not be blank"),
        (
            &long,
            InvalidId::TooLong { bytes: 256 },
            "an id must not be longer than 255 bytes, this one has 256",
        ),
        (
            "a\nb",
            InvalidId::Control { code: 10 },
            "an id must not contain control characters, this one has U+000A",
        ),
    ] {
        assert_eq!(EventId::new(text), Err(why));
        assert_eq!(EventId::try_from(text), Err(why));
        assert_eq!(text.parse::<EventId>(), Err(why));
        assert_eq!(why.to_string(), said);
    }
}

#[test]
fn an_event_type_is_upper_case_and_short() {
    let longest = "A".repeat(64);
    for name in ["A", "ACME.AUDIT", "A_1", &longest] {
        let event_type = EventType::new(name).unwrap();
        assert_eq!(event_type.as_str(), name);
        assert_eq!(event_type.to_string(), name);
        assert!(!event_type.is_built_in(), "{name}");
    }
    let too_long = "A".repeat(65);
    for name in ["", "acme", "1A", "_A", "A-B", "A b", "ÄB", &too_long] {
        assert!(EventType::new(name).is_err(), "{name}");
    }
    for name in ["MESSAGE", "COMPACTION", "REVERT", "PIN"] {
        assert!(EventType::new(name).unwrap().is_built_in(), "{name}");
    }
    assert!(!EventType::LEASE.is_built_in());
}

#[test]
fn a_branch_is_a_dot_path() {
    assert_eq!(Branch::new("root.a").unwrap().to_string(), "root.a");
    for path in ["", ".", "root.", ".a", "root..a", "root. .a"] {
        assert!(Branch::new(path).is_err(), "{path}");
    }
}

#[test]
fn a_branch_sees_itself_and_what_is_below_by_segment() {
    let sees = |one: &str, other: &str| {
        let other = Branch::new(other).unwrap();
        Branch::new(one).unwrap().is_self_or_ancestor_of(&other)
    };
    assert!(sees("root.a1", "root.a1"));
    assert!(sees("root.a1", "root.a1.b"));
    assert!(!sees("root.a1", "root.a10"));
    assert!(!sees("root.a1", "root"));
    assert!(!sees("root.a1", "root.a2"));
}

#[test]
fn places_begin_at_one_and_end_at_the_last_there_is() {
    assert_eq!(Seq::new(0), None);
    assert_eq!(Seq::new(1), Some(Seq::FIRST));
    assert_eq!(Seq::FIRST.plus(2).to_string(), "3");
    let last = Seq::new(u64::MAX).unwrap();
    assert_eq!(last.plus(1), last);
    assert_eq!(Version::from(last).next_seq(), last);
    assert_eq!(Version::EMPTY.next_seq(), Seq::FIRST);
    assert_eq!(Version::new(7).to_string(), "7");
    let moment = Timestamp::from_millis(i64::MAX);
    assert_eq!(moment.plus_millis(1), moment);
    assert_eq!(Timestamp::from_millis(5).plus_millis(-7).as_millis(), -2);
}

#[test]
fn a_role_keeps_its_name() {
    for name in ["system", "developer", "user", "assistant", "tool", "critic"] {
        let role = Role::from_name(name);
        assert_eq!(role.to_string(), name);
        assert_eq!(role.is_system(), ["system", "developer"].contains(&name));
    }
    assert_eq!(Role::from_name("User"), Role::Other("User".to_owned()));
}
