//! The integration tests of one index, in one executable: each module is a suite, and
//! `cargo test -p index --test it columns::` runs one of them.

mod support;

mod columns;
mod commits;
mod crashes;
mod faults;
mod merges;
mod numbers;
mod places;
mod random_columns;
mod random_operations;
mod random_settings;
mod scale;
mod settings_changes;
mod vectors;
mod words;
