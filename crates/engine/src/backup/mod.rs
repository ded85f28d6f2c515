//! The whole instance as files, and instances made from them: dumps, snapshots, exports to another
//! instance.

pub mod dumps;
pub mod export;
pub mod leftovers;
pub mod meta_copy;
pub mod snapshots;
