//! The integration tests of the engine, in one executable: each module is a suite, and
//! `cargo test -p engine --test it chats::` runs one of them.

mod support;

mod chats;
mod compaction;
mod consistency;
mod damage;
mod damaged_records;
mod deletions;
mod dumps;
mod federation_model;
mod isolation;
mod languages;
mod model;
mod search_rules;
mod settings;
mod settings_model;
mod settings_progress;
mod snapshots;
