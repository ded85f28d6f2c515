//! Retries of requests.

use std::thread;
use std::time::Duration;

use model::Cancel;

use crate::error::BucketError;

const ATTEMPTS: u32 = 5;
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Calls until success, a few times with growing pauses, while the error is transient.
pub(crate) fn retried<T>(
    first_pause: Duration,
    cancel: &Cancel,
    attempt: &dyn Fn() -> Result<T, BucketError>,
) -> Result<T, BucketError> {
    let mut pause = first_pause;
    for _ in 1..ATTEMPTS {
        match attempt() {
            Err(error) if error.is_transient() => {}
            ended => return ended,
        }
        let mut slept = Duration::ZERO;
        while slept < pause {
            cancel.check()?;
            let nap = STOP_CHECK.min(pause);
            thread::sleep(nap);
            slept += nap;
        }
        pause *= 2;
    }
    attempt()
}
