//! Cancellation: the handle by which running work is asked to stop.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Steps between two checks of a [`CancelCheck`].
const STEPS_PER_CHECK: u32 = 1024;

/// Asks running work to stop. Clones share one state, which the work checks at its safe points.
#[derive(Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Default)]
struct State {
    is_cancelled: AtomicBool,
    /// Another reason to stop, checked while the flag is not set.
    condition: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

/// The work was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Release);
    }

    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Acquire)
            || self.0.condition.as_ref().is_some_and(|condition| condition())
    }

    /// Fails if the work was cancelled; use with `?` at safe points.
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Returns a handle that is cancelled with this one, or alone.
    pub fn child(&self) -> Self {
        self.or_when(|| false)
    }

    /// Returns a handle that is cancelled with this one, or alone, or once the condition holds.
    pub fn or_when(&self, condition: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let parent = self.clone();
        let condition = move || parent.is_cancelled() || condition();
        Self(Arc::new(State {
            is_cancelled: AtomicBool::new(false),
            condition: Some(Box::new(condition)),
        }))
    }

    /// Returns a handle that is cancelled at its n-th check, and the number of checks, for tests.
    #[doc(hidden)]
    pub fn at_check(number: usize) -> (Self, Arc<AtomicUsize>) {
        let checks = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&checks);
        let is_due = move || counted.fetch_add(1, Ordering::Relaxed) + 1 >= number;
        (Self::new().or_when(is_due), checks)
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

/// Checks for cancellation in a loop of small steps: at the first step, and then now and then.
#[derive(Debug)]
pub struct CancelCheck<'c> {
    cancel: &'c Cancel,
    steps: u32,
}

impl<'c> CancelCheck<'c> {
    pub fn new(cancel: &'c Cancel) -> Self {
        Self { cancel, steps: 0 }
    }

    #[inline]
    pub fn step(&mut self) -> Result<(), Cancelled> {
        let is_due = self.steps.is_multiple_of(STEPS_PER_CHECK);
        self.steps = self.steps.wrapping_add(1);
        if is_due { self.cancel.check() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_cancelled_together_and_children_alone() {
        let cancel = Cancel::new();
        let (clone, child) = (cancel.clone(), cancel.child());
        child.cancel();
        assert!(child.is_cancelled() && !cancel.is_cancelled());
        cancel.cancel();
        assert_eq!(clone.check(), Err(Cancelled));
        assert!(cancel.child().is_cancelled());
    }

    #[test]
    fn a_condition_cancels_only_its_own_handle() {
        let (cancel, other) = (Cancel::new(), Cancel::new());
        let either = {
            let other = other.clone();
            cancel.or_when(move || other.is_cancelled())
        };
        assert!(!either.is_cancelled());
        other.cancel();
        assert!(either.is_cancelled() && !cancel.is_cancelled());
    }

    #[test]
    fn steps_are_checked_at_the_first_and_then_now_and_then() {
        let cancel = Cancel::new();
        let mut check = CancelCheck::new(&cancel);
        assert!(check.step().is_ok());
        cancel.cancel();
        for _ in 1..STEPS_PER_CHECK {
            assert!(check.step().is_ok());
        }
        assert!(check.step().is_err());
        assert!(CancelCheck::new(&cancel).step().is_err());
    }
}
