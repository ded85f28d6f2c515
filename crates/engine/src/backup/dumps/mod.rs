//! Dumps: everything that an instance is, written down in a form that outlives versions of the
//! program, and instances made from it.
//!
//! A dump is of one moment. That is taken on the writer of the queue, where no write can come
//! between (`moment.rs`); from then on segments and bodies that are held are read while writes and
//! searches go on. What is in the archive says `crates/dump/FORMAT.md`.
//!
//! An import reads the archive through once before it makes anything, so that a damaged one leaves
//! no trace; then it fills a new data folder, which nobody opens before it is complete.

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
