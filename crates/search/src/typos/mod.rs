//! Typos: how many a word may have, and which words of a dictionary are within that distance.

mod automaton;
mod budget;
mod fuzzy;

pub(crate) use budget::typo_budget;
pub(crate) use fuzzy::{FuzzyWord, Variants, is_number};
