//! Federation: what several queries found, merged into one list. It knows hits by what they are
//! compared by and never looks into them; it reads and writes no JSON.
//!
//! A *partial answer* is a list of hits in their order: what one query found, what the queries of
//! one index found together ([`merge_queries`]), or what another instance sent. Whoever gets an
//! answer from elsewhere makes a [`Candidate`] of each of its hits, from what the other instance
//! told of it (parts, number, pin, values of the distinct attribute), and hands the list to
//! [`merge_answers`] beside those of the indexes here. Pins are taken out of their lists and put
//! in their places at the end, so an answer may have them placed already.

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
