//! A small table from word to token count, of fixed size.

/// Remembers the token counts of short words.
///
/// A word has one place, given by its hash, and the newest word wins it: there is nothing to
/// evict and the table never grows over [`PLACES`] entries of 32 bytes.
#[derive(Debug)]
pub(crate) struct Cache {
    places: Vec<Place>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    word: Word,
    count: u32,
}

/// A word of at most [`LONGEST`] bytes, padded with zeros, its length in the last byte.
type Word = [u64; 3];

impl Cache {
    /// An empty table. Its memory is taken at the first word.
    pub(crate) const fn new() -> Self {
        Self { places: Vec::new() }
    }

    /// The count of the word that is the first `length` bytes of `text`, asked for only when it is
    /// not known.
    #[inline]
    pub(crate) fn count(&mut self, text: &[u8], length: usize, ask: impl FnOnce() -> usize) -> u64 {
        let Some(key) = key(text, length) else {
            return ask().try_into().unwrap_or(u64::MAX);
        };
        if self.places.is_empty() {
            self.places.resize(PLACES, Place::default());
        }
        let Some(place) = self.places.get_mut(place_of(&key)) else {
            return ask().try_into().unwrap_or(u64::MAX);
        };
        if place.word != key {
            // A word of so few bytes never has more tokens than fit here.
            *place = Place {
                word: key,
                count: ask().try_into().unwrap_or(u32::MAX),
            };
        }
        u64::from(place.count)
    }
}

const LONGEST: usize = 23;
const PLACES: usize = 1 << BITS;
const BITS: u32 = 13;

#[inline]
fn key(text: &[u8], length: usize) -> Option<Word> {
    let tag = u8::try_from(length).ok().filter(|_| length <= LONGEST)?;
    let bytes = match text.first_chunk::<24>() {
        Some(bytes) => *bytes,
        None => {
            let mut bytes = [0; 24];
            bytes.get_mut(..text.len())?.copy_from_slice(text);
            bytes
        }
    };
    let (parts, _) = bytes.as_chunks::<8>();
    let [a, b, c] = *parts else { return None };
    Some([
        u64::from_le_bytes(a) & low_bytes(length),
        u64::from_le_bytes(b) & low_bytes(length.saturating_sub(8)),
        u64::from_le_bytes(c) & low_bytes(length.saturating_sub(16)) | (u64::from(tag) << 56),
    ])
}

/// A mask of the lowest bytes, all of them from eight on.
#[inline]
fn low_bytes(count: usize) -> u64 {
    match count {
        0 => 0,
        1..=7 => (1 << (8 * count)) - 1,
        _ => u64::MAX,
    }
}

#[inline]
fn place_of(key: &Word) -> usize {
    let [a, b, c] = *key;
    let mixed = a.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ b.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ c.wrapping_mul(0x1656_67b1_9e37_79f9);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> (64 - BITS)).unwrap_or(0)
}
