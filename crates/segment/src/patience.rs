//! Whether to go on with a merge: asked now and then, since the answer may cost something.

use crate::error::{Result, SegmentError};

/// Words, values or documents between two questions.
const STEPS_PER_QUESTION: u32 = 1024;

pub(crate) struct Patience<'s> {
    should_stop: &'s dyn Fn() -> bool,
    steps: u32,
}

impl<'s> Patience<'s> {
    pub fn new(should_stop: &'s dyn Fn() -> bool) -> Self {
        Self { should_stop, steps: 0 }
    }

    /// Asks at the first step, and then now and then.
    #[inline]
    pub fn step(&mut self) -> Result<()> {
        let is_due = self.steps.is_multiple_of(STEPS_PER_QUESTION);
        self.steps = self.steps.wrapping_add(1);
        if is_due && (self.should_stop)() { Err(SegmentError::Stopped) } else { Ok(()) }
    }
}
