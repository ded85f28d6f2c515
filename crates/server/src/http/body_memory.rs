//! A memory budget shared by running requests. Limits bound each request alone; the budget keeps
//! many large ones together from exceeding the memory of the machine.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes that one semaphore permit stands for.
const UNIT: u64 = 1024;

/// Bytes that each request may use for free, so that small ones do not touch the shared semaphore.
pub const FREE: u64 = 16 * 1024;

#[derive(Debug, Clone)]
pub struct BodyMemoryBudget {
    units: Arc<Semaphore>,
    all: u32,
    /// The command-line option that sets the budget.
    pub option: &'static str,
}

/// A reservation of memory, returned to the budget on drop.
#[derive(Debug, Default)]
pub struct BodyMemory {
    permit: Option<OwnedSemaphorePermit>,
    bytes: u64,
}

impl BodyMemoryBudget {
    pub fn of(bytes: u64, option: &'static str) -> Self {
        let all = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let units = usize::try_from(all).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self { units: Arc::new(Semaphore::new(units)), all, option }
    }

    /// Grows `taken` to cover `bytes` in all; false if too little is left. A request larger than
    /// the whole budget may run when it is alone.
    pub fn cover(&self, taken: &mut BodyMemory, bytes: u64) -> bool {
        let wanted = self.units_of(bytes);
        let more = wanted.saturating_sub(self.units_of(taken.bytes));
        if more > 0 {
            let Ok(permit) = Arc::clone(&self.units).try_acquire_many_owned(more) else {
                return false;
            };
            match &mut taken.permit {
                Some(earlier) => earlier.merge(permit),
                first => *first = Some(permit),
            }
        }
        taken.bytes = taken.bytes.max(bytes);
        true
    }

    /// Reserves `bytes` at once.
    pub fn take(&self, bytes: u64) -> Option<BodyMemory> {
        let mut taken = BodyMemory::default();
        self.cover(&mut taken, bytes).then_some(taken)
    }

    fn units_of(&self, bytes: u64) -> u32 {
        let units = bytes.saturating_sub(FREE).div_ceil(UNIT);
        u32::try_from(units).unwrap_or(u32::MAX).min(self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_returned_when_the_request_ends() {
        let budget = BodyMemoryBudget::of(4 * FREE, "--room");
        let first = budget.take(4 * FREE).unwrap();
        let mut second = BodyMemory::default();
        assert!(budget.cover(&mut second, 2 * FREE));
        assert!(!budget.cover(&mut second, 3 * FREE));
        drop(first);
        assert!(budget.cover(&mut second, 3 * FREE));
    }

    #[test]
    fn small_requests_need_no_budget() {
        let budget = BodyMemoryBudget::of(0, "--room");
        assert!(budget.take(FREE).is_some());
        let budget = BodyMemoryBudget::of(FREE, "--room");
        let _all = budget.take(10 * FREE).unwrap();
        assert!(budget.take(FREE).is_some());
        assert!(budget.take(2 * FREE).is_none());
    }
}
