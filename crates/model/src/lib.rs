//! Shared vocabulary of all crates: error codes, identifiers, limits, cancellation, and how times and
//! sizes are written. It knows no HTTP, no disk and no other crate of the project.

pub mod cancel;
pub mod code;
pub mod features;
pub mod format;
pub mod index_uid;
pub mod limits;
pub mod patch;
pub mod private;
pub mod secret;
pub mod size;
pub mod stored_secret;
pub mod timestamp;
pub mod unique;
pub mod url_secrets;

/// The interface version that this program implements, as its clients know it.
pub const INTERFACE_VERSION: &str = "1.50.0";

/// The special field of a document that has the vectors of its embedders.
pub const VECTORS_FIELD: &str = "_vectors";

pub use cancel::{Cancel, CancelCheck, Cancelled};
pub use code::{Code, ErrorClass, ErrorKind, ServiceError};
pub use features::Features;
pub use format::Format;
pub use index_uid::IndexUid;
pub use patch::Patch;
pub use secret::{Secret, is_redacted, redacted};
pub use unique::time_ordered_uuid;
pub use url_secrets::shown_url;
