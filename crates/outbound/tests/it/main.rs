//! The integration tests of outgoing connections, in one executable: each module is a suite, and
//! `cargo test -p outbound --test it addresses::` runs one of them.

mod addresses;
mod background_task;
mod calls;
mod download;
mod stream;
