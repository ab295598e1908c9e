//! Costs of pictures.

use compaction_tokens::{Media, MediaCosts, anthropic_image, gemini_image, openai_image};

#[test]
fn an_image_costs_what_the_guides_say() {
    assert_eq!(openai_image(512, 512), 255);
    assert_eq!(openai_image(2_048, 768), 1_445);
    assert_eq!(openai_image(100_000, 37_500), 1_445);
    assert_eq!(anthropic_image(200, 200), 54);
    assert_eq!(anthropic_image(1_092, 1_092), 1_568);
    assert_eq!(gemini_image(384, 384), 258);
    assert_eq!(gemini_image(769, 1), 516);
}

#[test]
fn any_size_costs_something_and_overflows_nothing() {
    for (width, height) in [(0, 0), (1, 0), (1, 1), (u64::MAX, 1), (u64::MAX, u64::MAX)] {
        for tokens in [
            openai_image(width, height),
            anthropic_image(width, height),
            gemini_image(width, height),
        ] {
            assert!(tokens > 0, "{width} by {height}");
        }
    }
}

#[test]
fn the_fixed_cost_of_an_image_covers_the_largest_computed_ones() {
    let fixed = MediaCosts::DEFAULT.of(Media::Image);
    assert!(fixed >= openai_image(2_048, 768));
    assert!(fixed >= anthropic_image(10_000, 10_000));
    assert!((50..=10_000).contains(&fixed));
}
