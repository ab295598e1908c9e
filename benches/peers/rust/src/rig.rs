//! The policies of rig-memory.

use std::hint::black_box;

use cpu_time::ThreadTime;
use futures_executor::block_on;
use rig_core::id::ConversationId;
use rig_core::message::{
    AssistantContent, AssistantMessage, CallId, Message, ToolCall, ToolFunction, ToolName,
};
use rig_memory::{
    ConversationMemory as _, HeuristicTokenCounter, InMemoryConversationMemory, MemoryPolicy,
    PolicyMemory, SlidingWindowMemory, TokenWindowMemory,
};

use crate::data::{Conversation, Line};
use crate::line::{Peer, median};

const fn rig(name: &'static str) -> Peer {
    Peer {
        name,
        version: "0.44.0",
    }
}

const TOKENS: Peer = rig("rig-memory `TokenWindowMemory` (bytes/4), the policy alone");
const LOADED: Peer = rig("rig-memory `TokenWindowMemory` (bytes/4), loaded from its memory");
const SLIDING: Peer = rig("rig-memory `SlidingWindowMemory`, the policy alone");

const ROUNDS: usize = 11;

pub fn measure(conversation: &Conversation) {
    let messages: Vec<Message> = conversation.messages.iter().map(message).collect();
    let budget = conversation.budget as usize;
    let tokens = || TokenWindowMemory::new(budget, HeuristicTokenCounter::default());
    let sliding = SlidingWindowMemory::last_messages(conversation.window);
    for size in &conversation.sizes {
        let messages = &messages[..*size];
        TOKENS.cut(*size, alone(&tokens(), messages));
        LOADED.cut(*size, loaded(tokens(), messages));
        SLIDING.cut(*size, alone(&sliding, messages));
    }
    TOKENS.kept(kept(&tokens(), conversation, &messages));
    SLIDING.kept(kept(&sliding, conversation, &messages));
}

/// The policy, on messages that somebody has cloned for it.
fn alone(policy: &impl MemoryPolicy, messages: &[Message]) -> f64 {
    let round = |_| {
        let messages = messages.to_vec();
        let begin = ThreadTime::now();
        black_box(policy.apply(messages).unwrap());
        begin.elapsed().as_secs_f64()
    };
    median((0..ROUNDS).map(round).collect())
}

/// What an agent waits for: a load, which clones the messages, and the policy.
fn loaded(policy: TokenWindowMemory, messages: &[Message]) -> f64 {
    let id = ConversationId::new("one");
    let memory = PolicyMemory::new(InMemoryConversationMemory::new(), policy);
    block_on(memory.append(&id, messages.to_vec())).unwrap();
    let round = |_| {
        let begin = ThreadTime::now();
        black_box(block_on(memory.load(&id)).unwrap());
        begin.elapsed().as_secs_f64()
    };
    median((0..ROUNDS).map(round).collect())
}

/// A policy keeps an end of the messages.
fn kept(
    policy: &impl MemoryPolicy,
    conversation: &Conversation,
    messages: &[Message],
) -> Vec<(usize, Vec<usize>)> {
    let kept = |moment: &usize| {
        let before = &messages[..*moment];
        let kept = policy.apply(before.to_vec()).unwrap();
        let from = moment - kept.len();
        assert_eq!(kept, before[from..]);
        (*moment, (from..*moment).collect())
    };
    conversation.moments.iter().map(kept).collect()
}

fn message(line: &Line) -> Message {
    match line.role.as_str() {
        "system" => Message::system(&line.text),
        "user" => Message::user(&line.text),
        "tool" => {
            let name = ToolName::new(&line.name).unwrap();
            Message::tool_result(CallId::from_wire(&line.call_id), name, &line.text)
        }
        _ => {
            let mut content = Vec::new();
            if !line.text.is_empty() {
                content.push(AssistantContent::text(&line.text));
            }
            for call in &line.calls {
                let name = ToolName::new(&call.name).unwrap();
                let function = ToolFunction::parse(name, &call.arguments);
                content.push(AssistantContent::ToolCall(ToolCall::from_wire(
                    &call.id, function,
                )));
            }
            Message::Assistant(AssistantMessage::new(content))
        }
    }
}
