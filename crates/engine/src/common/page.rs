//! A page of a list.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub results: Vec<T>,
    pub offset: usize,
    pub limit: usize,
    pub total: usize,
}
