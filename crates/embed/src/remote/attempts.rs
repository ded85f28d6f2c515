//! Trying again: up to ten times, with pauses that grow tenfold, within a deadline.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::Failure;
use crate::error::{EmbedError, Problem};
use crate::requests::Requests;
use crate::watch::Watch;

const ATTEMPTS: u32 = 10;
/// Of answers that are hardly worth another attempt.
const DOUBTFUL_ANSWERS: u32 = 3;
/// A busy server is given at least this long.
const BUSY_DELAY: Duration = Duration::from_millis(100);
const STOP_CHECK: Duration = Duration::from_millis(50);

#[derive(Clone, Copy)]
pub(crate) struct Attempts<'a> {
    /// For each of them.
    pub(crate) timeout: Duration,
    pub(crate) max_delay: Duration,
    pub(crate) deadline: Option<Instant>,
    pub(crate) should_stop: &'a (dyn Fn() -> bool + Sync),
    /// Where they are counted, if anybody wants to know.
    pub(crate) requests: Option<&'a Requests>,
}

impl<'a> Attempts<'a> {
    /// The same for somebody who follows them.
    pub(crate) fn watched(&self, watch: &Watch<'a>) -> Self {
        let Watch { should_stop, requests, .. } = *watch;
        Self { should_stop, requests: Some(requests), ..*self }
    }

    pub(crate) fn run<T>(
        &self,
        mut attempt: impl FnMut(Duration) -> Result<T, Failure>,
    ) -> Result<T, EmbedError> {
        let (mut made, mut doubtful) = (0, 0);
        let mut last_error = None;
        loop {
            let left = self.left();
            if left.is_zero() {
                return Err(last_error.unwrap_or_else(|| Problem::Late.into()));
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
            doubtful += u32::from(matches!(failure, Failure::Doubtful(_)));
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

    /// Whether there is any use in going on.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if (self.should_stop)() {
            Err(Problem::Stopped)
        } else if self.left().is_zero() {
            Err(Problem::Late)
        } else {
            Ok(())
        }
    }

    fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()))
    }

    /// None where it is no use.
    fn delay(&self, failure: &Failure, made: u32) -> Option<Duration> {
        let growing = Duration::from_millis(10_u64.pow(made - 1));
        let delay = match failure {
            Failure::Refused(_) | Failure::Final(_) => return None,
            Failure::Transient(_) | Failure::Doubtful(_) => growing,
            Failure::Busy(_, asked) => (BUSY_DELAY + growing).max(asked.unwrap_or_default()),
        };
        // Calls that failed together do not all come back together.
        let spread = RandomState::new().hash_one(made) % 20;
        let delay = delay.min(self.max_delay);
        Some(delay + delay.mul_f64(spread as f64 / 100.0))
    }

    fn wait(&self, delay: Duration) -> Result<(), EmbedError> {
        let until = Instant::now() + delay;
        loop {
            if (self.should_stop)() {
                return Err(Problem::Stopped.into());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(STOP_CHECK));
        }
    }
}
