//! Lists paged by offset and limit: the reply, and the parameters of indexes and workspaces.

use deserr::Deserr;
use model::limits::DEFAULT_PAGE_LIMIT;
use serde::Serialize;

use crate::http::field_error::query_code;
use crate::http::query::{Param, QueryError};

#[derive(Debug, Serialize)]
pub(crate) struct PageReply<T> {
    pub results: Vec<T>,
    pub offset: usize,
    pub limit: usize,
    pub total: usize,
}

/// Offset and limit of a list, with the error codes of indexes.
#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
pub(crate) struct PageParameters {
    #[deserr(default = Param(0), error = query_code!(InvalidIndexOffset))]
    pub offset: Param<usize>,
    #[deserr(default = Param(DEFAULT_PAGE_LIMIT), error = query_code!(InvalidIndexLimit))]
    pub limit: Param<usize>,
}
