//! Hand-written answers of providers: what each file says a client should do, and what it does.

use session_log::Message;
use session_summarizer::{Brief, Fault, Finish, Prompt, Summarizer, SummarizerError, Summary};
use session_summarizer_http::{
    Anthropic, Gemini, HttpOptions, Ollama, OpenAi, OpenAiResponses, SettingsError,
};

use crate::common::recordings::{Shape, shapes};
use crate::common::server::{Play, Server};
use crate::common::{ask_for, line};

#[track_caller]
fn check(file: &str, make: impl Fn(&Server) -> Result<Box<dyn Summarizer>, SettingsError>) {
    let shapes = shapes(file);
    assert!(shapes.len() > 10, "{file}");
    for Shape {
        name,
        action,
        answer,
    } in shapes
    {
        let server = Server::playing(Play::Send(answer));
        let summarizer = make(&server).unwrap();
        // The counts in the files are those of short questions, but for one.
        let prompt = Prompt::new().with_system("Be brief.").unwrap();
        let said = match name.as_str() {
            "silently_shortened" => "one two three four five six ".repeat(800),
            _ => "Fix the gate.".to_owned(),
        };
        let talk = [Message::user(said)];
        let result = ask_for(&*summarizer, Brief::new(&talk).with_prompt(&prompt));
        assert!(
            is_done(&action, &result),
            "{file} {name} should {action}: {}",
            line(&result)
        );
        server.seen();
    }
}

/// Whether a result leads its caller to the action.
fn is_done(action: &str, result: &Result<Option<Summary>, SummarizerError>) -> bool {
    let finish = match result {
        Ok(Some(summary)) => Some(summary.finish()),
        _ => None,
    };
    let fault = result.as_ref().err().and_then(SummarizerError::fault);
    match action {
        "use" => finish == Some(&Finish::Complete) && is_expected_text(result),
        "truncated" => finish == Some(&Finish::CutOff),
        "empty" => matches!(fault, Some(Fault::Blank | Fault::CutOff)),
        "refused" => {
            matches!(finish, Some(Finish::Filtered | Finish::Refused))
                || matches!(fault, Some(Fault::Filtered | Fault::Refusal))
        }
        "shrink" => matches!(result, Err(SummarizerError::InputTooLong { .. })),
        "retry_after" => matches!(
            result,
            Err(SummarizerError::Unavailable {
                retry_after: Some(_),
                ..
            })
        ),
        "retry" => matches!(result, Err(SummarizerError::Unavailable { .. })),
        "stop" => matches!(
            result,
            Err(SummarizerError::Unauthorized { .. } | SummarizerError::Rejected { .. })
        ),
        "fix" => matches!(result, Err(SummarizerError::Rejected { .. })),
        other => panic!("no such action: {other}"),
    }
}

/// Whether it is the text that all files have, or the beginning of it, and no thought.
fn is_expected_text(result: &Result<Option<Summary>, SummarizerError>) -> bool {
    let Ok(Some(summary)) = result else {
        return false;
    };
    ["Goal: ship v2.", "Goal.", "Goal"].contains(&summary.text())
}

#[test]
fn openai_chat_completions() {
    check("openai_chat.json", |server| {
        Ok(Box::new(OpenAi::new(&server.v1(), "m")?))
    });
}

#[test]
fn openai_responses() {
    check("openai_responses.json", |server| {
        let mut options = HttpOptions::default();
        options.max_output_tokens = Some(200);
        let summarizer = OpenAiResponses::new(&server.v1(), "m")?;
        Ok(Box::new(summarizer.with_options(options)?))
    });
}

#[test]
fn anthropic_messages() {
    check("anthropic_messages.json", |server| {
        Ok(Box::new(Anthropic::new(&server.address, "m")?))
    });
}

#[test]
fn gemini_generated_content() {
    check("gemini_generate_content.json", |server| {
        Ok(Box::new(Gemini::new(&server.address, "m")?))
    });
}

#[test]
fn ollama_chat() {
    check("ollama_chat.json", |server| {
        let summarizer = Ollama::new(&server.address, "m")?;
        Ok(Box::new(summarizer.with_context(4_096)))
    });
}
