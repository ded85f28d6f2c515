//! Indexes of the instance: registry, open indexes, damage, and background work on them.

pub mod background;
pub mod catalog;
pub mod damage;
pub mod fields;
pub mod list;
pub mod open_indexes;
pub mod registry;
pub mod stats;
pub mod work;

pub(crate) use catalog::Indexes;
pub use transfer::{put_document, register_fields};
pub use work::IndexWork;
