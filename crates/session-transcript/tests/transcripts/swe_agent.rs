//! Trajectories of SWE-agent and mini-swe-agent.

use serde_json::json;
use session_log::Part;
use session_transcript::Format;

use crate::common::{fixture, messages, parse, shorts, told, values};

#[test]
fn the_history_is_the_conversation_with_its_reasoning_and_results() {
    let transcript = parse(&fixture("swe-agent/calls.traj"));
    assert_eq!(transcript.format, Format::SweAgent);
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        [
            "system: You are a programmer.",
            "(injected) user: Here is a demonstration …",
            "user: Solve this issue.",
            r#"assistant: [reasoning] Look. [call k1 find_file {"file_name":"a.py"}]"#,
            "tool: [result k1: Found 1]",
            "assistant: DISCUSSION\nDone.\n```\nsubmit\n```",
            "(injected) user: (Open file: n/a)\nbash-$",
        ]
    );
    let messages = messages(conversation);
    let Part::Reasoning(reasoning) = &messages[3].1.parts[0] else {
        panic!("no reasoning");
    };
    assert_eq!(reasoning.signature.as_deref(), Some("c2ln"));
    assert_eq!(messages[3].1.extra["action"].as_str(), "\"find_file a.py\"");
    let fields: Vec<&String> = conversation.envelope.fields.keys().collect();
    assert_eq!(fields, ["environment", "info"]);
    assert_eq!(
        told(&transcript),
        [
            "skipped line 14: a message without a role",
            "line 5: 1 step(s) repeat the history and are left out",
            "line 5: 1 message(s) are a demonstration",
        ]
    );
}

#[test]
fn without_a_history_the_steps_are_read() {
    let file = json!({"environment": "main", "info": {}, "trajectory": [
        {"action": "ls", "observation": "a.py", "response": "Look.\n```\nls\n```", "state": {}},
        {"action": "submit", "observation": null, "response": "", "thought": "Done."},
        {"observation": "lost"},
    ]});
    let transcript = parse(file.to_string().as_bytes());
    assert_eq!(
        shorts(&transcript.conversations[0]),
        [
            "assistant: Look.\n```\nls\n```",
            "(injected) user: a.py",
            "assistant: "
        ]
    );
    assert_eq!(
        told(&transcript),
        [
            "skipped line 1: a step without a response",
            "line 1: there is no history: it is put together from the steps",
        ]
    );
}

#[test]
fn a_run_of_mini_swe_agent_is_one_turn_and_is_written_as_it_was() {
    let file = fixture("mini-swe-agent/run.traj.json");
    let transcript = parse(&file);
    assert_eq!(transcript.format, Format::OpenAiChat);
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.message_count(), 6);
    assert_eq!(
        shorts(conversation)[3],
        "(injected) user: <returncode>0</returncode>\n<output>\na.py\n</output>"
    );
    let written = transcript.write_back().unwrap();
    assert_eq!(values(written.text.as_bytes()), values(&file));
}

#[test]
fn a_trajectory_that_is_cut_is_refused_or_read_as_far_as_it_goes() {
    let file = fixture("swe-agent/calls.traj");
    let options = session_transcript::ReadOptions::default();
    for end in (0..file.len()).step_by(97) {
        if let Ok(transcript) = session_transcript::read(&file[..end], &options) {
            assert!(!transcript.skipped.is_empty() || !transcript.warnings.is_empty());
        }
    }
}
