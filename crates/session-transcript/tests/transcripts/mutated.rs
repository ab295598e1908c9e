//! Small files of every format, damaged in the same ways each time: reading ends, and what was
//! read can be written.

use std::collections::BTreeMap;

use session_transcript::{
    Format, ReadOptions, Repair, WriteOptions, check_request, read, view_as_request, write,
};

use crate::common::{all, only};

/// Files with a little of everything that their formats have.
const SEEDS: [&str; 11] = [
    r#"{"$schemaVersion":"1.17","original_input":[{"role":"user","content":"Look"}],"generated_items":[{"type":"tool_call_item","agent":{"name":"a"},"raw_item":{"type":"function_call","call_id":"k","name":"f","arguments":"{}"}},{"type":"tool_call_output_item","agent":{"name":"a"},"raw_item":{"type":"function_call_output","call_id":"k","output":"2"}}],"previous_response_id":null}"#,
    r#"[{"id":"c","system":"s","tools":"[]","conversations":[{"from":"human","value":"Look"},{"from":"function_call","value":"[{\"name\":\"f\",\"arguments\":{\"a\":1}},{\"name\":\"g\",\"arguments\":{}}]"},{"from":"observation","value":"1"},{"from":"observation","value":"2"},{"from":"gpt","value":"Done."}],"chosen":{"from":"gpt","value":"x"},"rejected":{"from":"gpt","value":"y"}}]"#,
    r#"{"id":"chat","messages":[{"id":"m1","role":"user","parts":[{"type":"text","text":"Look"},{"type":"file","mediaType":"image/png","url":"data:image/png;base64,AA=="}]},{"id":"m2","role":"assistant","metadata":{},"parts":[{"type":"step-start"},{"type":"reasoning","text":"Hm","state":"done"},{"type":"tool-f","toolCallId":"k1","state":"output-available","input":{"a":1},"output":{"b":2}},{"type":"dynamic-tool","toolName":"g","toolCallId":"k2","state":"output-error","input":{},"errorText":"no"},{"type":"text","text":"Done."},{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"k3","toolName":"h","args":{},"result":1}}]}]}"#,
    r#"[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image","image":"AA==","mediaType":"image/png"}]},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"k1","toolName":"f","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"k1","toolName":"f","output":{"type":"content","value":[{"type":"text","text":"x"},{"type":"media","data":"AA==","mediaType":"image/png"}]}}]},{"role":"assistant","content":"Done."}]"#,
    r#"[{"type":"system","data":{"content":"s"}},{"type":"human","data":{"content":"Hi","name":"Ada"}},{"type":"ai","data":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"k1","name":"f","input":{}}],"tool_calls":[{"name":"f","args":{},"id":"k1","type":"tool_call"}],"invalid_tool_calls":[{"name":"g","args":"cut {","id":"k2","error":"e"}],"additional_kwargs":{"tool_calls":[1]},"response_metadata":{"model_name":"m"}}},{"type":"tool","data":{"content":"1","tool_call_id":"k1","status":"error"}}]"#,
    r#"{"values":{"messages":[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"Hi"}},{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessageChunk"],"kwargs":{"content":"","tool_calls":[{"name":"f","args":{"a":1},"id":null}]}},{"content":"flat","type":"ai"}]}}"#,
    r#"[{"type":"human","content":"Hi","id":"h"},{"type":"AIMessageChunk","id":"r","content":[{"type":"text","text":"a","index":0}],"tool_call_chunks":[{"index":1,"id":"k","name":"f","args":"{"}],"usage_metadata":{"input_tokens":1}},{"type":"AIMessageChunk","id":"s","content":"b"},{"type":"AIMessageChunk","id":"r","content":[{"type":"text","text":"b","index":0}],"tool_call_chunks":[{"index":1,"args":"}"}],"usage_metadata":{"input_tokens":2}},{"type":"remove","content":"","id":"h"},{"type":"ai","content":"c","id":"s"},{"type":"remove","content":"","id":"__remove_all__"},{"type":"human","content":"Ho","id":"h"}]"#,
    r#"{"attributes":{"gen_ai.conversation.id":"c","gen_ai.request.model":"m","gen_ai.system_instructions":[{"type":"text","content":"s"}],"gen_ai.input.messages":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Hi\"}]},{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"k\",\"name\":\"f\",\"arguments\":{}}]},{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"k\",\"response\":1}]}]","gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"reasoning","content":"Hm"},{"type":"text","content":"Done."}]}]}}"#,
    r#"{"request":{"model":"m","instructions":"s","input":[{"role":"user","content":"Hi"},{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"AA"},{"type":"function_call","call_id":"k","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"k","output":[{"type":"input_text","text":"1"}]},{"type":"custom_tool_call","call_id":"k2","name":"p","input":"free"},{"type":"web_search_call","id":"ws"},{"type":"compaction","encrypted_content":"BB"}]},"response":{"object":"response","output":[{"type":"reasoning","id":"rs2","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done.","annotations":[]}]}]}}"#,
    r#"{"system_instruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"Hi"},{"inline_data":{"mime_type":"image/png","data":"AA"}}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"},{"function_call":{"id":"k","name":"g","args":{}}},{"text":"Hm","thought":true}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"1"}}},{"function_response":{"id":"k","name":"g","response":{"a":1}}},{"text":"Well?"}]}]}"#,
    r#"{"system":[{"text":"s"}],"messages":[{"role":"user","content":[{"text":"Hi"},{"image":{"format":"png","source":{"bytes":"AA"}}}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Hm","signature":"s"}}},{"toolUse":{"toolUseId":"k","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"k","content":[{"json":{"a":1}}],"status":"error"}},{"text":"Well?"}]}]}"#,
];

