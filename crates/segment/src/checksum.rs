//! Checksums of bytes on disk, constant for fuzzers, which would not get past a mismatch.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

pub fn of(bytes: &[u8]) -> u64 {
    if cfg!(fuzzing) { 0 } else { xxh3_64(bytes) }
}

/// Returns the checksum of bytes that come in pieces.
pub fn of_pieces(pieces: &Xxh3) -> u64 {
    if cfg!(fuzzing) { 0 } else { pieces.digest() }
}
