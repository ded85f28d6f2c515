//! The envelope of lists that are cut by offset and limit.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct Envelope<T> {
    pub results: Vec<T>,
    pub offset: usize,
    pub limit: usize,
    pub total: usize,
}