/// How many recorded files of a format are damaged, and how large they may be.
const FILES: usize = 3;

const BYTES: usize = 6_000;

/// How often each is.
const TIMES: usize = 36;

/// The smallest recorded files of each format, and ours.
fn seeds() -> BTreeMap<Format, Vec<Vec<u8>>> {
    let recorded = all().into_iter().map(|path| std::fs::read(path).unwrap());
    let small = recorded.filter(|bytes| bytes.len() <= BYTES);
    let own = SEEDS.iter().map(|seed| seed.as_bytes().to_vec());
    let mut seeds: BTreeMap<Format, Vec<Vec<u8>>> = BTreeMap::new();
    let talk = only(SEEDS[3].as_bytes());
    let lines = write(&talk.events, None, Format::Jsonl, &WriteOptions::default()).unwrap();
    for bytes in small.chain([lines.text.into_bytes()]) {
        if let Ok(transcript) = read(&bytes, &ReadOptions::default()) {
            seeds.entry(transcript.format).or_default().push(bytes);
        }
    }
    for files in seeds.values_mut() {
        files.sort_by_key(Vec::len);
        files.truncate(FILES);
    }
    for bytes in own {
        let format = read(&bytes, &ReadOptions::default()).unwrap().format;
        seeds.entry(format).or_default().push(bytes);
    }
    seeds
}

/// Numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

/// Damages `bytes` once; what is spliced in comes from `other`.
fn damage(bytes: &mut Vec<u8>, other: &[u8], numbers: &mut Numbers) {
    let start = numbers.below(bytes.len());
    let end = (start + 1 + numbers.below(80)).min(bytes.len());
    match numbers.below(7) {
        0 => bytes.truncate(start),
        1 => bytes[start] ^= 1 << numbers.below(8),
        2 => bytes[start] = b"{}[]\",:\\\n\0 nt0"[numbers.below(14)],
        3 => {
            bytes.drain(start..end);
        }
        4 => {
            let piece = bytes[start..end].to_vec();
            bytes.splice(start..start, piece);
        }
        5 => {
            let from = numbers.below(other.len());
            let to = (from + 1 + numbers.below(80)).min(other.len());
            bytes.splice(start..end, other[from..to].iter().copied());
        }
        _ => swap_words(bytes, numbers),
    }
    if bytes.is_empty() {
        bytes.push(b'[');
    }
}

/// Puts one quoted word in the place of another: damage that is still JSON.
fn swap_words(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    let quotes: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'"').collect();
    let words = quotes.len() / 2;
    let word = |number: usize| quotes[2 * number]..quotes[2 * number + 1];
    if words > 1 {
        let piece = bytes[word(numbers.below(words))].to_vec();
        bytes.splice(word(numbers.below(words)), piece);
    }
}

/// Reads the bytes in both ways, and writes what comes of it.
fn exercise(bytes: &[u8], format: Format) {
    let plain = ReadOptions::default();
    for options in [plain.clone(), plain.with_format(format)] {
        let Ok(transcript) = read(bytes, &options) else {
            continue;
        };
        let can_write = transcript.format.can_write();
        assert_eq!(
            transcript.write_back().is_ok(),
            can_write,
            "{}",
            transcript.format
        );
        for conversation in &transcript.conversations {
            let events = &conversation.events;
            let envelope = Some(&conversation.envelope);
            for repair in [Repair::Nothing, Repair::Abandoned] {
                let options = WriteOptions::default().with_repair(repair);
                let lines = write(events, envelope, Format::Jsonl, &options).unwrap();
                if repair == Repair::Nothing && !events.is_empty() {
                    let back = only(lines.text.as_bytes());
                    assert_eq!(back.events, *events);
                }
                let own = write(events, envelope, transcript.format, &options);
                assert_eq!(own.is_ok(), can_write);
            }
            for format in Format::ALL
                .iter()
                .copied()
                .filter(|format| format.is_request())
            {
                let request = view_as_request(events, format).unwrap();
                let found = check_request(format, &request.text);
                assert_eq!(found, [], "{format}: {}", request.text);
            }
        }
    }
}

#[test]
fn what_is_read_of_damaged_files_can_be_written() {
    let seeds = seeds();
    let files: Vec<&Vec<u8>> = seeds.values().flatten().collect();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for (format, seeds) in &seeds {
        for seed in seeds {
            exercise(seed, *format);
            for _ in 0..TIMES {
                let mut bytes = seed.clone();
                for _ in 0..=numbers.below(3) {
                    let other = files[numbers.below(files.len())];
                    damage(&mut bytes, other, &mut numbers);
                }
                exercise(&bytes, *format);
            }
        }
    }
}

#[test]
fn every_format_has_a_file_to_damage() {
    let seeds = seeds();
    let missing: Vec<&str> = Format::ALL
        .iter()
        .filter(|format| !seeds.contains_key(format))
        .map(|format| format.name())
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}
