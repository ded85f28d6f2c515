//! A few attempts within the time of a search: somebody waits for the answer, so there are fewer of
//! them than for documents.

use std::thread;
use std::time::{Duration, Instant};

use super::{RerankError, Wait};

const ATTEMPTS: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const STOP_CHECK: Duration = Duration::from_millis(20);

/// A failed attempt.
pub(super) struct Failed {
    pub error: RerankError,
    /// How long to wait before the next one. None: another attempt is of no use.
    pub again: Option<Again>,
}

pub(super) enum Again {
    Soon,
    /// When the server asks for it.
    After(Duration),
}

/// `attempt` is given the time that is left.
pub(super) fn run<T>(
    wait: Wait<'_>,
    longest_pause: Duration,
    mut attempt: impl FnMut(Duration) -> Result<T, Failed>,
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
        let pause = match failed.again {
            Some(_) if made >= ATTEMPTS => None,
            Some(Again::Soon) => Some(FIRST_PAUSE * made),
            Some(Again::After(asked)) => Some(asked.max(FIRST_PAUSE)),
            None => None,
        };
        let until = pause.map(|pause| Instant::now() + pause.min(longest_pause));
        let Some(until) = until.filter(|until| *until < wait.deadline) else {
            return Err(failed.error);
        };
        while !(wait.should_stop)() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            thread::sleep(left.min(STOP_CHECK));
        }
    }
}
