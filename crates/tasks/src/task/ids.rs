//! Numbers of tasks and batches.

/// Tasks are numbered from 0; no number is ever used twice.
pub type TaskUid = u32;
/// Batches have a sequence of their own, from 0.
pub type BatchUid = u32;
