//! Checksums of bytes on disk. A fuzzer would get no further than the first that does not match:
//! under one they are all alike, so that it reaches what lies behind them.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

pub fn of(bytes: &[u8]) -> u64 {
    if cfg!(fuzzing) { 0 } else { xxh3_64(bytes) }
}

/// The same for bytes that come piece by piece.
pub fn of_pieces(pieces: &Xxh3) -> u64 {
    if cfg!(fuzzing) { 0 } else { pieces.digest() }
}
