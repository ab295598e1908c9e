//! Whatever a log holds, what rig gets of it is a history that rig accepts.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rig_core::transcript::validate_canonical;
use session_log::{Message, Part, Role, ToolCall, ToolResult};
use session_rig::history;

fn part() -> impl Strategy<Value = Part> {
    let id = prop_oneof![Just(""), Just("a"), Just("b"), Just("c")];
    prop_oneof![
        Just(Part::text("t")),
        (
            id.clone(),
            prop_oneof![Just("tool"), Just("tool"), Just("")]
        )
            .prop_map(|(id, name)| Part::ToolCall(ToolCall::new(id, name, "{}"))),
        id.prop_map(|id| Part::ToolResult(ToolResult::text(id, "r"))),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![
        Just(Role::System),
        Just(Role::User),
        Just(Role::Assistant),
        Just(Role::Assistant),
        Just(Role::Tool),
        Just(Role::Other("critic".into())),
    ];
    (role, prop::collection::vec(part(), 0..4)).prop_map(|(role, parts)| Message::new(role, parts))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_history_is_canonical(talk in prop::collection::vec(message(), 0..10)) {
        let history = history(&talk);
        prop_assert_eq!(validate_canonical(&history.messages), Ok(()));
    }
}
