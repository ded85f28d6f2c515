//! How much memory the bodies that are read and understood at the same time may take together.
//! Each alone is bounded by the payload limit; many large ones at once must not be more than the
//! machine has.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What each body may take without asking, and the steps in which it asks for more.
pub const STEP: usize = 256 * 1024;

/// As many bodies of the largest size have room at least.
const LARGEST_AT_ONCE: u64 = 4;

#[derive(Debug, Clone)]
pub struct Room {
    steps: Arc<Semaphore>,
}

/// Room that is given back when this is dropped.
#[derive(Debug, Default)]
pub struct Taken(Option<OwnedSemaphorePermit>);

impl Room {
    pub fn for_bodies_of(payload_limit: u64) -> Self {
        let steps = payload_limit.div_ceil(STEP as u64).saturating_mul(LARGEST_AT_ONCE);
        let steps = usize::try_from(steps).unwrap_or(usize::MAX);
        Self { steps: Arc::new(Semaphore::new(steps.min(Semaphore::MAX_PERMITS))) }
    }

    /// One step more; false when there is none left.
    pub fn take_more(&self, taken: &mut Taken) -> bool {
        let Ok(step) = Arc::clone(&self.steps).try_acquire_owned() else {
            return false;
        };
        match &mut taken.0 {
            Some(earlier) => earlier.merge(step),
            first => *first = Some(step),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_back() {
        let room = Room::for_bodies_of(1);
        let mut first = Taken::default();
        for _ in 0..4 {
            assert!(room.take_more(&mut first));
        }
        let mut second = Taken::default();
        assert!(!room.take_more(&mut second));
        drop(first);
        assert!(room.take_more(&mut second));
    }
}
