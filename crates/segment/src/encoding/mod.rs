//! How things that several components have are put into bytes: dictionaries, lists of documents,
//! offsets, pages with checksums. None of it knows what it is used for.

pub mod dictionary;
pub mod dictionary_check;
pub mod members;
pub mod offsets;
pub mod pages;
pub mod postings;
pub mod prefix;
pub mod runs;
pub mod side_by_side;
pub mod stored_set;
pub mod trace;
pub mod tree;
pub mod union;
