//! Encodings shared by the components: dictionaries, posting lists, offsets, pages with checksums.
//! They do not know what they are used for.

pub mod dictionary;
pub mod dictionary_check;
pub mod dictionary_union;
pub mod members;
pub mod meta;
pub mod offsets;
pub mod pages;
pub mod postings;
pub mod prefix;
pub mod runs;
pub mod stored_set;
pub mod trace;
pub mod tree;
pub mod union;
