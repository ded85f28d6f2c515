//! Waiting for what another thread or process does. A test says what it waits for and never for how long:
//! the limit only ends a test that would hang, on a machine that may stop for seconds.

use std::fmt::Display;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest wait, after which a test fails.
pub const LIMIT: Duration = Duration::from_secs(180);

const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Waits until a condition holds. A test that waits in vain fails with `what`.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(|| if holds() { Ok(()) } else { Err(what) });
}

/// Waits until `look` gives a value. A test that waits in vain fails with the last state that it gave.
#[track_caller]
pub fn wait_for<T, S: Display>(look: impl FnMut() -> Result<T, S>) -> T {
    wait_within(LIMIT, look)
}

/// Waits as `wait_for` does, for work that may take longer than `LIMIT`.
#[track_caller]
pub fn wait_within<T, S: Display>(limit: Duration, mut look: impl FnMut() -> Result<T, S>) -> T {
    let start = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    loop {
        let state = match look() {
            Ok(value) => return value,
            Err(state) => state,
        };
        assert!(start.elapsed() < limit, "not within {limit:?}: {state}");
        sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 5 / 4);
    }
}
