//! Reads JSON text in place, without building values: a scanner that validates, the walk over the
//! leaves of a document, strings without their escapes, and the end of a value in text that comes
//! in pieces.
//!
//! Every document passes through here on its way in, so nothing is allocated per value, and the
//! callbacks of callers are compiled into the loops.

mod scanner;
mod string;
mod value_end;
mod walk;

pub use scanner::{MAX_LEVELS, ScanError, Scanner, Value};
pub use string::{JsonString, unquoted};
pub use value_end::ValueEnd;
pub use walk::{Visitor, Walk};
