//! Reads the pages of `report`, strictly.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

/// An element as it was opened.
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Tag {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }
}

const VOID: [&str; 3] = ["meta", "input", "!doctype"];

/// Reads a page strictly: every element is closed where it should be, and every value is quoted.
#[track_caller]
fn parse(page: &str) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "a stray > in {:?}", &rest[..at]);
        rest = &rest[at + 1..];
        if let Some(end) = rest.strip_prefix('/') {
            let close = end.find('>').unwrap();
            assert_eq!(
                open.pop().as_deref(),
                Some(&end[..close]),
                "tags are nested"
            );
            rest = &end[close + 1..];
            continue;
        }
        let end = rest.find([' ', '>', '/']).unwrap();
        let name = rest[..end].to_owned();
        assert!(
            name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'!'),
            "<{name}"
        );
        rest = &rest[end..];
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start();
            if let Some(behind) = rest.strip_prefix('>') {
                rest = behind;
                if !VOID.contains(&name.as_str()) {
                    open.push(name.clone());
                }
                break;
            }
            if let Some(behind) = rest.strip_prefix("/>") {
                rest = behind;
                break;
            }
            let end = rest.find(['=', ' ', '>']).unwrap();
            let key = rest[..end].to_owned();
            rest = &rest[end..];
            let mut value = String::new();
            if let Some(quoted) = rest.strip_prefix("=\"") {
                let close = quoted.find('"').unwrap();
                value = quoted[..close].to_owned();
                rest = &quoted[close + 1..];
            }
            assert!(!value.contains(['<', '>']), "{key}={value}");
            attributes.push((key, value));
        }
        if name == "script" || name == "style" {
            let end = rest.find(&format!("</{name}>")).unwrap();
            rest = &rest[end..];
        }
        tags.push(Tag { name, attributes });
    }
    assert!(open.is_empty(), "{open:?} are never closed");
    tags
}

/// What each page must be, whatever is in it.
#[track_caller]
pub(crate) fn check_page(page: &str) -> Vec<Tag> {
    const ELEMENTS: &str = "!doctype html head meta title style body header h1 p bdi main section h2 h3 h4 table \
        thead tbody tr td th ul ol li label input span b i small figure svg a rect path figcaption article details \
        summary pre dl dt dd div form button output footer code script";
    const ATTRIBUTES: &str = "lang charset http-equiv content name dir class aria-labelledby aria-label aria-hidden \
        id scope type checked value viewBox preserveAspectRatio role href x y width height open title placeholder \
        autocomplete spellcheck data-fold hidden html d";
    let tags = parse(page);
    let known = |list: &str, name: &str| list.split_whitespace().any(|known| known == name);
    let mut ids = BTreeSet::new();
    for tag in &tags {
        assert!(known(ELEMENTS, &tag.name), "<{}>", tag.name);
        for (name, _) in &tag.attributes {
            assert!(known(ATTRIBUTES, name), "{name} of <{}>", tag.name);
        }
        if let Some(id) = tag.attribute("id") {
            assert!(ids.insert(id), "{id} is there twice");
        }
    }
    for tag in &tags {
        if let Some(href) = tag.attribute("href") {
            let target = href
                .strip_prefix('#')
                .expect("every link stays in the page");
            assert!(ids.contains(target), "{href} leads nowhere");
        }
    }
    let count = |name: &str| tags.iter().filter(|tag| tag.name == name).count();
    assert_eq!(
        (count("script"), count("style"), count("title")),
        (1, 1, 1 + count_of_svg_titles(page))
    );
    let policy = tags
        .iter()
        .find(|tag| tag.attribute("http-equiv") == Some("Content-Security-Policy"))
        .and_then(|tag| tag.attribute("content"))
        .expect("there is a policy");
    assert!(
        policy.starts_with("default-src &#39;none&#39;; style-src &#39;sha256-"),
        "{policy}"
    );
    for element in ["style", "script"] {
        let (_, content) = page.split_once(&format!("<{element}>")).unwrap();
        let (content, _) = content.split_once(&format!("</{element}>")).unwrap();
        let (_, named) = policy
            .split_once(&format!("{element}-src &#39;sha256-"))
            .unwrap();
        let (named, _) = named.split_once("&#39;").unwrap();
        assert_eq!(
            decoded(named),
            Sha256::digest(content).to_vec(),
            "{element}"
        );
    }
    for c in page.chars() {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(
            !turns && (!c.is_control() || c == '\n' || c == '\t'),
            "{c:?} is in the page"
        );
    }
    tags
}

/// The names of bars and turns in the picture are titles too.
fn count_of_svg_titles(page: &str) -> usize {
    page.matches("<title>").count() - 1
}

/// The elements of a class.
pub(crate) fn of_class<'a>(tags: &'a [Tag], class: &str) -> Vec<&'a Tag> {
    let has = |tag: &&Tag| {
        let classes = tag.attribute("class").unwrap_or_default();
        classes.split(' ').any(|own| own == class)
    };
    tags.iter().filter(has).collect()
}

/// What base64 stands for.
fn decoded(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.trim_end_matches('=').bytes().map(value).collect();
    let mut bytes = Vec::new();
    for four in digits.chunks(4) {
        let bits = four
            .iter()
            .fold(0_u32, |bits, digit| (bits << 6) | u32::from(*digit));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}
