//! Tells opened text files apart, for those who cache what they found in one. Names of files do not:
//! two indexes have the same ones, and a file that is built again may take the place of another.

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
