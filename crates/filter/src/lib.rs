//! The filter and sort grammar: text in, syntax tree out. It knows neither settings nor documents.
//!
//! Errors that follow from the text alone are detected here, down to the wording of the messages;
//! the evaluation of the tree decides whether an attribute is filterable, and what matches. The
//! tokens of the tree keep their places so that those errors, too, can point at the text.

mod allowance;
mod canonical;
mod condition;
mod coordinates;
mod cursor;
mod error;
mod escapes;
mod features;
mod filter;
mod foreign;
mod geo;
mod json;
mod operation;
mod parser;
mod shards;
mod sort;
mod syntax_error;
mod token;
mod values;
mod vectors;

pub use condition::{
    Condition, Operator, ShardCondition, ShardOperator, VectorCondition, VectorKind,
};
pub use coordinates::{CoordinateError, check_latitude, check_longitude};
pub use error::{FilterError, SortError};
pub use filter::Filter;
pub use foreign::{FOREIGN_REFUSED, Foreign};
pub use sort::{Order, SortItem, parse_sort};
pub use token::Token;
