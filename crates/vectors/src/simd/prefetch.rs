//! Prefetches memory. Rows of neighbours are scattered; fetching them one after the other while
//! sums wait is what a search would spend most of its time on.

#![allow(unsafe_code)]

/// Cache lines to prefetch; the processor continues by itself from there.
const LINES: usize = 4;
const LINE_LENGTH: usize = 64;

/// Hints that this memory will be read soon; has no other effect.
#[inline]
pub fn prefetch<T>(memory: &[T]) {
    for line in memory.chunks(LINE_LENGTH / size_of::<T>()).take(LINES) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the address is that of a live slice, and prefetching reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast::<i8>()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = line;
    }
}
