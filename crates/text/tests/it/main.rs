//! The integration tests of words, in one executable: each module is a suite, and
//! `cargo test -p text --test it against_charabia::` runs one of them.

mod against_charabia;
mod japanese;
mod recorded;
mod rules;
