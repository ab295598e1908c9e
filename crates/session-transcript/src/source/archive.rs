//! ZIP archives: the exports of chat applications, and logs of evaluations. Only what can be a
//! transcript is unpacked, and no more of it than the limit.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

use crate::error::ReadError;
use crate::json::{Kind, Raw};
use crate::transcript::{Report, Warning};

/// First bytes of an archive, and of one without files.
const MAGIC: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// Endings of files that may be transcripts.
const ENDINGS: [&str; 5] = [".json", ".jsonl", ".traj", ".ndjson", ".md"];

pub(crate) fn is_archive(bytes: &[u8]) -> bool {
    MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// The bytes of the files in an archive that are one transcript together, in their order.
pub(crate) fn unpack(
    bytes: &[u8],
    max_bytes: u64,
    report: &mut Report,
) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| DAMAGED)?;
    let names: Vec<(String, usize)> = (0..archive.len())
        .filter_map(|at| Some((archive.name_for_index(at)?.to_owned(), at)))
        .collect();
    let mut room = max_bytes;
    let mut files = Vec::new();
    for at in wanted(names)? {
        let Ok(mut file) = archive.by_index(at) else {
            return Err(ReadError::Binary {
                what: "a ZIP archive that is encrypted or packed in an unusual way",
                hint: "unpack it and give the file inside",
            });
        };
        let mut unpacked = Vec::new();
        let outcome = (&mut file)
            .take(room.saturating_add(1))
            .read_to_end(&mut unpacked);
        let size = unpacked.len() as u64;
        room = match room.checked_sub(size) {
            Some(room) => room,
            None => return Err(ReadError::TooLarge { max_bytes }),
        };
        match outcome {
            Ok(_) => {}
            Err(_) if unpacked.is_empty() => return Err(DAMAGED),
            Err(_) => report.warn(Warning::file(
                "the ZIP archive is damaged: what could be unpacked was read",
            )),
        }
        files.push(unpacked);
    }
    if files.len() > 1 {
        let what = format!(
            "{} files of the archive were read as one: lines and bytes count through all of them",
            files.len()
        );
        report.warn(Warning::file(what));
    }
    Ok(files)
}

const DAMAGED: ReadError = ReadError::Binary {
    what: "a damaged ZIP archive",
    hint: "give an undamaged copy",
};

/// The places of the files to read: the conversations of an export, the parts of a log, or the
/// only file that may be a transcript.
fn wanted(mut names: Vec<(String, usize)>) -> Result<Vec<usize>, ReadError> {
    names.retain(|(name, _)| !name.starts_with("__MACOSX/") && !name.ends_with('/'));
    names.sort();
    let those = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let found = names.iter().filter(|(name, _)| is_wanted(name));
        found.map(|(_, at)| *at).collect()
    };
    let exported = those(&is_export);
    if !exported.is_empty() {
        return Ok(exported);
    }
    let samples = those(&|name| name.starts_with("samples/") && name.ends_with(".json"));
    if !samples.is_empty() {
        let heads = ["header.json", "_journal/start.json"];
        let heads = heads.iter().flat_map(|head| those(&|name| name == *head));
        return Ok(heads.take(1).chain(samples).collect());
    }
    let others = those(&|name| ENDINGS.iter().any(|ending| name.ends_with(ending)));
    match others.as_slice() {
        [one] => Ok(vec![*one]),
        [] => Err(ReadError::Binary {
            what: "a ZIP archive without a transcript in it",
            hint: "give the file with the conversation",
        }),
        _ => Err(ReadError::Binary {
            what: "a ZIP archive with several files that may be transcripts",
            hint: "unpack it and give one of the files inside",
        }),
    }
}

/// `conversations.json`, or one of the numbered ones of a large account.
fn is_export(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    let Some(rest) = file
        .strip_prefix("conversations")
        .and_then(|rest| rest.strip_suffix(".json"))
    else {
        return false;
    };
    rest.is_empty()
        || rest
            .strip_prefix(['-', '_'])
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Several texts as one: lists become one list, others follow one another.
pub(crate) fn join(mut texts: Vec<String>) -> String {
    if texts.len() < 2 {
        return texts.pop().unwrap_or_default();
    }
    let inside = |text: &str| {
        let raw = Raw::parse(text).filter(|raw| raw.kind() == Kind::Array)?;
        let text = raw.text().strip_prefix('[')?.strip_suffix(']')?;
        Some(text.trim().to_owned())
    };
    let lists: Option<Vec<String>> = texts.iter().map(|text| inside(text.trim())).collect();
    match lists {
        Some(lists) => {
            let full: Vec<String> = lists.into_iter().filter(|list| !list.is_empty()).collect();
            format!("[{}]", full.join(",\n"))
        }
        None => texts.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted_of(names: &[&str]) -> Result<Vec<usize>, ReadError> {
        let names = names.iter().enumerate();
        wanted(names.map(|(at, name)| ((*name).into(), at)).collect())
    }

    #[test]
    fn the_files_that_are_a_transcript_are_found_among_others() {
        for (names, expected) in [
            (
                vec!["user.json", "conversations.json", "chat.html"],
                vec![1],
            ),
            (
                vec![
                    "x/conversations-001.json",
                    "x/conversations-000.json",
                    "x/conversations-old.json",
                ],
                vec![1, 0],
            ),
            (
                vec![
                    "samples/1_epoch_1.json",
                    "_journal/start.json",
                    "summaries.json",
                    "header.json",
                ],
                vec![3, 0],
            ),
            (
                vec!["samples/1_epoch_1.json", "_journal/start.json"],
                vec![1, 0],
            ),
            (
                vec!["__MACOSX/a.jsonl", "b/", "b/a.jsonl", "b/a.png"],
                vec![2],
            ),
        ] {
            assert_eq!(wanted_of(&names).unwrap(), expected, "{names:?}");
        }
        assert!(wanted_of(&["a.json", "b.json"]).is_err());
        assert!(wanted_of(&["a.png"]).is_err());
    }

    #[test]
    fn lists_become_one_list() {
        let join = |texts: &[&str]| join(texts.iter().map(|text| (*text).into()).collect());
        assert_eq!(join(&["[1, 2]\n", "[]", "[3]"]), "[1, 2,\n3]");
        assert_eq!(join(&["[1]", "{}"]), "[1]\n{}");
        assert_eq!(join(&["[1]"]), "[1]");
        assert_eq!(join(&[]), "");
    }
}
