//! Decides what happens to a document's vectors of one embedder, from what the document says and
//! what is stored.

use document::GivenVectors;
use index::VectorOrigin;

#[derive(Debug, PartialEq)]
pub(crate) enum Decision {
    /// Store these vectors.
    Set(Vec<Vec<f32>>, VectorOrigin),
    /// Change nothing.
    Keep,
    /// Embed the document.
    Generate,
    /// Embed the document if the embedder's inputs changed.
    GenerateIfChanged,
}

/// Given by the user, and kept.
pub(crate) const GIVEN: VectorOrigin = VectorOrigin { given: true, regenerate: false };
/// Generated from the document, whenever it changes.
pub(crate) const GENERATED: VectorOrigin = VectorOrigin { given: false, regenerate: true };

/// Decides for one embedder. `known` is none for a new document.
pub(crate) fn decide(given: Option<GivenVectors>, known: Option<VectorOrigin>) -> Decision {
    match (given, known) {
        (Some(GivenVectors { regenerate, embeddings: Some(embeddings) }), _) => {
            Decision::Set(embeddings, VectorOrigin { given: true, regenerate })
        }
        (Some(GivenVectors { regenerate: true, embeddings: None }), _) | (None, None) => {
            Decision::Generate
        }
        (Some(GivenVectors { regenerate: false, embeddings: None }), None) => {
            Decision::Set(Vec::new(), GIVEN)
        }
        (Some(GivenVectors { regenerate: false, embeddings: None }), Some(_)) => Decision::Keep,
        (None, Some(VectorOrigin { regenerate: true, .. })) => Decision::GenerateIfChanged,
        (None, Some(VectorOrigin { regenerate: false, .. })) => Decision::Keep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_vectors_decide_and_else_the_known_origin() {
        let said = |regenerate, embeddings: Option<&[f32]>| {
            let embeddings = embeddings.map(|vector| vec![vector.to_vec()]);
            Some(GivenVectors { regenerate, embeddings })
        };
        let set =
            |regenerate| Decision::Set(vec![vec![1.0]], VectorOrigin { given: true, regenerate });
        for (given, known, expected) in [
            (said(false, Some(&[1.0])), None, set(false)),
            (said(true, Some(&[1.0])), Some(GIVEN), set(true)),
            (said(true, None), Some(GIVEN), Decision::Generate),
            (said(true, None), None, Decision::Generate),
            (said(false, None), Some(GIVEN), Decision::Keep),
            (said(false, None), Some(GENERATED), Decision::Keep),
            (said(false, None), None, Decision::Set(vec![], GIVEN)),
            (None, None, Decision::Generate),
            (None, Some(GIVEN), Decision::Keep),
            (None, Some(GENERATED), Decision::GenerateIfChanged),
        ] {
            assert_eq!(decide(given.clone(), known), expected, "{given:?} {known:?}");
        }
    }
}
