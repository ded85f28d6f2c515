//! Counts allocations, so that a target can assert what its subject costs. Work that is not linear
//! in the input allocates more than linearly too: tables of distances, copies, grown lists.
//!
//! The counts are those of the whole process, because a subject may use threads of its own.

#![allow(unsafe_code, reason = "an allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// For `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Most bytes that were allocated at the same time, beyond those from before.
    pub peak: usize,
    /// Bytes that were allocated in all, also those given back meanwhile.
    pub total: usize,
    /// How often something was allocated.
    pub count: usize,
}

/// Runs the subject and counts. One at a time: two that overlap count each other's.
pub fn measured<T>(subject: impl FnOnce() -> T) -> (T, Cost) {
    let live = LIVE.load(Relaxed);
    let (total, count) = (TOTAL.load(Relaxed), COUNT.load(Relaxed));
    PEAK.store(live, Relaxed);
    let result = subject();
    let cost = Cost {
        peak: PEAK.load(Relaxed).saturating_sub(live),
        total: TOTAL.load(Relaxed) - total,
        count: COUNT.load(Relaxed) - count,
    };
    (result, cost)
}

fn taken(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
    TOTAL.fetch_add(bytes, Relaxed);
    COUNT.fetch_add(1, Relaxed);
}

fn given_back(bytes: usize) {
    LIVE.fetch_sub(bytes, Relaxed);
}

// SAFETY: every call goes to the allocator of the system unchanged; only numbers are added here.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller keeps to the contract of this very function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: the caller keeps to the contract of this very function.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Old and new exist together while bytes are copied.
        taken(size);
        // SAFETY: the caller keeps to the contract of this very function.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        given_back(layout.size());
        moved
    }
}
