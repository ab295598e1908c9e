//! What a connection can do to an answer, and what becomes of it.

use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;
use session_log::Message;
use session_summarizer::{Brief, Chunked, Summarizer, SummarizerError};
use session_summarizer_http::{
    Anthropic, ApiKey, Delivery, Gemini, HttpOptions, Ollama, OpenAi, OpenAiResponses,
};

use crate::common::server::{Play, Server, chunked, whole};
use crate::common::{KEY, ask, ask_for, line, talk};

fn good() -> String {
    json!({ "choices": [{ "message": { "content": "The gate is fixed." } }] }).to_string()
}

/// A summarizer that gives up soon and reads little.
fn hasty(base_url: &str, limit: Duration) -> OpenAi {
    let mut options = HttpOptions::default();
    options.time_limit = limit;
    options.max_answer_bytes = 100_000;
    let summarizer = OpenAi::new(base_url, "m").unwrap();
    let summarizer = summarizer.with_options(options).unwrap();
    summarizer.with_key(ApiKey::new(KEY).unwrap()).unwrap()
}

fn patient(base_url: &str) -> OpenAi {
    hasty(base_url, Duration::from_secs(60))
}

#[test]
fn a_connection_that_fails_or_breaks_is_unavailable() {
    let good = good();
    let longer = whole(200, &[], format!("{good}{}", " ".repeat(900)).as_bytes());
    let cut = longer[..longer.len() - 900].to_vec();
    let cases: [(&str, Vec<u8>); 8] = [
        ("closed without a word", Vec::new()),
        ("cut in the status line", b"HTTP/1.1 20".to_vec()),
        (
            "cut in the headers",
            b"HTTP/1.1 200 OK\r\ncontent-le".to_vec(),
        ),
        ("cut in the body", cut),
        ("no end of the chunks", chunked(200, &[], &[&good], false)),
        (
            "no chunk where one should be",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        ),
        ("another protocol", b"SSH-2.0-OpenSSH_9.7\r\n".to_vec()),
        ("noise", (0..=255).cycle().take(5_000).collect()),
    ];
    for (name, answer) in cases {
        let server = Server::playing(Play::Send(answer));
        let result = ask(&patient(&server.v1()));
        assert_eq!(line(&result), "unavailable", "{name}");
        let error = result.unwrap_err();
        assert!(error.is_retryable(), "{name}");
        assert!(std::error::Error::source(&error).is_some(), "{name}");
    }
}

#[test]
fn a_refused_connection_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(line(&ask(&patient(&address))), "unavailable");
}

/// No provider of cryptography is set for the process, and none may be needed.
#[test]
fn a_server_without_encryption_behind_https_is_an_error_and_no_panic() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}/v1", listener.local_addr().unwrap());
    // Where there are no certificates, nobody comes, so it is not waited for.
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n")
    });
    match ask(&patient(&address)).unwrap_err() {
        SummarizerError::Unavailable { .. } | SummarizerError::Rejected { .. } => {}
        error => panic!("{error:?}"),
    }
}

#[test]
fn what_is_too_slow_is_a_timeout() {
    let good = good();
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n".to_vec();
    let begun = [head.clone(), good.into_bytes()].concat();
    for (name, answer) in [("silent", Vec::new()), ("head", head), ("half", begun)] {
        let server = Server::playing(Play::SendAndStall(answer));
        let limit = Duration::from_millis(30);
        let result = ask(&hasty(&server.v1(), limit));
        let error = result.unwrap_err();
        match error {
            SummarizerError::Timeout { limit: told } => assert_eq!(told, limit, "{name}"),
            error => panic!("{name}: {error:?}"),
        }
    }
}

