//! Shared by all modules: errors of the engine, counters, pages of lists.

pub mod batch_error;
pub mod counters;
pub mod error;
pub mod page;
pub mod raw_members;
pub mod search_access;
mod search_failure;

pub use search_failure::{
    documents_failure, inside_query, search_failure, search_failure_in, similar_failure,
    suggest_failure,
};
pub use transfer::failure;
