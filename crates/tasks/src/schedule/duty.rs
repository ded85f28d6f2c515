//! The duties of threads.

/// What a thread takes care of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    /// Everything, one batch after the other.
    All,
    Lanes,
    /// Indexes whose next batch is soon done, however busy the other threads are.
    Light,
    Global,
    Housekeeping,
}
