//! Turns documents and queries into vectors: the providers an embedder can have, called in batches,
//! with retries, against a deadline. A [`Reranker`] scores documents against a query with the same
//! kinds of providers.
//!
//! An [`Embedder`] is built from its settings. It knows no index and no HTTP route; calls go out
//! through [`outbound`], and [`template`] renders their bodies.

mod cache;
mod callbacks;
mod composite;
mod embedder;
mod error;
mod input;
mod local;
mod options;
mod provider;
mod remote;
mod requests;
mod rerank;
mod vector_source;

pub use callbacks::EmbedCallbacks;
pub use embedder::Embedder;
pub use error::{EmbedError, ErrorOrigin};
pub use input::{Input, Inputs, QueryInput};
pub use options::{FailureModes, Options};
pub use requests::Requests;
pub use rerank::{RerankError, RerankLimits, Reranker};
