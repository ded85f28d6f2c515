//! The integration tests of the grammar, in one executable: each module is a suite, and
//! `cargo test -p filter --test it bounds::` runs one of them.

mod bounds;
mod grammar;
mod properties;
mod recorded;
