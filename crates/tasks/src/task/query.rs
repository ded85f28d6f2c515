//! Query for tasks or batches, and the page that answers it. The server parses request parameters;
//! here a missing filter is `None` and an empty list matches nothing.

use time::OffsetDateTime;

use super::ids::{BatchUid, TaskUid};
use super::task_type::{Status, TaskType};

/// Combined filters: any value inside one, all of them together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Most results; no limit when absent.
    pub limit: Option<u32>,
    /// First uid of the page; it goes down from there, or up when reversed.
    pub from: Option<u32>,
    /// Lowest uid first.
    pub reverse: bool,
    pub uids: Option<Vec<TaskUid>>,
    pub batch_uids: Option<Vec<BatchUid>>,
    pub canceled_by: Option<Vec<TaskUid>>,
    pub types: Option<Vec<TaskType>>,
    pub statuses: Option<Vec<Status>>,
    pub index_uids: Option<Vec<String>>,
    pub enqueued: DateBounds,
    pub started: DateBounds,
    pub finished: DateBounds,
}

/// Strict bounds: a date equal to one of them is outside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DateBounds {
    pub after: Option<OffsetDateTime>,
    pub before: Option<OffsetDateTime>,
}

impl DateBounds {
    pub fn is_unbounded(&self) -> bool {
        self.after.is_none() && self.before.is_none()
    }
}

/// Tells whether an index may be seen; absent when all may.
pub type Visibility<'a> = Option<&'a dyn Fn(&str) -> bool>;

/// One page of a list, as the wire has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub results: Vec<T>,
    /// Number of visible matches, regardless of the page.
    pub total: u64,
    pub limit: u32,
    pub from: Option<u32>,
    pub next: Option<u32>,
}
