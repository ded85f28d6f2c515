//! Backups of the whole instance and their import: dumps, snapshots, exports to another instance.

pub mod dumps;
pub mod export;
pub mod leftovers;
pub mod meta_copy;
pub mod snapshots;
