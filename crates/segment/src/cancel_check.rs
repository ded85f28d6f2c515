//! Checks for cancellation during a merge: only now and then, since the check may be costly.

use crate::error::{Result, SegmentError};

/// Words, values or documents between two checks.
const STEPS_PER_CHECK: u32 = 1024;

pub(crate) struct CancelCheck<'s> {
    should_stop: &'s dyn Fn() -> bool,
    steps: u32,
}

impl<'s> CancelCheck<'s> {
    pub fn new(should_stop: &'s dyn Fn() -> bool) -> Self {
        Self { should_stop, steps: 0 }
    }

    /// Checks at the first step, and then now and then.
    #[inline]
    pub fn step(&mut self) -> Result<()> {
        let is_due = self.steps.is_multiple_of(STEPS_PER_CHECK);
        self.steps = self.steps.wrapping_add(1);
        if is_due && (self.should_stop)() { Err(SegmentError::Stopped) } else { Ok(()) }
    }
}
