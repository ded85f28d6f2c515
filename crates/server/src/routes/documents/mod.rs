//! The routes of `/indexes/{uid}/documents`.

pub mod add;
pub mod delete;
pub mod edit;
pub mod read;
pub mod selection;

use deserr::Deserr;

use crate::http::query::QueryError;
use crate::http::refused::query_code;

/// The one parameter of routes that only enqueue.
#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
struct Metadata {
    #[deserr(default, error = query_code!(InvalidIndexCustomMetadata))]
    custom_metadata: Option<String>,
}
