//! Retries within the time of a search: a user waits, so there are fewer attempts than for
//! documents.

use std::thread;
use std::time::{Duration, Instant};

use super::{RerankError, RerankLimits};

const ATTEMPTS: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const STOP_CHECK: Duration = Duration::from_millis(20);

/// A failed attempt.
pub(super) struct AttemptError {
    pub error: RerankError,
    /// The wait before the next attempt; none if a retry is useless.
    pub retry: Option<Retry>,
}

pub(super) enum Retry {
    Soon,
    /// After the time that the server asks for.
    After(Duration),
}

/// Calls `attempt`, which gets the remaining time, until it succeeds or retries end.
pub(super) fn run<T>(
    wait: RerankLimits<'_>,
    longest_pause: Duration,
    mut attempt: impl FnMut(Duration) -> Result<T, AttemptError>,
) -> Result<T, RerankError> {
    let mut made = 0;
    loop {
        if let Some(over) = wait.over() {
            return Err(over);
        }
        let left = wait.deadline.saturating_duration_since(Instant::now());
        let failed = match attempt(left) {
            Ok(done) => return Ok(done),
            Err(failed) => failed,
        };
        made += 1;
        let pause = match failed.retry {
            Some(_) if made >= ATTEMPTS => None,
            Some(Retry::Soon) => Some(FIRST_PAUSE * made),
            Some(Retry::After(asked)) => Some(asked.max(FIRST_PAUSE)),
            None => None,
        };
        let until = pause.map(|pause| Instant::now() + pause.min(longest_pause));
        let Some(until) = until.filter(|until| *until < wait.deadline) else {
            return Err(failed.error);
        };
        while !wait.cancel.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            thread::sleep(left.min(STOP_CHECK));
        }
    }
}
