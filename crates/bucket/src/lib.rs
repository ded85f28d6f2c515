//! Large objects to S3-compatible storage. It knows nothing of what they hold.
//!
//! Requests are made and signed by `rusty-s3`, which does no input or output of its own; so they
//! leave through the one guarded client like every other call. The libraries that bring their own
//! HTTP, `object_store` among them, would have to be kept from it, and have no place for the
//! lifetime of a signature, which operators set.

mod answer;
mod credentials;
mod error;
mod options;
mod retry;
mod upload;

pub use error::BucketError;
pub use options::{Access, BucketOptions};
pub use upload::{Bucket, UploadMonitor};
