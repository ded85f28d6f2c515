//! The place where requests leave what they have to tell. It has a fixed number of slots and
//! never makes a request wait: who finds it full leaves nothing.
//!
//! Waking a thread costs more than everything else here, so whoever empties the slots is woken
//! only when half of them are taken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use time::OffsetDateTime;

use crate::kinds::Event;

pub(crate) const SLOTS: usize = 100;

#[derive(Debug)]
pub(crate) struct Note {
    pub event: Event,
    pub agent: Option<Box<str>>,
    pub at: OffsetDateTime,
}

#[derive(Debug)]
pub(crate) struct Inbox {
    notes: Mutex<Vec<Note>>,
    lost: AtomicU64,
}

/// Whether it is time to empty the slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    Low,
    Half,
}

impl Default for Inbox {
    fn default() -> Self {
        Self { notes: Mutex::new(Vec::with_capacity(SLOTS)), lost: AtomicU64::new(0) }
    }
}

impl Inbox {
    pub fn put(&self, note: Note) -> Fill {
        let mut notes = self.lock();
        if notes.len() >= SLOTS {
            self.lost.fetch_add(1, Ordering::Relaxed);
            return Fill::Low;
        }
        notes.push(note);
        if notes.len() == SLOTS / 2 { Fill::Half } else { Fill::Low }
    }

    /// Swaps what is there for an empty list, which the caller lends.
    pub fn take(&self, empty: &mut Vec<Note>) {
        empty.clear();
        empty.reserve(SLOTS);
        std::mem::swap(&mut *self.lock(), empty);
    }

    /// How many found all slots taken.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Note>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Happened;

    fn note() -> Note {
        let at = OffsetDateTime::UNIX_EPOCH;
        Note { event: Event::DumpCreated(Happened), agent: None, at }
    }

    #[test]
    fn a_full_inbox_loses_what_comes_and_asks_once_to_be_emptied() {
        let inbox = Inbox::default();
        let asked = (0..150).filter(|_| inbox.put(note()) == Fill::Half).count();
        assert_eq!((asked, inbox.lost()), (1, 50));
        let mut taken = Vec::new();
        inbox.take(&mut taken);
        assert_eq!(taken.len(), SLOTS);
        assert_eq!(inbox.put(note()), Fill::Low);
        inbox.take(&mut taken);
        assert_eq!(taken.len(), 1);
    }
}
