//! Existing vectors of a document with their inputs, so that unchanged inputs are not embedded
//! again. A text has one vector, which is kept or not; only fragments change one by one.

use embed::{Input, Inputs};
use index::{DocId, EmbedderVectors};
use model::ServiceError;

use crate::common::failure::index_failure;

#[derive(Debug, Default)]
pub(crate) struct KnownVectors(Vec<(Input, Vec<f32>)>);

impl KnownVectors {
    /// Pairs the vectors with the inputs they were made from. Empty if they do not match one to
    /// one: the user may have given them.
    pub fn of(
        vectors: &EmbedderVectors,
        doc_id: DocId,
        inputs: Option<Inputs>,
    ) -> Result<Self, ServiceError> {
        let has = vectors.fragments().filter(|(_, documents)| documents.contains(doc_id));
        let names: Vec<&str> = has.map(|(name, _)| name).collect();
        let inputs = inputs.unwrap_or_default();
        // The index orders fragments by name, inputs by creation.
        let mut made_of: Vec<&str> = inputs.iter().filter_map(Input::fragment).collect();
        made_of.sort_unstable();
        if names.is_empty() || names != made_of {
            return Ok(Self::default());
        }
        let kept = vectors.store().vectors_of(doc_id);
        let kept = kept.map_err(index_failure)?;
        match kept.len() == inputs.len() {
            true => Ok(inputs.into_iter().zip(kept).collect()),
            false => Ok(Self::default()),
        }
    }

    pub fn get(&self, input: &Input) -> Option<&[f32]> {
        let known = self.0.iter().find(|(known, _)| known == input);
        known.map(|(_, vector)| vector.as_slice())
    }
}

impl FromIterator<(Input, Vec<f32>)> for KnownVectors {
    fn from_iter<I: IntoIterator<Item = (Input, Vec<f32>)>>(known: I) -> Self {
        Self(known.into_iter().collect())
    }
}
