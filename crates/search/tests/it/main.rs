//! The integration tests of search, in one executable: each module is a suite, and
//! `cargo test -p search --test it examples::` runs one of them.

mod cases;
mod engine;
mod oracle;
mod support;

mod examples;
mod golden;
mod model;
mod older_files;
mod relevance;
mod values;