#[test]
fn an_endless_answer_is_not_read_to_the_end() {
    let chunk = format!("{:x}\r\n{}\r\n", 9_000, " ".repeat(9_000)).into_bytes();
    let head = |status: &str| {
        let head = format!("HTTP/1.1 {status}\r\ntransfer-encoding: chunked\r\n\r\n");
        head.into_bytes()
    };
    let server = Server::playing(Play::SendForEver(head("200 OK"), chunk.clone()));
    let result = ask(&patient(&server.v1()));
    assert_eq!(
        line(&result),
        "rejected: the answer has more than 100000 bytes"
    );
    server.seen();

    // Of an error as much is read as is needed; the status has told what it is.
    let server = Server::playing(Play::SendForEver(head("503 No"), chunk));
    assert_eq!(line(&ask(&patient(&server.v1()))), "unavailable");
    server.seen();
}

#[test]
fn what_is_no_answer_is_told_apart() {
    let page = "\n <!DOCTYPE html><html><body>Welcome</body></html>";
    let nested = "[".repeat(50_000);
    let cases = [
        (
            200,
            page,
            "rejected: a web page came for an answer, check the base URL",
        ),
        (
            200,
            "<!-- gateway --><?xml version=\"1.0\"?>",
            "rejected: a web page came for an answer, check the base URL",
        ),
        (502, page, "unavailable"),
        (200, "", "unavailable"),
        (200, "{\"choices\":[{\"mess", "unavailable"),
        (200, "\u{0}\u{1}", "unavailable"),
        (200, nested.as_str(), "unavailable"),
        (200, "null", FOREIGN),
        (200, "[]", FOREIGN),
        (200, "{\"choices\":7}", FOREIGN),
        (200, "{\"choices\":[7]}", FOREIGN),
        (200, "{\"choices\":[{\"message\":7}]}", "invalid blank"),
        (200, "{\"error\":null,\"choices\":[]}", "invalid blank"),
        (200, "{\"error\":\"out of memory\"}", "unavailable"),
        (204, "", "unavailable"),
        (418, "short and stout", "rejected: HTTP status 418"),
        (401, "<html>", "unauthorized"),
        (403, "", "unauthorized"),
        (407, "", "unauthorized"),
        (408, "", "unavailable"),
        (
            422,
            "{\"detail\":[{\"msg\":\"no\"}]}",
            "rejected: HTTP status 422",
        ),
        (599, "", "unavailable"),
    ];
    for (status, body, expected) in cases {
        let server = Server::answering(status, &[], body);
        let result = ask(&patient(&server.v1()));
        let about: String = body.chars().take(40).collect();
        assert_eq!(line(&result), expected, "{status} {about}");
    }
}

/// A gateway that compresses unasked was asked again and again, as if its answer were damaged.
#[test]
fn nothing_compressed_is_asked_for_and_what_is_compressed_is_told() {
    let good = good();
    for (encoding, expected) in [
        ("identity", "unreported ?+? m: The gate is fixed."),
        ("", "unreported ?+? m: The gate is fixed."),
        ("gzip", COMPRESSED),
        ("identity, br", COMPRESSED),
    ] {
        let server = Server::answering(200, &[("content-encoding", encoding)], &good);
        assert_eq!(line(&ask(&patient(&server.v1()))), expected, "{encoding}");
        let seen = server.seen();
        assert_eq!(seen.header("accept-encoding"), Some("identity"));
    }
}

const COMPRESSED: &str = "rejected: the answer is compressed although that was not asked for, \
                          check the gateway or proxy";

