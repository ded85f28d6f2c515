//! The routes of `/indexes/{uid}/documents`.

pub mod add;
pub mod delete;
pub mod edit;
pub mod read;

use deserr::Deserr;
use model::{Code, ServiceError};

use crate::http::field_error::query_code;
use crate::http::query::QueryError;

/// The only parameter of routes that just enqueue a task.
#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
pub(super) struct Metadata {
    #[deserr(default, error = query_code!(InvalidIndexCustomMetadata))]
    pub custom_metadata: Option<String>,
}

fn empty_filter() -> ServiceError {
    ServiceError::new(Code::InvalidDocumentFilter, "Sending an empty filter is forbidden.")
}
