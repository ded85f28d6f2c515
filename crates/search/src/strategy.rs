//! The matching strategies.

use serde::Serialize;

/// The matching strategy: which terms a document may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    #[default]
    Last,
    All,
    Frequency,
    /// An extension of the reference: one term is enough.
    Any,
}
