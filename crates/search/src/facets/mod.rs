//! Facets: the document counts of the values of an attribute, the least and the greatest number
//! among these, and the search for values by their beginning.
//!
//! Every segment counts by the method that costs least there (`tally.rs`); the values of all
//! segments are then merged in their common order (`merge.rs`), and the values to show get the
//! spelling of a document (`spelling.rs`).

mod distribution;
mod find;
mod folding;
mod found;
mod frequent;
mod matcher;
mod merge;
mod patterns;
mod spelling;
mod tally;
#[cfg(test)]
mod tests;
mod united;

pub use distribution::{Facets, complete_distribution, distribution, frequent};
pub use find::{FacetQuery, search, search_all};
pub use found::{FacetDisplay, merge_found};
pub use patterns::{check, check_searchable, selected};
pub use united::unite;
