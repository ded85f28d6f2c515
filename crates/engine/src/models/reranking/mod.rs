//! Rerankers of indexes, ready to be used, and the one of the whole instance that personalizes
//! searches. What becomes of hits is the business of searches.

mod personalizer;
mod pool;

pub use personalizer::PersonalizationOptions;
pub(crate) use personalizer::Personalizer;
pub(crate) use pool::RerankerPool;
