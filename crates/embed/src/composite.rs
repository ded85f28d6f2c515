//! Checks that two embedders share one vector space, by embedding three texts with both.

use crate::error::{EmbedError, InnerError};
use crate::input::Input;
use crate::remote::Attempts;
use crate::vector_source::VectorSource;

const TEXTS: [&str; 3] =
    ["test", "a brown dog", "This is a sample text. It is meant to compare similarity."];
const MAX_DISTANCE: f32 = 0.01;

pub(crate) fn check_dimensions(
    search: &VectorSource,
    indexing: &VectorSource,
) -> Result<(), EmbedError> {
    let (search, indexing) = (search.dimensions, indexing.dimensions);
    if search != indexing {
        return Err(InnerError::CompositeDimensions { search, indexing }.into());
    }
    Ok(())
}

pub(crate) fn check_agreement(
    search: &VectorSource,
    indexing: &VectorSource,
    attempts: &Attempts<'_>,
) -> Result<(), EmbedError> {
    let texts = TEXTS.map(|text| Input::Text(text.to_owned()));
    let embed = |source: &VectorSource, time| {
        let vectors = texts.iter().map(|text| source.embed_one(text, attempts));
        let vectors: Result<Vec<_>, EmbedError> = vectors.collect();
        vectors.map_err(|error| InnerError::CompositeTest { time, error: Box::new(error) })
    };
    let (search, indexing) = (embed(search, "search")?, embed(indexing, "indexing")?);
    for (search, indexing) in search.iter().zip(&indexing) {
        let distance = distance(search, indexing);
        if distance > MAX_DISTANCE {
            return Err(InnerError::CompositeDistance { distance, limit: MAX_DISTANCE }.into());
        }
    }
    Ok(())
}

/// Returns the distance as searches use it: from 0 for the same direction to 1 for the opposite.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let norms = norm(a) * norm(b);
    if norms == 0.0 { 0.0 } else { (1.0 - dot / norms) / 2.0 }
}
