//! Files that stand in a case, as lines or as one JSON value.

use crate::json::{Object, Parsed, malformed};

/// The bytes of a file that stands in the case: its lines, or one JSON value.
pub(crate) fn file(object: &mut Object<'_>) -> Parsed<Option<Vec<u8>>> {
    let tail = match object.text("raw_hex_tail")? {
        Some(hex) => bytes_of_hex(hex)?,
        None => Vec::new(),
    };
    let lines = object.texts("raw_lines")?;
    let data = object.take("data");
    let mut bytes = match (lines, data) {
        (Some(_), Some(_)) => return malformed("settings has both `raw_lines` and `data`"),
        (Some(lines), None) => lines.iter().flat_map(|line| bytes_of_line(line)).collect(),
        (None, Some(data)) => data.to_string().into_bytes(),
        (None, None) if tail.is_empty() => return Ok(None),
        (None, None) => Vec::new(),
    };
    bytes.extend(tail);
    Ok(Some(bytes))
}

/// The bytes of a line, in which `<300 NUL bytes>` stands for such bytes.
fn bytes_of_line(line: &str) -> Vec<u8> {
    const END: &str = " NUL bytes>";
    let mut bytes = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        bytes.extend_from_slice(before.as_bytes());
        let count = after
            .split_once(END)
            .and_then(|(count, after)| Some((count.parse::<usize>().ok()?, after)));
        match count {
            Some((count, after)) => {
                bytes.resize(bytes.len().saturating_add(count), 0);
                rest = after;
            }
            None => {
                bytes.push(b'<');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

fn bytes_of_hex(hex: &str) -> Parsed<Vec<u8>> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| {
        let text: String = pair.iter().collect();
        u8::from_str_radix(&text, 16)
            .ok()
            .filter(|_| pair.len() == 2)
    };
    match digits.chunks(2).map(byte).collect() {
        Some(bytes) => Ok(bytes),
        None => malformed("raw_hex_tail must be pairs of hexadecimal digits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_for_their_bytes() {
        assert_eq!(bytes_of_line("a\n"), b"a\n");
        assert_eq!(bytes_of_line("<3 NUL bytes>\n"), b"\0\0\0\n");
        assert_eq!(bytes_of_line("x<y>z<2 NUL bytes>"), b"x<y>z\0\0");
        assert_eq!(bytes_of_hex("ff 0A").unwrap(), [255, 10]);
        bytes_of_hex("f").unwrap_err();
    }
}
