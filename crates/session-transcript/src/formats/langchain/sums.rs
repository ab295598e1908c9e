//! Values of chunks added up as LangChain does it: texts are joined, lists put behind each other or
//! joined by the `index` of their elements, objects added member by member, numbers summed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{self, Kind, Raw, quote};

/// How deep values are added up; what lies deeper is only compared.
const DEPTH: usize = 16;

/// Members whose texts say the same each time they are there.
const NAMES: [&str; 7] = [
    "id",
    "index",
    "name",
    "role",
    "output_version",
    "model_provider",
    "ls_provider",
];

/// What several values come to.
pub(super) enum Sum<'a> {
    Raw(Raw<'a>),
    Text(String),
    Number(i128),
    List(List<'a>),
    Object(Object<'a>),
}

/// Elements, and the place of the last one of each `index`.
#[derive(Default)]
pub(super) struct List<'a> {
    items: Vec<Sum<'a>>,
    places: BTreeMap<&'a str, usize>,
}

/// Members in their order.
#[derive(Default)]
pub(super) struct Object<'a> {
    members: Vec<(Cow<'a, str>, Sum<'a>)>,
    places: BTreeMap<Cow<'a, str>, usize>,
}

/// What is done about values that are there in two chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// They are pieces of one.
    Pieces,
    /// They are pieces of one, unless they are the same.
    Facts,
    /// They are numbers of each chunk.
    Counts,
    /// They are the same.
    Same,
}

/// Adds values up.
#[derive(Debug, Default)]
pub(super) struct Adder {
    /// How many values could not be added; the first one stays.
    pub(super) differing: usize,
}

impl Adder {
    /// Adds a member to an object.
    pub(super) fn member<'a>(
        &mut self,
        object: &mut Object<'a>,
        name: &str,
        raw: Raw<'a>,
        how: How,
    ) {
        self.member_at(object, name, raw, how, 0);
    }

    /// Adds an element to a list.
    pub(super) fn item<'a>(&mut self, list: &mut List<'a>, raw: Raw<'a>) {
        self.item_at(list, raw, 0);
    }

    /// Adds a content: a text, or a list of texts and blocks.
    pub(super) fn content<'a>(&mut self, sum: &mut Sum<'a>, raw: Raw<'a>) {
        sum.open();
        match (&mut *sum, raw.kind()) {
            (Sum::Text(text), Kind::Array) => {
                let mut list = List::default();
                if !text.is_empty() {
                    list.items.push(Sum::Text(std::mem::take(text)));
                }
                *sum = Sum::List(list);
                self.add(sum, "content", raw, How::Pieces, 0);
            }
            (Sum::List(list), Kind::String) => {
                let last = list.items.last_mut().filter(|last| last.is_text());
                match last {
                    Some(last) => self.add(last, "content", raw, How::Pieces, 0),
                    None if raw.as_str().is_none_or(|text| text.is_empty()) => {}
                    None => list.items.push(Sum::Raw(raw)),
                }
            }
            _ => self.add(sum, "content", raw, How::Pieces, 0),
        }
    }

    fn add<'a>(&mut self, sum: &mut Sum<'a>, name: &str, raw: Raw<'a>, how: How, depth: usize) {
        if raw.is_null() {
            return;
        }
        if let Sum::Raw(first) = sum {
            if first.is_null() {
                *sum = Sum::Raw(raw);
                return;
            }
            let is_same = first.text() == raw.text();
            if how == How::Same || depth > DEPTH {
                self.differing += usize::from(!is_same);
                return;
            }
        }
        sum.open();
        match (&mut *sum, raw.kind()) {
            (Sum::Text(text), Kind::String) => {
                let more = raw.as_str().unwrap_or_default();
                let stays = how == How::Facts || NAMES.contains(&name);
                if name != "type" && !(stays && *text == more) {
                    text.push_str(&more);
                }
            }
            (Sum::List(list), Kind::Array) => {
                for item in raw.items().unwrap_or_default() {
                    self.item_at(list, item, depth + 1);
                }
            }
            (Sum::Object(object), Kind::Object) => {
                for (name, value) in raw.members().unwrap_or_default().into_pairs() {
                    self.member_at(object, &name, value, how, depth + 1);
                }
            }
            (Sum::Number(number), Kind::Number) => {
                let more = raw.text().parse::<i128>().ok();
                match more.and_then(|more| Some((more, number.checked_add(more)?))) {
                    Some((more, _)) if *number == more && how != How::Counts => {}
                    Some((more, _)) if matches!(name, "index" | "created" | "timestamp") => {
                        *number = more;
                    }
                    Some((_, sum)) => *number = sum,
                    None => self.differing += 1,
                }
            }
            (Sum::Raw(first), _) if first.text() == raw.text() => {}
            _ => self.differing += 1,
        }
    }

    fn member_at<'a>(
        &mut self,
        object: &mut Object<'a>,
        name: &str,
        raw: Raw<'a>,
        how: How,
        depth: usize,
    ) {
        match object.member_mut(name) {
            Some(sum) => self.add(sum, name, raw, how, depth),
            None => object.push(Cow::Owned(name.into()), Sum::Raw(raw)),
        }
    }

    fn item_at<'a>(&mut self, list: &mut List<'a>, raw: Raw<'a>, depth: usize) {
        let Some(index) = index(raw) else {
            return list.items.push(Sum::Raw(raw));
        };
        let known = list.places.get(index).copied();
        let found = known.and_then(|at| list.items.get_mut(at));
        let id = raw.member_str("id").filter(|id| !id.is_empty());
        match found.filter(|sum| id.is_none() || sum.id().is_none_or(|known| Some(known) == id)) {
            Some(sum) => self.add(sum, "", raw, How::Pieces, depth),
            None => {
                list.places.insert(index, list.items.len());
                list.items.push(Sum::Raw(raw));
            }
        }
    }
}

