//! Documents on their way into an index and out of it: as text with the names of their fields, or
//! whole, for dumps and for other members of a network; and what fails on the way, as users see it.

pub mod failure;
mod put_document;
mod reading;
mod whole_document;

pub use put_document::{note_fields, put_document};
pub use reading::for_each_document;
pub use whole_document::WholeDocument;
