//! Retries: up to ten attempts, with pauses that grow tenfold, within a deadline.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

use model::Cancel;

use super::answer::AttemptError;
use crate::callbacks::EmbedCallbacks;
use crate::error::{EmbedError, InnerError};
use crate::requests::Requests;

const ATTEMPTS: u32 = 10;
/// Attempts for answers that are hardly worth another one.
const DOUBTFUL_ANSWERS: u32 = 3;
/// A busy server is given at least this long.
const BUSY_DELAY: Duration = Duration::from_millis(100);
const STOP_CHECK: Duration = Duration::from_millis(50);

#[derive(Clone, Copy)]
pub(crate) struct Attempts<'a> {
    /// Timeout of each attempt.
    pub(crate) timeout: Duration,
    pub(crate) max_delay: Duration,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancel: &'a Cancel,
    /// Counter of the calls, if wanted.
    pub(crate) requests: Option<&'a Requests>,
}

impl<'a> Attempts<'a> {
    /// Returns the attempts with callbacks.
    pub(crate) fn with_callbacks(&self, callbacks: &EmbedCallbacks<'a>) -> Self {
        let EmbedCallbacks { cancel, requests, .. } = *callbacks;
        Self { cancel, requests: Some(requests), ..*self }
    }

    pub(crate) fn run<T>(
        &self,
        mut attempt: impl FnMut(Duration) -> Result<T, AttemptError>,
    ) -> Result<T, EmbedError> {
        let (mut made, mut doubtful) = (0, 0);
        let mut last_error = None;
        loop {
            let left = self.left();
            if left.is_zero() {
                return Err(last_error.unwrap_or_else(|| InnerError::Late.into()));
            }
            self.requests.inspect(|requests| requests.sent());
            let failure = match attempt(self.timeout.min(left)) {
                Ok(result) => return Ok(result),
                Err(failure) => failure,
            };
            if failure.error().is_stopped() {
                return Err(failure.into_error());
            }
            self.requests.inspect(|requests| requests.failed_with(failure.error().to_string()));
            made += 1;
            doubtful += u32::from(matches!(failure, AttemptError::Doubtful(_)));
            let delay = self.delay(&failure, made);
            let is_over = made >= ATTEMPTS || doubtful >= DOUBTFUL_ANSWERS;
            let Some(delay) = delay.filter(|delay| !is_over && *delay < self.left()) else {
                return Err(failure.into_error());
            };
            tracing::debug!(attempt = made, ?delay, error = %failure.error(), "embedding again");
            self.wait(delay)?;
            last_error = Some(failure.into_error());
        }
    }

    /// Fails if stopped or past the deadline.
    pub(crate) fn check(&self) -> Result<(), InnerError> {
        self.cancel.check()?;
        if self.left().is_zero() { Err(InnerError::Late) } else { Ok(()) }
    }

    /// Returns a handle that is also cancelled past the deadline.
    pub(crate) fn cancel_or_late(&self) -> Cancel {
        let deadline = self.deadline;
        self.cancel.or_when(move || deadline.is_some_and(|at| Instant::now() >= at))
    }

    fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()))
    }

    /// Returns the pause before the next attempt; none if there should be no other.
    fn delay(&self, failure: &AttemptError, made: u32) -> Option<Duration> {
        let growing = Duration::from_millis(10_u64.pow(made - 1));
        let delay = match failure {
            AttemptError::Refused(_) | AttemptError::Final(_) => return None,
            AttemptError::Transient(_) | AttemptError::Doubtful(_) => growing,
            AttemptError::Busy(_, asked) => (BUSY_DELAY + growing).max(asked.unwrap_or_default()),
        };
        // Calls that failed together do not all come back together.
        let spread = RandomState::new().hash_one(made) % 20;
        let delay = delay.min(self.max_delay);
        Some(delay + delay.mul_f64(spread as f64 / 100.0))
    }

    fn wait(&self, delay: Duration) -> Result<(), EmbedError> {
        let until = Instant::now() + delay;
        loop {
            self.cancel.check().map_err(InnerError::from)?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(STOP_CHECK));
        }
    }
}
