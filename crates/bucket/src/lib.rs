//! Uploads large objects to S3-compatible storage. It knows nothing of their content.
//!
//! `rusty-s3` builds and signs requests without doing I/O, so they go through the one guarded
//! client like every other call. Libraries with their own HTTP, such as `object_store`, would
//! bypass it, and cannot set the lifetime of a signature, which operators choose.

mod answer;
mod credentials;
mod error;
mod options;
mod retry;
mod upload;

pub use error::BucketError;
pub use options::{Access, BucketOptions};
pub use upload::{Bucket, OnProgress};
