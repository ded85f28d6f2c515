//! The integration tests of embedders and rerankers, in one executable: each module is a suite, and
//! `cargo test -p embed --test it hosted::` runs one of them.

mod server;

mod hosted;
mod local_model;
mod queries;
mod rerank;
mod rest;
