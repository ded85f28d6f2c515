//! What is to be reached: the figures of the project's target table that these runs measure.
//!
//! Where a row is compared with something (a peer, the raw size), the target is the ratio;
//! otherwise it is the value in the row's own unit. Smaller is always better.

use serde::{Deserialize, Serialize};

/// The first figure to reach, and the one after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    pub first: f64,
    pub then: f64,
}

const fn target(first: f64, then: f64) -> Target {
    Target { first, then }
}

/// × tantivy.
pub const INDEXING_CPU: Target = target(2.0, 1.2);
/// × raw.
pub const DISK: Target = target(1.5, 1.0);
/// MB above the configured limit.
pub const MEMORY_ABOVE_LIMIT_MB: Target = target(300.0, 100.0);
/// ms, where a synced 4 KiB write takes no longer than [`SYNCED_WRITE_MS`].
pub const UPDATE_P50_MS: Target = target(25.0, 10.0);
pub const UPDATE_P99_MS: Target = target(80.0, 30.0);
pub const SYNCED_WRITE_MS: f64 = 3.0;
/// s, for 10,000 writes acknowledged and applied.
pub const ENQUEUE_S: Target = target(20.0, 5.0);
/// ms.
pub const STARTUP_MS: Target = target(300.0, 100.0);
