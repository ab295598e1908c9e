//! What is printed: a line of JSON for each figure.

use std::time::Duration;

use serde_json::{Value, json};

/// Who is measured.
#[derive(Clone, Copy)]
pub struct Peer {
    pub name: &'static str,
    pub version: &'static str,
}

impl Peer {
    /// The processor time of one cut of a conversation of `size` messages.
    pub fn cut(self, size: usize, seconds: f64) {
        self.print(json!({"table": "cut", "size": size, "seconds": seconds}));
    }

    /// Which messages were kept, at each moment.
    pub fn kept(self, kept: Vec<(usize, Vec<usize>)>) {
        self.print(json!({"table": "kept", "kept": kept}));
    }

    /// What an operation on a store took, an event or a load.
    pub fn store(self, what: &str, events: usize, wall: Duration, cpu: Duration) {
        let (wall, cpu) = (wall.as_secs_f64(), cpu.as_secs_f64());
        self.print(
            json!({"table": "store", "what": what, "events": events, "wall": wall, "cpu": cpu}),
        );
    }

    fn print(self, mut line: Value) {
        line["peer"] = self.name.into();
        line["version"] = self.version.into();
        println!("{line}");
    }
}

/// The middle one.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
