//! The integration tests of stores of vectors, in one executable: each module is a suite, and
//! `cargo test -p vectors --test it changes::` runs one of them.

mod support;

mod changes;
mod clusters;
mod disk;
mod edges;
mod golden;
mod limited_memory;
mod regions;
mod store;
