//! Tracks whether a connection is answering a request, and since when it has been idle.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

#[derive(Debug, Clone)]
pub struct Activity(Arc<Mutex<ActivityState>>);

#[derive(Debug)]
struct ActivityState {
    running: usize,
    quiet_since: Instant,
}

impl Activity {
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(ActivityState { running: 0, quiet_since: Instant::now() })))
    }

    /// Counts a request as running until the result is dropped.
    pub fn begin(&self) -> RunningRequest {
        self.change(|state| state.running += 1);
        RunningRequest(self.clone())
    }

    pub fn is_quiet_for(&self, time: Duration) -> bool {
        self.change(|state| state.running == 0 && state.quiet_since.elapsed() >= time)
    }

    fn change<T>(&self, change: impl FnOnce(&mut ActivityState) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One request that is being answered.
#[derive(Debug)]
pub struct RunningRequest(Activity);

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.running -= 1;
            state.quiet_since = Instant::now();
        });
    }
}

/// A response body whose request counts as running until all of it has been sent.
#[derive(Debug)]
pub struct RunningBody {
    body: Body,
    _running: RunningRequest,
}

impl RunningBody {
    pub fn new(body: Body, running: RunningRequest) -> Self {
        Self { body, _running: running }
    }
}

impl HttpBody for RunningBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_quiet_when_its_last_answer_was_taken() {
        let activity = Activity::new();
        assert!(activity.is_quiet_for(Duration::ZERO));
        assert!(!activity.is_quiet_for(Duration::from_secs(60)));
        let (first, second) = (activity.begin(), activity.begin());
        drop(first);
        assert!(!activity.is_quiet_for(Duration::ZERO));
        let body = RunningBody::new(Body::from("x"), second);
        assert!(!activity.is_quiet_for(Duration::ZERO));
        drop(body);
        assert!(activity.is_quiet_for(Duration::ZERO));
    }
}
