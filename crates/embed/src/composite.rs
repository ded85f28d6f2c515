//! Two embedders for one vector space: they have to agree, which three texts show.

use crate::error::{EmbedError, Problem};
use crate::input::Input;
use crate::part::Part;
use crate::remote::Attempts;

const TEXTS: [&str; 3] =
    ["test", "a brown dog", "This is a sample text. It is meant to compare similarity."];
const MAX_DISTANCE: f32 = 0.01;

pub(crate) fn check_dimensions(search: &Part, indexing: &Part) -> Result<(), EmbedError> {
    let (search, indexing) = (search.dimensions, indexing.dimensions);
    if search != indexing {
        return Err(Problem::CompositeDimensions { search, indexing }.into());
    }
    Ok(())
}

pub(crate) fn check_agreement(
    search: &Part,
    indexing: &Part,
    attempts: &Attempts<'_>,
) -> Result<(), EmbedError> {
    let texts = TEXTS.map(|text| Input::Text(text.to_owned()));
    let embed = |part: &Part, time| {
        let vectors = texts.iter().map(|text| part.embed_one(text, attempts));
        let vectors: Result<Vec<_>, EmbedError> = vectors.collect();
        vectors.map_err(|error| Problem::CompositeTest { time, error: Box::new(error) })
    };
    let (search, indexing) = (embed(search, "search")?, embed(indexing, "indexing")?);
    for (search, indexing) in search.iter().zip(&indexing) {
        let distance = distance(search, indexing);
        if distance > MAX_DISTANCE {
            return Err(Problem::CompositeDistance { distance, limit: MAX_DISTANCE }.into());
        }
    }
    Ok(())
}

/// That of search: from 0 for the same direction to 1 for the opposite.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let norms = norm(a) * norm(b);
    if norms == 0.0 { 0.0 } else { (1.0 - dot / norms) / 2.0 }
}
