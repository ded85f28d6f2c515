//! The matching strategies.

/// The matching strategy: which terms a document may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    #[default]
    Last,
    All,
    Frequency,
    /// An extension of the reference: one term is enough.
    Any,
}
