//! Rerankers of indexes, and the one of the whole instance that personalizes searches. The module
//! `search` applies them to hits.

mod personalizer;
mod pool;

pub use personalizer::PersonalizationOptions;
pub(crate) use personalizer::Personalizer;
pub(crate) use pool::RerankerPool;
