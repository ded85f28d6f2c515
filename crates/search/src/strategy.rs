//! The matching strategies.

/// Which terms a document may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    #[default]
    Last,
    All,
    Frequency,
    /// Not of the reference: one term is enough.
    Any,
}
