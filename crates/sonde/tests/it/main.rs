//! The integration tests of the program, in one executable: each module is a suite, and
//! `cargo test -p sonde --test it catalogue::` runs one of them.

mod replay;
mod support;

mod catalogue;
mod cli;
mod conformance;
mod contract;
mod crash;
mod docs;
mod faults;
mod flood;
mod options;
mod search;
mod sharded;
mod snapshots;
mod soak;
mod start_from_dump;
mod startup;
mod telemetry;
mod tls;
mod traces;
mod vectors;
