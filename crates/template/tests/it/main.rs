//! The integration tests of templates, in one executable: each module is a suite, and
//! `cargo test -p template --test it bounds::` runs one of them.

mod bounds;
mod documents;
mod placeholders;
