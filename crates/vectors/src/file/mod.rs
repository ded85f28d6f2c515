//! Files of vectors: written once by a commit or a merge, front to back, and then only read.
//!
//! A file has rows, one a vector, and the documents that own them. It also says which documents
//! lost their vectors with it, so that the state of a store follows from its files in their order
//! and from nothing else.

pub mod format;
mod reader;
mod verify;
mod writer;

pub use reader::VectorFile;
pub use writer::{VectorFileEnd, VectorFileWriter};
