//! Vector files: written once by a commit or a merge, front to back, and then only read.
//!
//! A file has rows, one per vector, and the documents that own them. It also lists the documents
//! that lost their vectors with it, so the state of a store follows from its files in order and
//! from nothing else.

pub mod format;
mod reader;
mod verify;
mod writer;

pub use reader::VectorFile;
pub use writer::{VectorFileEnd, VectorFileWriter};
