//! The integration tests of the queue, in one executable: each module is a suite, and
//! `cargo test -p tasks --test it batches::` runs one of them.

mod support;

mod batches;
mod cancel_and_delete;
mod delivery;
mod durability;
mod full_disk;
mod history;
mod lanes;
mod lists;
mod model;
mod payloads;
mod restorer;
mod tasks_and_details;
