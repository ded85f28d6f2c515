//! Memory that requests under way share. Each request alone is bounded by its own limits; many
//! large ones at once must not take more than the machine has.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The unit in which memory is counted.
const UNIT: u64 = 1024;

/// Each request may take this much without asking, so that ordinary ones touch nothing shared.
pub const FREE: u64 = 16 * 1024;

#[derive(Debug, Clone)]
pub struct Room {
    units: Arc<Semaphore>,
    all: u32,
    /// Says how large the room is.
    pub option: &'static str,
}

/// Memory that is given back when this is dropped.
#[derive(Debug, Default)]
pub struct Taken {
    permit: Option<OwnedSemaphorePermit>,
    bytes: u64,
}

impl Room {
    pub fn of(bytes: u64, option: &'static str) -> Self {
        let all = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let units = usize::try_from(all).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self { units: Arc::new(Semaphore::new(units)), all, option }
    }

    /// Makes `taken` cover `bytes` in all; false when there is not enough left. A request that is
    /// larger than the whole room may run when it is alone.
    pub fn cover(&self, taken: &mut Taken, bytes: u64) -> bool {
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

    /// Memory for one purpose, taken at once.
    pub fn take(&self, bytes: u64) -> Option<Taken> {
        let mut taken = Taken::default();
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
    fn room_is_given_back_when_the_request_ends() {
        let room = Room::of(4 * FREE, "--room");
        let first = room.take(4 * FREE).unwrap();
        let mut second = Taken::default();
        assert!(room.cover(&mut second, 2 * FREE));
        assert!(!room.cover(&mut second, 3 * FREE));
        drop(first);
        assert!(room.cover(&mut second, 3 * FREE));
    }

    #[test]
    fn small_requests_need_no_room() {
        let room = Room::of(0, "--room");
        assert!(room.take(FREE).is_some());
        let room = Room::of(FREE, "--room");
        let _all = room.take(10 * FREE).unwrap();
        assert!(room.take(FREE).is_some());
        assert!(room.take(2 * FREE).is_none());
    }
}