/// What an element is joined by.
fn index(raw: Raw<'_>) -> Option<&str> {
    let index = raw.member("index")?;
    let is_one = match index.kind() {
        Kind::Number => true,
        Kind::String => index.text().starts_with("\"lc_"),
        _ => false,
    };
    is_one.then(|| index.text())
}

impl<'a> Sum<'a> {
    /// Makes something of a value that can be added to.
    fn open(&mut self) {
        let Self::Raw(raw) = self else {
            return;
        };
        let raw = *raw;
        *self = match raw.kind() {
            Kind::String => Self::Text(raw.as_str().unwrap_or_default().into_owned()),
            Kind::Array => {
                let mut list = List::default();
                for (at, item) in raw.items().unwrap_or_default().into_iter().enumerate() {
                    if let Some(index) = index(item) {
                        list.places.insert(index, at);
                    }
                    list.items.push(Self::Raw(item));
                }
                Self::List(list)
            }
            Kind::Object => {
                let mut object = Object::default();
                for (name, value) in raw.members().unwrap_or_default().into_pairs() {
                    object.push(name, Self::Raw(value));
                }
                Self::Object(object)
            }
            Kind::Number => match raw.text().parse() {
                Ok(number) => Self::Number(number),
                Err(_) => return,
            },
            Kind::Null | Kind::Bool => return,
        };
    }

    fn is_text(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Raw(raw) => raw.kind() == Kind::String,
            _ => false,
        }
    }

    fn id(&self) -> Option<Cow<'_, str>> {
        let id = match self {
            Self::Raw(raw) => raw.member_str("id"),
            Self::Object(object) => match object.get("id")? {
                Self::Raw(raw) => raw.as_str(),
                Self::Text(text) => Some(Cow::Borrowed(text.as_str())),
                _ => None,
            },
            _ => None,
        };
        id.filter(|id| !id.is_empty())
    }

    /// The sum as JSON.
    pub(super) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Raw(raw) => Cow::Borrowed(raw.text()),
            Self::Text(text) => Cow::Owned(quote(text)),
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::List(list) => Cow::Owned(json::array(list.texts())),
            Self::Object(object) => {
                let mut written = json::Object::new();
                for (name, sum) in object.iter() {
                    written.raw(name, &sum.to_text());
                }
                Cow::Owned(written.finish())
            }
        }
    }
}

impl<'a> List<'a> {
    /// The elements as JSON.
    pub(super) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.items.iter().map(Sum::to_text)
    }
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&Sum<'a>> {
        let at = self.places.get(name)?;
        self.members.get(*at).map(|(_, sum)| sum)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Sum<'a>)> {
        self.members.iter().map(|(name, sum)| (&**name, sum))
    }

    fn member_mut(&mut self, name: &str) -> Option<&mut Sum<'a>> {
        let at = self.places.get(name)?;
        self.members.get_mut(*at).map(|(_, sum)| sum)
    }

    fn push(&mut self, name: Cow<'a, str>, sum: Sum<'a>) {
        self.places.insert(name.clone(), self.members.len());
        self.members.push((name, sum));
    }
}
