//! The `columns` component of a segment: the attribute values that filters, facets and sorting
//! read. One file holds any number of columns, each with the values of one attribute.
//!
//! The values of a column have ordinals in one order: numbers by value, then strings by the bytes
//! of their normal form, so a comparison is a range of ordinals. Each is stored both ways: the
//! documents of every value, and the values of every document in a fixed width, which are counted
//! and compared without being decoded. `buffer` and `finish` write a file, `merge` merges several;
//! FORMAT.md has the byte diagrams.

mod buffer;
mod column;
mod count;
mod cursor;
mod documents;
mod finish;
mod folded;
mod format;
mod merge;
mod ordinals;
mod reader;
mod spelling;
mod string_writer;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use buffer::{BufferColumn, ColumnsBuffer};
pub use column::Column;
pub use cursor::{ValueCursor, Values};
pub use finish::finish;
pub use folded::FoldedDictionary;
pub use merge::{ColumnsMergeInput, merge};
pub use reader::{ColumnsReader, ColumnsSizes};
pub use spelling::Spelling;
pub use string_writer::Fold;

pub(crate) use format::KIND;
