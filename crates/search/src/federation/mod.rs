//! Federation: merges the results of several queries into one list. It knows hits only by their
//! sort keys and never looks inside them; it reads and writes no JSON.
//!
//! A *partial answer* is a list of hits in order: the results of one query, of the queries of one
//! index ([`merge_queries`]), or of another instance. For an answer of another instance, the caller
//! makes a [`Candidate`] of each hit from the data sent with it (sort keys, number, pin, values of
//! the distinct attribute), and passes the list to [`merge_answers`] beside those of the local
//! indexes. Pins are taken out of their lists and placed at the end, so an answer may have them
//! placed already.

mod distinct;
mod facets;
mod merge;
mod rules;

pub use distinct::{CountedDocuments, drop_duplicates, keep_chosen, list_contenders, values_of};
pub use facets::{FacetOrders, merge_facets};
pub use merge::{Candidate, MergedHits, merge_admitted, merge_answers, merge_queries};
pub use rules::{RuleSequence, SearchKind};

pub use crate::distinct::{Contenders, DistinctValue, choose};
pub use crate::sort_key::SortKey;
