//! A unique number of each opened text file, for use as a cache key. The name of a file is not
//! unique: two indexes use the same names, and a rebuilt file may reuse a name.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other reader of this process has or had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstanceId(u64);

impl InstanceId {
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
