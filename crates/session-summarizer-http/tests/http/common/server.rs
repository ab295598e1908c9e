//! A server on this machine that reads a request and plays an answer, as often as it was told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use serde_json::Value;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What the server does when it has read the request.
pub(crate) enum Play {
    /// Sends this and closes.
    Send(Vec<u8>),
    /// Sends this and then nothing, until the client goes away.
    SendAndStall(Vec<u8>),
    /// Sends this and then the same piece again and again, until the client goes away.
    SendForEver(Vec<u8>, Vec<u8>),
}

pub(crate) struct Server {
    pub(crate) address: String,
    thread: JoinHandle<Vec<Seen>>,
}

impl Server {
    pub(crate) fn playing(play: Play) -> Self {
        Self::playing_all([play])
    }

    /// One answer after the other, each on a connection of its own.
    pub(crate) fn playing_all(plays: impl IntoIterator<Item = Play>) -> Self {
        let plays: Vec<Play> = plays.into_iter().collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let play = move |play| serve(listener.accept().unwrap().0, play);
        let thread = std::thread::spawn(move || plays.into_iter().map(play).collect());
        Self { address, thread }
    }

    /// Answers with a status, headers and a body of known length.
    pub(crate) fn answering(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        Self::playing(Play::Send(whole(status, headers, body.as_bytes())))
    }

    /// The base URL of interfaces whose paths begin with it.
    pub(crate) fn v1(&self) -> String {
        format!("{}/v1", self.address)
    }

    /// The request. Waits until it was answered.
    pub(crate) fn seen(self) -> Seen {
        self.all_seen().pop().unwrap()
    }

    /// All requests. Waits until they were answered.
    pub(crate) fn all_seen(self) -> Vec<Seen> {
        self.thread.join().unwrap()
    }
}

/// An answer of known length.
pub(crate) fn whole(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let length = body.len().to_string();
    let mut answer = head(status, headers, &[("content-length", &length)]);
    answer.extend_from_slice(body);
    answer
}

/// An answer in chunks, with or without the end mark.
pub(crate) fn chunked(
    status: u16,
    headers: &[(&str, &str)],
    chunks: &[&str],
    has_end: bool,
) -> Vec<u8> {
    let mut answer = head(status, headers, &[("transfer-encoding", "chunked")]);
    for chunk in chunks {
        answer.extend_from_slice(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes());
    }
    if has_end {
        answer.extend_from_slice(b"0\r\n\r\n");
    }
    answer
}

fn head(status: u16, headers: &[(&str, &str)], more: &[(&str, &str)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Said\r\nconnection: close\r\n");
    for (name, value) in headers.iter().chain(more) {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.into_bytes()
}

fn serve(mut stream: TcpStream, play: Play) -> Seen {
    let seen = read(&stream);
    // A client that goes away early is what some tests are about.
    match play {
        Play::Send(answer) => drop(stream.write_all(&answer)),
        Play::SendAndStall(answer) => {
            drop(stream.write_all(&answer));
            drop(stream.read(&mut [0]));
        }
        Play::SendForEver(answer, piece) => {
            drop(stream.write_all(&answer));
            while stream.write_all(&piece).is_ok() {}
        }
    }
    seen
}

/// The request, as far as it comes: a client may be gone before it is all there.
fn read(stream: &TcpStream) -> Seen {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let _ = reader.read_line(&mut line);
    let mut words = line.split(' ').map(str::to_owned);
    let mut word = || words.next().unwrap_or_default();
    let (method, path) = (word(), word());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        let _ = reader.read_line(&mut line);
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    Seen {
        method,
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    }
}
