//! What a boundary of another tool covers is what left the view with it, as for our own.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use session_transcript::{Format, ReadOptions, read};

use crate::common::{all, boundaries, jsonl, left_with_boundaries, parse};

/// Some formats counted again what the boundaries in front had covered: a session of Codex with
/// many compactions said that each covered almost the whole log.
#[test]
fn a_boundary_covers_what_left_the_view_with_it() {
    let mut formats: BTreeMap<String, usize> = BTreeMap::new();
    for file in all() {
        let bytes = std::fs::read(&file).unwrap();
        let Ok(transcript) = read(&bytes, &ReadOptions::default()) else {
            continue;
        };
        for conversation in &transcript.conversations {
            let found = boundaries(conversation);
            let left = left_with_boundaries(conversation);
            for ((_, boundary), left) in found.iter().zip(&left) {
                assert_eq!(boundary.receipt.covered, *left, "{}", file.display());
            }
            *formats.entry(transcript.format.to_string()).or_default() += found.len();
        }
    }
    let formats: Vec<&str> = formats
        .iter()
        .filter_map(|(name, count)| (*count > 0).then_some(name.as_str()))
        .collect();
    assert!(formats.len() > 4, "boundaries of {formats:?} alone");
}

/// Each boundary names what stays in front of it, or what is gone behind what stays. In most formats a
/// line of a few words can ask for that, so a file of twenty megabytes filled the memory; and what all
/// boundaries cover together was again and again all there was.
#[test]
fn boundaries_of_no_format_name_and_cover_much_more_than_there_is() {
    const COUNT: usize = 2000;
    let numbers = || 0..COUNT;
    let codex = |kind: &str, payload: Value| json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload});
    let said = |text: &str| {
        let content = json!([{"type": "input_text", "text": text}]);
        json!({"type": "message", "role": "user", "content": content})
    };
    let rollout = |text: &str| {
        let mut lines = vec![codex("session_meta", json!({"id": "s", "cwd": "/"}))];
        lines.extend(numbers().map(|_| codex("response_item", said(text))));
        lines.extend(numbers().map(|_| codex("compacted", json!({"message": "So far"}))));
        lines
    };
    let mut copilot = vec![json!({"type": "session.start", "id": "s", "data": {"sessionId": "s"}})];
    copilot.extend(numbers().map(|at| json!({"type": "system.message", "id": format!("m{at}"), "data": {"content": "Be brief"}})));
    copilot.extend(numbers().map(|at| json!({"type": "session.compaction_complete", "id": format!("c{at}"), "data": {"success": true, "summaryContent": "So far"}})));
    let mut openhands: Vec<Value> = numbers()
        .map(|at| json!({"kind": "MessageEvent", "id": format!("m{at}"), "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "Next"}]}}))
        .collect();
    openhands.extend(numbers().map(|at| json!({"kind": "Condensation", "id": format!("c{at}"), "source": "environment", "forgotten_event_ids": [], "summary": "So far", "summary_offset": 1_000_000})));
    let mut pi = vec![json!({"type": "session", "id": "s", "cwd": "/", "version": 3})];
    let mut last = Value::Null;
    for at in numbers() {
        let [asked, edge] = ["m", "c"].map(|name| format!("{name}{at}"));
        let kept = if at % 2 == 0 { "m0" } else { &asked };
        pi.push(json!({"type": "message", "id": asked, "parentId": last, "message": {"role": "user", "content": "Next"}}));
        pi.push(json!({"type": "compaction", "id": edge, "parentId": asked, "summary": "So far", "firstKeptEntryId": kept}));
        last = json!(edge);
    }
    let step = |text: String| json!({"source": "user", "message": text});
    let copied =
        |text: String| json!({"source": "user", "message": text, "is_copied_context": true});
    let mut steps = vec![step("First".into())];
    for at in numbers() {
        steps.push(step(format!("Next {at}")));
        steps.push(copied(format!("So far {at}")));
        steps.push(copied("First".into()));
    }
    let atif = vec![
        json!({"schema_version": "ATIF-v1.6", "session_id": "s", "agent": {"name": "a", "version": "1"}, "steps": steps}),
    ];
    let record = |id: String| json!({"id": id, "type": "user", "content": "Next"});
    let mut gemini_cli = vec![
        json!({"sessionId": "s", "projectHash": "h"}),
        record("first".into()),
    ];
    for at in numbers() {
        gemini_cli.push(record(format!("m{at}")));
        gemini_cli.push(
            json!({"$set": {"messages": [record(format!("s{at}")), record("first".into())]}}),
        );
    }
    let mut goose = vec![json!({"id": "s", "working_dir": "/", "description": "d"})];
    for at in numbers() {
        let message = |name: &str, is_for_user: bool, is_for_model: bool| json!({"id": format!("{name}{at}"), "role": "user", "created": 1, "content": [{"type": "text", "text": "Next"}], "metadata": {"userVisible": is_for_user, "agentVisible": is_for_model}});
        goose.push(message("m", true, at == 0));
        goose.push(message("s", false, true));
    }
    for (format, lines) in [
        (
            Format::Codex,
            rollout("<environment_context>x</environment_context>"),
        ),
        (Format::Codex, rollout("")),
        (Format::CopilotCli, copilot),
        (Format::OpenHands, openhands),
        (Format::Pi, pi),
        (Format::Atif, atif),
        (Format::GeminiCli, gemini_cli),
        (Format::Goose, goose),
    ] {
        let transcript = parse(&jsonl(&lines));
        assert_eq!(transcript.format, format);
        let conversation = &transcript.conversations[0];
        let boundaries = boundaries(conversation);
        assert!(boundaries.len() >= COUNT - 1, "{format}");
        let asked = boundaries.iter().map(|(_, boundary)| {
            let covered = usize::try_from(boundary.receipt.covered.count).unwrap();
            boundary.pinned.len() + boundary.superseded.len() + covered
        });
        let (asked, records) = (asked.sum::<usize>(), conversation.events.len());
        assert!(
            asked < records * 200,
            "{format}: {asked} for {records} records"
        );
        let is_told = |warning: &str| warning.ends_with("are read as if they kept nothing");
        let warnings = &transcript.warnings;
        assert!(
            warnings.iter().any(|warning| is_told(&warning.what)),
            "{format}: {warnings:?}"
        );
    }
}
