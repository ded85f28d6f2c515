//! The queue on disk: the tables of `meta.redb`, and payloads.

pub mod checked;
pub mod copy;
pub mod disk_space;
pub mod full_disk_retry;
pub mod instance_table;
pub mod live_database;
pub mod options;
pub mod outbox_tables;
pub mod payloads;
pub mod record;
pub mod record_bytes;
pub mod schema;
pub mod stash;
pub mod tables;
pub mod task_store;
pub mod upgrade;
