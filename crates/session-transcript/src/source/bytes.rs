//! From bytes to text: compression, encodings, damage.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use crate::error::ReadError;
use crate::source::archive;
use crate::transcript::{Report, Warning};

const BOM: &[u8] = &[0xEF, 0xBB, 0xBF];
const GZIP: &[u8] = &[0x1F, 0x8B];

/// First bytes of files that are no text, and what to do about each.
const BINARY: [(&[u8], &str, &str); 4] = [
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "export the conversation from the program that wrote it",
    ),
    (
        &[0x28, 0xB5, 0x2F, 0xFD],
        "Zstandard data",
        "decompress it first",
    ),
    (&[0xFF, 0xFE, 0, 0], "UTF-32 text", "save it as UTF-8"),
    (&[0, 0, 0xFE, 0xFF], "UTF-32 text", "save it as UTF-8"),
];

/// Unpacks and decodes a file. What is not valid Unicode becomes U+FFFD and is reported.
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    max_bytes: u64,
    report: &mut Report,
) -> Result<Cow<'a, str>, ReadError> {
    if archive::is_archive(bytes) {
        let files = archive::unpack(bytes, max_bytes, report)?;
        let mut texts = Vec::with_capacity(files.len());
        for file in files {
            texts.push(match to_text(&file, report)? {
                Text::Owned(text) => text,
                Text::Borrowed(text) => text.to_owned(),
            });
        }
        return Ok(Cow::Owned(archive::join(texts)));
    }
    if !bytes.starts_with(GZIP) {
        return match to_text(bytes, report)? {
            Text::Borrowed(text) => Ok(Cow::Borrowed(text)),
            Text::Owned(text) => Ok(Cow::Owned(text)),
        };
    }
    let unpacked = unpack(bytes, max_bytes, report)?;
    match to_text(&unpacked, report)? {
        Text::Owned(text) => Ok(Cow::Owned(text)),
        Text::Borrowed(_) => Ok(Cow::Owned(String::from_utf8(unpacked).unwrap_or_default())),
    }
}

enum Text<'a> {
    Borrowed(&'a str),
    Owned(String),
}

fn unpack(bytes: &[u8], max_bytes: u64, report: &mut Report) -> Result<Vec<u8>, ReadError> {
    let mut unpacked = Vec::new();
    let limit = max_bytes.saturating_add(1);
    let outcome = MultiGzDecoder::new(bytes)
        .take(limit)
        .read_to_end(&mut unpacked);
    if unpacked.len() as u64 > max_bytes {
        return Err(ReadError::TooLarge { max_bytes });
    }
    match outcome {
        Ok(_) => {}
        Err(_) if unpacked.is_empty() => {
            return Err(ReadError::Binary {
                what: "damaged gzip data",
                hint: "give an undamaged copy",
            });
        }
        Err(_) => report.warn(Warning::file(
            "the gzip data is damaged or cut: what could be unpacked was read",
        )),
    }
    Ok(unpacked)
}

fn to_text<'a>(bytes: &'a [u8], report: &mut Report) -> Result<Text<'a>, ReadError> {
    for (magic, what, hint) in BINARY {
        if bytes.starts_with(magic) {
            return Err(ReadError::Binary { what, hint });
        }
    }
    match bytes {
        [0xFF, 0xFE, rest @ ..] => {
            return Ok(Text::Owned(utf_16(rest, u16::from_le_bytes, report)));
        }
        [0xFE, 0xFF, rest @ ..] => {
            return Ok(Text::Owned(utf_16(rest, u16::from_be_bytes, report)));
        }
        [b'{' | b'[', 0, ..] => return Ok(Text::Owned(utf_16(bytes, u16::from_le_bytes, report))),
        [0, b'{' | b'[', ..] => return Ok(Text::Owned(utf_16(bytes, u16::from_be_bytes, report))),
        _ => {}
    }
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Text::Borrowed(text));
    }
    Ok(Text::Owned(lossy(bytes, report)))
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16, report: &mut Report) -> String {
    report.warn(Warning::file(
        "the file is UTF-16 and was decoded: byte ranges count in its UTF-8 form",
    ));
    let units = bytes.chunks(2).map(|pair| match pair {
        [a, b] => unit([*a, *b]),
        _ => 0xFFFD,
    });
    let mut lone = 0_usize;
    let text = char::decode_utf16(units)
        .map(|unit| {
            unit.unwrap_or_else(|_| {
                lone += 1;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    if lone > 0 {
        report.warn(Warning::file(format!(
            "{lone} surrogates without their other half became U+FFFD"
        )));
    }
    text
}

fn lossy(bytes: &[u8], report: &mut Report) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut line = 1_u64;
    let mut reported = 0;
    for chunk in bytes.utf8_chunks() {
        line += chunk.valid().bytes().filter(|b| *b == b'\n').count() as u64;
        text.push_str(chunk.valid());
        if chunk.invalid().is_empty() {
            continue;
        }
        text.push(char::REPLACEMENT_CHARACTER);
        if reported != line {
            reported = line;
            report.warn(Warning::line(
                line,
                "bytes that are not UTF-8 became U+FFFD",
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const LIMIT: u64 = 1 << 20;

    fn decoded(bytes: &[u8]) -> (String, usize) {
        let mut report = Report::default();
        let text = decode(bytes, LIMIT, &mut report).unwrap().into_owned();
        (text, report.warnings.len())
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_byte_order_mark_is_taken_off_and_utf_16_is_decoded() {
        assert_eq!(decoded(b"\xEF\xBB\xBF{}"), ("{}".into(), 0));
        assert_eq!(decoded(b"\xFF\xFE{\0}\0"), ("{}".into(), 1));
        assert_eq!(decoded(b"\xFE\xFF\0{\0}"), ("{}".into(), 1));
        assert_eq!(decoded(b"{\0}\0"), ("{}".into(), 1));
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced_and_reported_once_a_line() {
        assert_eq!(
            decoded(b"a\xE9b\xE9\nc\n\xFFd"),
            ("a\u{FFFD}b\u{FFFD}\nc\n\u{FFFD}d".into(), 2)
        );
    }

    #[test]
    fn gzip_is_unpacked_up_to_the_limit_and_as_far_as_it_goes() {
        let packed = gzip(b"[1, 2]");
        assert_eq!(decoded(&packed).0, "[1, 2]");

        let long = gzip(&vec![b' '; 5000]);
        let error = decode(&long, 4999, &mut Report::default()).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { max_bytes: 4999 }));

        let noise: Vec<u8> = (0..40_000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 64 + 32)
            .collect();
        let packed = gzip(&noise);
        let (text, warnings) = decoded(&packed[..packed.len() / 2]);
        assert!(!text.is_empty() && warnings == 1);
    }

    #[test]
    fn files_of_another_kind_are_refused_by_name() {
        for bytes in [
            &b"PK\x03\x04rest"[..],
            b"PK\x05\x06",
            b"SQLite format 3\0",
            &[0x28, 0xB5, 0x2F, 0xFD, 1],
        ] {
            let error = decode(bytes, LIMIT, &mut Report::default()).unwrap_err();
            assert!(matches!(error, ReadError::Binary { .. }));
        }
    }
}
