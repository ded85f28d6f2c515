//! The integration tests of telemetry, in one executable: each module is a suite, and
//! `cargo test -p telemetry --test it collector::` runs one of them.

mod support;

mod collector;
