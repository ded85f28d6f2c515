//! A slow, plain model of an index: the relevance rules of the specification written down as
//! directly as possible, to compare the engine with. It knows nothing of the engine.
//!
//! It is for Latin text and at most 64 documents. Where the reference engine has quirks that this
//! project leaves out, [`Artefacts`] chooses; the engine is compared with `Improved`, and the
//! model itself with recorded answers of the `Reference`.
//!
//! A search goes: `query` parses, `term` finds what each word stands for, `paths` lists the
//! interpretations, `ranking` applies the rules one after another, for which `rules` gives costs
//! and `buckets` the documents of each cost, and `details` turns ranks into scores.

mod buckets;
mod details;
mod distance;
mod doc_set;
mod exact_attribute;
mod fields;
mod index;
mod leaves;
mod nodes;
mod paths;
mod phrase;
mod proximity;
mod query;
mod ranking;
mod rules;
mod settings;
mod sort;
mod term;
mod text;

pub use details::Entry;
pub use index::ModelIndex;
pub use ranking::{Answer, Question};
pub use settings::{Artefacts, ModelSettings};

/// The terms that may be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dropping {
    #[default]
    Last,
    All,
    Frequency,
}
