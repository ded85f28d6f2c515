//! Lists that are cut by offset and limit: their envelope, and what indexes and workspaces are
//! asked for.

use deserr::Deserr;
use model::limits::DEFAULT_PAGE_LIMIT;
use serde::Serialize;

use crate::http::query::{Param, QueryError};
use crate::http::refused::query_code;

#[derive(Debug, Serialize)]
pub(crate) struct Envelope<T> {
    pub results: Vec<T>,
    pub offset: usize,
    pub limit: usize,
    pub total: usize,
}

/// Which part of a list is wanted. Its mistakes have the codes of lists of indexes.
#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
pub(crate) struct Window {
    #[deserr(default = Param(0), error = query_code!(InvalidIndexOffset))]
    pub offset: Param<usize>,
    #[deserr(default = Param(DEFAULT_PAGE_LIMIT), error = query_code!(InvalidIndexLimit))]
    pub limit: Param<usize>,
}
