//! Vectors of documents: those that documents bring, those that providers make, and the changes to
//! both by documents and settings.
//!
//! The text of a stored document never holds the vectors of an embedder. They are taken out when it
//! arrives, go to the store of that embedder, and are put back when the embedder is removed.

mod decision;
mod distinct;
mod failure;
mod generation;
mod inputs;
mod known;
mod missing;
mod pool;
mod settings_change;
mod shown;
mod writing;

pub(crate) use failure::embedding_failure;
pub(crate) use inputs::SearchableFields;
pub(crate) use pool::EmbedderPool;
pub(crate) use settings_change::EmbeddersChange;
pub(crate) use shown::{ShownData, add_vectors};
pub(crate) use writing::{DocumentCheck, VectorWriter, names_index};
