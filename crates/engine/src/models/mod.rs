//! Models, local or at a provider: embedders, which turn documents and queries into vectors, and
//! rerankers, which score hits.

pub mod embedding;
pub mod render;
pub mod reranking;
