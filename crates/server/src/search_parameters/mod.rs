//! The parameters of searches: the table that defines each of them, the types of their values, and
//! the bodies and the query string that follow from the table.

#[macro_use]
mod macros;

pub mod body;
pub mod fusion;
mod in_query;
pub mod parameter;
pub mod table;
pub mod values;
