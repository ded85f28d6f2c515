//! Models, in this process or at a provider: embedders, which make vectors of documents and queries,
//! and rerankers, which score hits.

pub mod embedding;
pub mod render;
pub mod reranking;
