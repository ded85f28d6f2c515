//! Dumps: all of an instance in a form that outlives versions of the program, and their import.
//!
//! A dump shows one consistent state. The view is taken on the writer of the queue, between two
//! writes (`view.rs`); afterwards the segments and bodies it holds are read while writes and
//! searches go on. `crates/dump/FORMAT.md` describes the archive.
//!
//! An import reads the archive once before it creates anything, so that a damaged one leaves no
//! trace; then it fills a new data folder, which cannot be opened before it is complete.

mod contents;
mod creation;
mod error;
mod import;
mod new_index;
mod new_instance;
mod options;
mod own;
mod v6;
mod view;
mod writing;

use dump::DumpError;
use model::ServiceError;

pub use import::import_dump;
pub(crate) use options::ImportOptions;

pub(crate) use creation::DumpMaker;

fn dump_failure(error: &DumpError) -> ServiceError {
    match error.as_io() {
        Some(source) => {
            let failure = ServiceError::from_io(source);
            ServiceError { message: error.to_string(), ..failure }
        }
        None => ServiceError::internal(error),
    }
}