/// Half a surrogate pair, as servers write it that cut an emoji in two, and bytes that are no UTF-8
/// cost a mark in the text. At once they cost the answer, piece by piece their piece, in silence.
#[test]
fn what_is_no_unicode_costs_itself_and_not_the_answer() {
    let whole_answer = r#"{"choices":[{"message":{"content":"It is fixed \ud83d."}}]}"#;
    let streamed = "data: {\"choices\":[{\"delta\":{\"content\":\"It is fixed \\ud83d\"}}]}\n\n\
                    data: {\"choices\":[{\"delta\":{\"content\":\".\"},\"finish_reason\":\"stop\"}]}\n\n";
    let cases = [
        ("application/json", whole_answer.as_bytes().to_vec()),
        ("text/event-stream", streamed.as_bytes().to_vec()),
        (
            "application/json",
            whole_answer
                .replace("\\ud83d", "?")
                .bytes()
                .map(|b| if b == b'?' { 0xff } else { b })
                .collect(),
        ),
    ];
    for (kind, body) in cases {
        let answer = whole(200, &[("content-type", kind)], &body);
        let server = Server::playing(Play::Send(answer));
        let summary = ask(&patient(&server.v1())).unwrap().unwrap();
        assert_eq!(summary.text(), "It is fixed \u{fffd}.");
    }
}

const FOREIGN: &str =
    "rejected: the answer has not the form of this provider's, check the base URL and the adapter";

/// Whatever the dialect, an answer of any other form is an error and no panic.
#[test]
fn every_dialect_takes_every_answer() {
    let bodies = [
        "{\"choices\":[{\"message\":{\"content\":\"x\"}}]}",
        "{\"output\":[{\"type\":\"message\",\"content\":\"x\"}]}",
        "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}",
        "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]}}]}",
        "{\"message\":{\"content\":\"x\"},\"done\":true}",
        "data: {\"choices\":[]}\n\n",
        "data: 7\n\ndata: [[]]\n\ndata: {\"type\":7,\"response\":7,\"message\":[]}\n\n",
        "\"x\"",
    ];
    let kinds = [
        "application/json",
        "text/event-stream",
        "application/x-ndjson",
    ];
    for at in 0..5 {
        let mut understood = 0;
        for body in bodies {
            for kind in kinds {
                let server = Server::answering(200, &[("content-type", kind)], body);
                let (v1, address) = (server.v1(), &server.address);
                let summarizer: Box<dyn Summarizer> = match at {
                    0 => Box::new(OpenAi::new(&v1, "m").unwrap()),
                    1 => Box::new(OpenAiResponses::new(&v1, "m").unwrap()),
                    2 => Box::new(Anthropic::new(address, "m").unwrap()),
                    3 => Box::new(Gemini::new(address, "m").unwrap()),
                    _ => Box::new(Ollama::new(address, "m").unwrap()),
                };
                if let Ok(Some(summary)) = ask(&*summarizer) {
                    assert_eq!(summary.text(), "x");
                    understood += 1;
                }
            }
        }
        // Its own form, announced as one value or as events, and by some also as lines.
        assert!((2..=3).contains(&understood), "dialect {at}: {understood}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let location = format!("http://{}/", other.local_addr().unwrap());
    for status in [301, 302, 303, 307, 308] {
        let server = Server::answering(status, &[("location", &location)], "");
        let result = ask(&patient(&server.v1()));
        assert_eq!(
            line(&result),
            format!(
                "rejected: HTTP status {status}, the address redirects and redirects are not \
                 followed, check the base URL"
            )
        );
    }
    assert!(other.accept().is_err(), "nobody came");
}

#[test]
fn what_is_dropped_closes_its_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let (came, waiting) = mpsc::channel();
    let server = std::thread::spawn(move || {
        use std::io::Read;
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 4]).unwrap();
        came.send(()).unwrap();
        // Ends only when the client is gone.
        std::io::copy(&mut stream, &mut std::io::sink())
    });
    let summarizer = patient(&address);
    let talk = talk();
    let mut future = summarizer.summarize(Brief::new(&talk));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    waiting.recv().unwrap();
    drop(future);
    let _ = server.join().unwrap();
}

