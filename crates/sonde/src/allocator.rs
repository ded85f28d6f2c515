//! The allocator of the program.
//!
//! Indexing allocates and frees from several threads at once, where the allocator of the system is
//! slow and fragments, and mimalloc is neither. But mimalloc keeps freed memory for the next
//! allocation, so a server that has answered a few huge requests would hold hundreds of megabytes
//! while it is idle. Large blocks are therefore maps of their own: the system has their memory back
//! as soon as they are freed, and the kernel moves a list that grows instead of copying it.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;
use std::ptr::{self, null_mut};

use mimalloc::MiMalloc;
use rustix::mm::{MapFlags, MremapFlags, ProtFlags, mmap_anonymous, mremap, munmap};

pub struct Allocator;

/// Makes the C allocator, which zstd uses for its windows, map large blocks too. By default it
/// stops doing so for sizes that were freed before.
pub fn map_large_blocks_of_c() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets a number, before any other thread has started.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, C_LARGE);
    }
}

#[cfg(target_env = "gnu")]
const C_LARGE: libc::c_int = 1 << 20;

/// Blocks of this size and more are maps.
const LARGE: usize = 4 << 20;

/// Maps begin at a page, which is at least this large.
const PAGE: usize = 4096;

fn is_large(size: usize, align: usize) -> bool {
    size >= LARGE && align <= PAGE
}

/// Maps a block; returns null if the system is out of memory, as callers of an allocator expect.
fn map(size: usize) -> *mut u8 {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new map of memory, at an address that the kernel chooses.
    let mapped = unsafe { mmap_anonymous(null_mut(), size, access, MapFlags::PRIVATE) };
    mapped.map_or(null_mut(), <*mut c_void>::cast)
}

// SAFETY: whether a block is a map follows from its layout, which callers give back unchanged. Maps
// are page-aligned, hold at least `size` bytes, and are unmapped only here. Nothing panics.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            return map(layout.size());
        }
        // SAFETY: the contract of this function.
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            return map(layout.size());
        }
        // SAFETY: the contract of this function.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_large(layout.size(), layout.align()) {
            // SAFETY: `map` made it with this size. An error would only mean that it stays mapped.
            let _ = unsafe { munmap(block.cast(), layout.size()) };
            return;
        }
        // SAFETY: the contract of this function.
        unsafe { MiMalloc.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (old, align) = (layout.size(), layout.align());
        match (is_large(old, align), is_large(size, align)) {
            // SAFETY: the contract of this function.
            (false, false) => unsafe { MiMalloc.realloc(block, layout, size) },
            (true, true) => {
                // SAFETY: `map` made it with the old size, and the caller forgets the old address.
                let moved = unsafe { mremap(block.cast(), old, size, MremapFlags::MAYMOVE) };
                moved.map_or(null_mut(), <*mut c_void>::cast)
            }
            (true, false) | (false, true) => {
                // SAFETY: the caller vouches that the size is valid for the alignment.
                let wanted = unsafe { Layout::from_size_align_unchecked(size, align) };
                // SAFETY: the two blocks are different, and each has at least the smaller size.
                unsafe {
                    let moved = self.alloc(wanted);
                    if !moved.is_null() {
                        ptr::copy_nonoverlapping(block, moved, old.min(size));
                        self.dealloc(block, layout);
                    }
                    moved
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_bytes_as_they_grow_and_shrink() {
        let mut bytes: Vec<u8> = Vec::new();
        let sizes = [1000, LARGE - 1, LARGE, 3 * LARGE, 40 * LARGE];
        for size in sizes.into_iter().chain(sizes.into_iter().rev()) {
            for number in bytes.len()..size {
                bytes.push((number % 251) as u8);
            }
            bytes.truncate(size);
            bytes.shrink_to_fit();
            assert!(bytes.iter().zip(0..).all(|(&byte, number)| byte == (number % 251) as u8));
        }
    }

    #[test]
    fn large_blocks_are_zeroed_and_aligned_as_asked() {
        for (size, align) in [(LARGE, 1), (LARGE + 1, PAGE), (LARGE, 4 * PAGE), (64, 64)] {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the block is used within its size and freed with its layout.
            unsafe {
                let block = Allocator.alloc_zeroed(layout);
                assert!(!block.is_null() && block.addr().is_multiple_of(align));
                assert!((0..size).all(|at| *block.add(at) == 0));
                Allocator.dealloc(block, layout);
            }
        }
    }

    #[test]
    fn more_than_the_system_has_is_refused() {
        let layout = Layout::from_size_align(1 << 60, 1).unwrap();
        // SAFETY: nothing is done with the block.
        assert!(unsafe { Allocator.alloc(layout) }.is_null());
    }
}
