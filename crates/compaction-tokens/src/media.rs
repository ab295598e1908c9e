//! What pictures, sound, films and files cost: a fixed number an item, never their encoded length.

/// A part of a message that is not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Media {
    /// A picture.
    Image,
    /// A recording.
    Audio,
    /// A film.
    Video,
    /// A document or any other file.
    File,
}

/// The tokens an item of each kind is taken to cost.
///
/// Providers charge by size, length or pages, which a log seldom knows; so these are fixed, and
/// the same for a thumbnail and a poster. They are set to rather too much than too little.
/// Where the size is known, [`openai_image`], [`anthropic_image`] and [`gemini_image`] compute.
///
/// ```
/// use compaction_tokens::{Media, MediaCosts};
///
/// assert_eq!(MediaCosts::default().of(Media::Image), 1_600);
/// let costs = MediaCosts { image: 258, ..MediaCosts::default() };
/// assert_eq!(costs.of(Media::Image), 258);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "settings, made by update of the default"
)]
pub struct MediaCosts {
    /// Tokens of a picture.
    pub image: u64,
    /// Tokens of a recording.
    pub audio: u64,
    /// Tokens of a film.
    pub video: u64,
    /// Tokens of a file.
    pub file: u64,
}

impl MediaCosts {
    /// Enough for most items with most providers.
    ///
    /// - image 1,600: the most an image costs with Claude up to Opus 4.6, and more than the 1,445
    ///   of the largest detailed one with GPT-4o;
    /// - audio 1,920: a minute with Gemini, at [`GEMINI_AUDIO_SECOND`];
    /// - video 15,780: a minute with Gemini, at [`GEMINI_VIDEO_SECOND`];
    /// - file 3,000: a dense page of a PDF with Claude, as Anthropic puts it at 1,500 to 3,000.
    pub const DEFAULT: Self = Self {
        image: 1_600,
        audio: 60 * GEMINI_AUDIO_SECOND,
        video: 60 * GEMINI_VIDEO_SECOND,
        file: 3_000,
    };

    /// The tokens of one item.
    pub const fn of(&self, media: Media) -> u64 {
        match media {
            Media::Image => self.image,
            Media::Audio => self.audio,
            Media::Video => self.video,
            Media::File => self.file,
        }
    }
}

impl Default for MediaCosts {
    /// [`MediaCosts::DEFAULT`].
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Tokens of a second of sound with Gemini, by Google's documentation on counting tokens.
pub const GEMINI_AUDIO_SECOND: u64 = 32;

/// Tokens of a second of film with Gemini, by the same documentation.
pub const GEMINI_VIDEO_SECOND: u64 = 263;

/// Tokens of a picture with GPT-4o in low detail, by OpenAI's guide to vision.
pub const OPENAI_LOW_DETAIL_IMAGE: u64 = 85;

/// Tokens of a picture of this many pixels with GPT-4o in high detail, by OpenAI's guide to vision.
///
/// The picture is fitted into 2,048 by 2,048, then shrunk until its short side is 768, and costs
/// 170 for each tile of 512 begun, and 85. Newer models count patches instead and differ.
///
/// ```
/// use compaction_tokens::openai_image;
///
/// assert_eq!(openai_image(1_024, 1_024), 765);
/// assert_eq!(openai_image(2_048, 4_096), 1_105);
/// assert_eq!(openai_image(100, 100), 255);
/// ```
pub fn openai_image(width: u64, height: u64) -> u64 {
    let (short, long) = (width.min(height), width.max(height));
    let (short, long) = shrink(short, long, long, 2_048);
    let (short, long) = shrink(short, long, short, 768);
    OPENAI_LOW_DETAIL_IMAGE + 170 * short.div_ceil(512).max(1) * long.div_ceil(512).max(1)
}

/// Tokens of a picture of this many pixels with Claude up to Opus 4.6, by Anthropic's guide to
/// vision.
///
/// A pixel costs 1/750 after the long side was shrunk to 1,568, at most 1,568 in all. Opus 4.7 and
/// later take up to 2,576 pixels and 4,784 tokens.
///
/// ```
/// use compaction_tokens::anthropic_image;
///
/// assert_eq!(anthropic_image(1_000, 1_000), 1_334);
/// assert_eq!(anthropic_image(4_000, 3_000), 1_568);
/// ```
pub fn anthropic_image(width: u64, height: u64) -> u64 {
    let (short, long) = (width.min(height), width.max(height));
    let (short, long) = shrink(short, long, long, 1_568);
    short.saturating_mul(long).div_ceil(750).clamp(1, 1_568)
}

/// Tokens of a picture of this many pixels with Gemini 2, by Google's documentation on counting
/// tokens: 258 for each tile of 768 begun, and for any picture within 384 by 384.
///
/// ```
/// use compaction_tokens::gemini_image;
///
/// assert_eq!(gemini_image(300, 300), 258);
/// assert_eq!(gemini_image(1_000, 700), 516);
/// ```
pub fn gemini_image(width: u64, height: u64) -> u64 {
    let tiles = width
        .div_ceil(768)
        .max(1)
        .saturating_mul(height.div_ceil(768).max(1));
    tiles.saturating_mul(258)
}

/// Two sides in the same proportion, so that `side`, one of them, is at most `most`.
fn shrink(short: u64, long: u64, side: u64, most: u64) -> (u64, u64) {
    if side <= most {
        return (short, long);
    }
    let fit = |length: u64| {
        let fitted = u128::from(length) * u128::from(most) / u128::from(side);
        u64::try_from(fitted).unwrap_or(u64::MAX)
    };
    (fit(short), fit(long))
}
