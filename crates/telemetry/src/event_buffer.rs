//! Buffer for the events of requests. It has a fixed number of slots and never makes a request
//! wait: when it is full, events are lost.
//!
//! Waking a thread costs more than everything else here, so the thread that empties the slots is
//! woken only when half of them are taken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use time::OffsetDateTime;

use crate::event::Event;

pub(crate) const SLOTS: usize = 100;

#[derive(Debug)]
pub(crate) struct BufferedEvent {
    pub event: Event,
    pub agent: Option<Box<str>>,
    pub at: OffsetDateTime,
}

#[derive(Debug)]
pub(crate) struct EventBuffer {
    events: Mutex<Vec<BufferedEvent>>,
    lost: AtomicU64,
}

/// Fill level of the slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    Low,
    Half,
}

impl Default for EventBuffer {
    fn default() -> Self {
        Self { events: Mutex::new(Vec::with_capacity(SLOTS)), lost: AtomicU64::new(0) }
    }
}

impl EventBuffer {
    pub fn put(&self, noted: BufferedEvent) -> Fill {
        let mut events = self.lock();
        if events.len() >= SLOTS {
            self.lost.fetch_add(1, Ordering::Relaxed);
            return Fill::Low;
        }
        events.push(noted);
        if events.len() == SLOTS / 2 { Fill::Half } else { Fill::Low }
    }

    /// Swaps the events for an empty list, which the caller lends.
    pub fn take(&self, empty: &mut Vec<BufferedEvent>) {
        empty.clear();
        empty.reserve(SLOTS);
        std::mem::swap(&mut *self.lock(), empty);
    }

    /// Returns the number of lost events.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<BufferedEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::LAUNCHED;

    fn noted() -> BufferedEvent {
        let at = OffsetDateTime::UNIX_EPOCH;
        BufferedEvent { event: Event::new(&LAUNCHED), agent: None, at }
    }

    #[test]
    fn full_buffer_loses_events_and_wakes_once() {
        let buffer = EventBuffer::default();
        let asked = (0..150).filter(|_| buffer.put(noted()) == Fill::Half).count();
        assert_eq!((asked, buffer.lost()), (1, 50));
        let mut taken = Vec::new();
        buffer.take(&mut taken);
        assert_eq!(taken.len(), SLOTS);
        assert_eq!(buffer.put(noted()), Fill::Low);
        buffer.take(&mut taken);
        assert_eq!(taken.len(), 1);
    }
}
