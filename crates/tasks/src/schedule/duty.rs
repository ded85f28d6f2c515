//! The kinds of scheduler threads.

/// Selects the work a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    /// Everything, one batch after the other.
    All,
    Lanes,
    /// Indexes whose next batch is short, however busy the other threads are.
    Light,
    Global,
    Housekeeping,
}
