//! Bounds for work that must not depend on the square of its input. They are in processor time of the
//! thread, which neither other work on the machine nor a pause of it makes longer.

use std::fs;
use std::time::{Duration, Instant};

/// Does work on this thread, and fails if it took the processor longer than `limit`.
#[track_caller]
pub fn takes_at_most<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    let (start, before) = (Instant::now(), processor_time());
    let outcome = work();
    // Without a figure of the system, elapsed time counts.
    let taken = before.zip(processor_time()).map(|(before, after)| after - before);
    let taken = taken.unwrap_or_else(|| start.elapsed());
    assert!(taken < limit, "{taken:?} of processor time, more than {limit:?}");
    outcome
}

/// Returns the processor time that this thread has used.
fn processor_time() -> Option<Duration> {
    let figures = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    figures.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
