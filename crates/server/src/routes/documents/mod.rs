//! The routes of `/indexes/{uid}/documents`.

pub mod add;
pub mod delete;
pub mod edit;
pub mod read;

use deserr::Deserr;
use model::{Code, ServiceError};

use crate::http::query::QueryError;
use crate::http::refused::query_code;

/// The one parameter of routes that only enqueue.
#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
pub(super) struct Metadata {
    #[deserr(default, error = query_code!(InvalidIndexCustomMetadata))]
    pub custom_metadata: Option<String>,
}

fn empty_filter() -> ServiceError {
    ServiceError::new(Code::InvalidDocumentFilter, "Sending an empty filter is forbidden.")
}
