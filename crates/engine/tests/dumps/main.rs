//! Dumps, from an instance to an archive and from archives to instances.

#[path = "../support/mod.rs"]
mod support;

mod archive;
mod failures;
mod meilisearch;
mod round_trip;