#[test]
fn it_may_be_awaited_in_any_runtime_and_by_many() {
    let good = good();
    let plays = (0..8).map(|_| Play::Send(whole(200, &[], good.as_bytes())));
    let server = Server::playing_all(plays);
    let summarizer = patient(&server.v1());
    std::thread::scope(|scope| {
        for _ in 0..7 {
            let summarizer = summarizer.clone();
            scope.spawn(move || ask(&summarizer).unwrap().unwrap());
        }
    });
    let talk = talk();
    // One that can neither connect nor measure time.
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.build().unwrap();
    let summary = runtime.block_on(summarizer.summarize(Brief::new(&talk)));
    assert_eq!(summary.unwrap().unwrap().text(), "The gate is fixed.");
    assert_eq!(server.all_seen().len(), 8);
}

/// A server that was not asked to stream may do it all the same, and the other way round.
#[test]
fn the_kind_of_the_answer_decides_how_it_is_read() {
    let good = good();
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"The gate is \"}}]}\n\n\
                  data: {\"choices\":[{\"delta\":{\"content\":\"fixed.\"},\
                  \"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    for (delivery, kind, body) in [
        (Delivery::Whole, "text/event-stream", stream),
        (Delivery::Streamed, "application/json", good.as_str()),
    ] {
        let server = Server::answering(200, &[("content-type", kind)], body);
        let mut options = HttpOptions::default();
        options.delivery = delivery;
        let summarizer = OpenAi::new(&server.v1(), "m").unwrap();
        let summarizer = summarizer.with_options(options).unwrap();
        let summary = ask(&summarizer).unwrap().unwrap();
        assert_eq!(summary.text(), "The gate is fixed.");
    }
}

/// Gateways announce events and send what they have: an error, or the whole answer. Of neither was
/// anything read, and an answer that was cut off was told.
#[test]
fn what_is_announced_as_events_and_is_none_is_read_all_the_same() {
    let good = good();
    let spent = r#"{"error":{"message":"No credits left.","code":"insufficient_quota"}}"#;
    for (body, expected) in [
        (good.as_str(), "unreported ?+? m: The gate is fixed."),
        (spent, "unauthorized"),
        ("", "invalid cut_off"),
        (": ping\n\n", "invalid cut_off"),
    ] {
        let server = Server::answering(200, &[("content-type", "text/event-stream")], body);
        assert_eq!(line(&ask(&patient(&server.v1()))), expected, "{body}");
    }
}

struct Bytes;

impl compaction_core::TokenEstimator for Bytes {
    fn name(&self) -> &str {
        "bytes"
    }

    fn estimate(&self, text: &str) -> u64 {
        text.len() as u64
    }
}

/// The provider knows better than the estimator what fits: it names its limit, and what is left is
/// folded under that.
#[test]
fn what_the_provider_finds_too_long_is_folded_under_the_limit_it_names() {
    let too_long = r#"{"error":{"message":"request (9000 tokens) exceeds the available context size (6000 tokens)"}}"#;
    let answers =
        std::iter::once(whole(400, &[], too_long.as_bytes())).chain((1..=4).map(|part| {
            let content = format!("Part {part} is done.");
            let answer = json!({ "choices": [{ "message": { "content": content } }] });
            whole(200, &[], answer.to_string().as_bytes())
        }));
    let server = Server::playing_all(answers.map(Play::Send));
    let model = OpenAi::new(&server.v1(), "m").unwrap();
    let chunked = Chunked::new(model, 20_000, Bytes);
    let words = |word: &str| Message::user(format!("{word} ").repeat(400));
    let talk = [
        words("alpha"),
        words("bravo"),
        words("delta"),
        words("gamma"),
    ];
    let summary = ask_for(&chunked, Brief::new(&talk)).unwrap().unwrap();
    assert_eq!(summary.text(), "Part 4 is done.");
    assert_eq!(server.all_seen().len(), 5);
}

#[test]
fn ollama_refuses_what_cannot_fit_before_it_asks() {
    let summarizer = Ollama::new("http://127.0.0.1:1", "m").unwrap();
    let talk = [Message::user("word ".repeat(20_000))];
    let result = ask_for(&summarizer, Brief::new(&talk));
    assert_eq!(line(&result), "too long, 8192");
}
