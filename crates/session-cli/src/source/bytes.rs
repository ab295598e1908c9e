//! The bytes of a file or of standard input.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use session_transcript::ReadOptions;

use crate::failure::{Failure, plainly};

/// Reads a whole file.
pub(crate) fn of_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: io::Error| Failure::unreadable(path, &error);
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(
            Failure::usage(format!("{} is a folder, not a file", path.display()))
                .with_hint("name the files inside of it"),
        );
    }
    fs::read(path).map_err(unreadable)
}

/// Reads standard input to its end.
pub(crate) fn of_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    match io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::usage(format!(
            "cannot read standard input: {}",
            plainly(&error)
        ))),
    }
}

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZIP: &[u8] = b"PK\x03\x04";

/// Whether the bytes are a packed file, whose characters are not those of what is in it.
pub(crate) fn are_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || bytes.starts_with(ZIP)
}

/// What is in a file that is packed with gzip, if it is one and all of it can be unpacked.
pub(crate) fn unpacked(bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.starts_with(GZIP) {
        return bytes;
    }
    let most = ReadOptions::default().max_bytes;
    let mut whole = Vec::new();
    let unpacker = MultiGzDecoder::new(bytes.as_slice());
    match unpacker
        .take(most.saturating_add(1))
        .read_to_end(&mut whole)
    {
        Ok(_) if whole.len() as u64 <= most => whole,
        _ => bytes,
    }
}

/// Whether the content is one JSON array, packed or not, by its first character behind comments.
pub(crate) fn are_an_array(bytes: &[u8]) -> bool {
    const ENOUGH: u64 = 4096;
    let mut head = Vec::new();
    let read = if bytes.starts_with(GZIP) {
        MultiGzDecoder::new(bytes)
            .take(ENOUGH)
            .read_to_end(&mut head)
    } else {
        bytes.take(ENOUGH).read_to_end(&mut head)
    };
    // A damaged file is somebody else's to report; what was unpacked until then is enough.
    let _ = read;
    let is_passed_over = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, 0 | 0xef | 0xbb | 0xbf | 0xff | 0xfe)
    };
    let mut rest = head.as_slice();
    loop {
        let start = rest.iter().position(|byte| !is_passed_over(byte));
        rest = start
            .and_then(|start| rest.get(start..))
            .unwrap_or_default();
        if !rest.starts_with(b"//") && !rest.starts_with(b"#") {
            return rest.starts_with(b"[");
        }
        let end = rest.iter().position(|byte| *byte == b'\n');
        rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_told_by_its_first_character() {
        assert!(are_an_array(b" \n[1]"));
        assert!(are_an_array(b"\xef\xbb\xbf[1]"));
        assert!(are_an_array(b"\xff\xfe[\0"));
        assert!(!are_an_array(b"{\"a\":[1]}"));
        assert!(are_an_array(b"// of a log\n# and\n [1]"));
        assert!(!are_an_array(b"// [1]"));
        assert!(!are_an_array(b""));
    }
}
