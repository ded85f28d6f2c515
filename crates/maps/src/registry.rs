//! Registry of memory ranges that are mapped files. The signal handler reads it at any moment, so
//! it consists of atomics alone: blocks of slots that are added and never freed, each slot guarded
//! by a version that is odd while the slot changes.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, fence};

use parking_lot::Mutex;

const SLOTS_PER_BLOCK: usize = 256;

struct Block {
    slots: [Slot; SLOTS_PER_BLOCK],
    next: AtomicPtr<Block>,
}

struct Slot {
    version: AtomicU64,
    start: AtomicUsize,
    /// 0 in a free slot.
    length: AtomicUsize,
    /// Where to record that the map failed. Valid as long as the slot is taken.
    failed: AtomicPtr<AtomicU64>,
    number: AtomicU64,
}

static FIRST: AtomicPtr<Block> = AtomicPtr::new(ptr::null_mut());
static FREE: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());

/// A range that the signal handler knows until it ends.
pub(crate) struct Registration {
    slot: &'static Slot,
    is_open: bool,
}

impl Registration {
    /// Registers a range. `failed` must not move until the registration ends.
    pub fn new(range: &[u8], failed: &AtomicU64, number: u64) -> Self {
        let slot = take_slot();
        let failed = ptr::from_ref(failed).cast_mut();
        slot.write(range.as_ptr() as usize, range.len(), failed, number);
        Self { slot, is_open: true }
    }

    pub fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.slot.write(0, 0, ptr::null_mut(), 0);
            FREE.lock().push(self.slot);
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.end();
    }
}

impl std::fmt::Debug for Registration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registration").finish_non_exhaustive()
    }
}

fn take_slot() -> &'static Slot {
    let mut free = FREE.lock();
    if let Some(slot) = free.pop() {
        return slot;
    }
    let block: &'static Block = Box::leak(Box::new(Block::new()));
    // Under the lock of the free slots, so that no other block is added at the same time.
    block.next.store(FIRST.load(Ordering::Relaxed), Ordering::Relaxed);
    FIRST.store(ptr::from_ref(block).cast_mut(), Ordering::Release);
    let (first, others) = block.slots.split_first().expect("a block has slots");
    free.extend(others);
    first
}

impl Block {
    fn new() -> Self {
        Self {
            slots: std::array::from_fn(|_| Slot {
                version: AtomicU64::new(0),
                start: AtomicUsize::new(0),
                length: AtomicUsize::new(0),
                failed: AtomicPtr::new(ptr::null_mut()),
                number: AtomicU64::new(0),
            }),
            next: AtomicPtr::new(ptr::null_mut()),
        }
    }
}

impl Slot {
    /// Fills or clears the slot; only its owner calls this.
    fn write(&self, start: usize, length: usize, failed: *mut AtomicU64, number: u64) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        self.start.store(start, Ordering::Relaxed);
        self.length.store(length, Ordering::Relaxed);
        self.failed.store(failed, Ordering::Relaxed);
        self.number.store(number, Ordering::Relaxed);
        self.version.store(version + 2, Ordering::Release);
    }

    /// Records the failure if the address lies in this range. A slot that changes meanwhile cannot
    /// be that of the map being read: its owner is the reader.
    #[cfg(unix)]
    fn note_failure_at(&self, address: usize) -> bool {
        let version = self.version.load(Ordering::Acquire);
        let start = self.start.load(Ordering::Relaxed);
        let length = self.length.load(Ordering::Relaxed);
        let failed = self.failed.load(Ordering::Relaxed);
        let number = self.number.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let is_stable =
            version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version;
        if !is_stable || address.wrapping_sub(start) >= length {
            return false;
        }
        // SAFETY: the range holds the address that a thread is reading right now, so the map and
        // with it the registration are alive, and `failed` lives as long as they do.
        #[allow(unsafe_code)]
        let failed = unsafe { &*failed };
        // The first failure is the one to report.
        let _ = failed.compare_exchange(0, number, Ordering::AcqRel, Ordering::Acquire);
        true
    }
}

/// Records that the map with this address failed; false if no map has it. Called by the signal
/// handler: it takes no lock and allocates nothing.
#[cfg(unix)]
pub(crate) fn note_failure_at(address: usize) -> bool {
    let mut block = FIRST.load(Ordering::Acquire);
    while !block.is_null() {
        // SAFETY: blocks are leaked when they are added, so they live for ever.
        #[allow(unsafe_code)]
        let current = unsafe { &*block };
        if current.slots.iter().any(|slot| slot.note_failure_at(address)) {
            return true;
        }
        block = current.next.load(Ordering::Acquire);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn addresses_are_found_only_in_registered_ranges() {
        let bytes = vec![0_u8; 100];
        let address = bytes.as_ptr() as usize;
        // More than a block has.
        let failures: Vec<AtomicU64> = (0..600).map(|_| AtomicU64::new(0)).collect();
        let mut others: Vec<Registration> =
            failures.iter().map(|failed| Registration::new(&[], failed, 1)).collect();
        let failed = AtomicU64::new(0);
        let mut registration = Registration::new(&bytes, &failed, 7);
        assert!(!note_failure_at(address.wrapping_sub(1)) && !note_failure_at(address + 100));
        assert_eq!(failed.load(Ordering::Relaxed), 0);
        assert!(note_failure_at(address) && note_failure_at(address + 99));
        assert_eq!(failed.load(Ordering::Relaxed), 7);
        registration.end();
        others.clear();
        assert!(!note_failure_at(address));
    }
}
