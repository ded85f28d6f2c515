//! The `text` component of a segment: the words of its documents, the documents of each word, and
//! the words of every document in order.
//!
//! Posting lists have no positions. Everything that depends on positions (distance, attribute,
//! phrases, exactness) is read from the *token streams* of the few documents that still tie: a
//! stream has one number per word, the word's ordinal in byte order, so that a prefix is a range of
//! numbers. `buffer` and `finish` write a file, `merge` and `join` combine several; FORMAT.md has
//! the byte diagrams.

mod assemble;
mod buffer;
mod finish;
mod format;
mod frequent;
mod in_fields;
mod instance_id;
mod lengths;
mod merge;
mod occurrence;
mod pairs;
mod parts;
mod position;
mod prefix_unions;
mod prefixes;
mod reader;
mod token_row;
mod token_writer;
mod tokens;
mod verify;
mod word_documents;
mod word_list;
mod word_table;
mod word_writer;

#[cfg(test)]
mod tests;

pub use buffer::{BufferField, TextBuffer};
pub use finish::finish;
pub use format::{FIRST_WORD, FieldTotals, GAP, GAP_POSITIONS, LONGEST_WORD, SKIP, positions_of};
pub use instance_id::InstanceId;
pub use lengths::FieldLengths;
pub use merge::{TextMergeInput, TextPart, join, merge};
pub use occurrence::{FieldOccurrences, HIGHEST_FREQUENCY, Mark, MarkCursor, Occurrences};
pub use parts::{LATE, UnionPositions};
pub use position::{POSITION_BUCKETS, position_of, positions_in, rounded_position};
pub use reader::{TextReader, TextSizes};
pub use token_row::TokenRow;
pub use tokens::{DocumentTokens, FieldTokens, High, TokenCursor, Tokens};
pub use word_documents::WordDocuments;

pub(crate) use format::KIND;
pub(crate) use word_table::WordTable;
