//! Bounds the number of connections. When all permits are taken, idle connections are asked to
//! close; a new connection that still gets no permit is answered 503.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::activity::Activity;

/// How long a new connection waits for a permit.
const SOON: Duration = Duration::from_millis(200);

/// How many connections may wait for a permit, or be refused, at the same time.
const WAITING: usize = 64;

/// Least time between two calls to close, because each call wakes thousands of connections.
const BETWEEN_CALLS: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct ConnectionLimiter {
    permits: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    close_idle: Notify,
    begun: Instant,
    /// Milliseconds from `begun` to the last call to close.
    last_call: AtomicU64,
}

/// Permission for one connection to be served, or to wait. Dropping it gives it back.
pub type ConnectionPermit = OwnedSemaphorePermit;

impl ConnectionLimiter {
    pub fn new(most: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
            waiting: Arc::new(Semaphore::new(WAITING)),
            close_idle: Notify::new(),
            begun: Instant::now(),
            last_call: AtomicU64::new(0),
        }
    }

    /// Takes a permit if one is free; otherwise asks idle connections to close.
    pub fn try_permit(&self) -> Option<ConnectionPermit> {
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok();
        if permit.is_none() {
            self.ask_idle_to_close();
        }
        permit
    }

    /// Waits a short while for a permit.
    pub async fn permit_soon(&self) -> Option<ConnectionPermit> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        tokio::time::timeout(SOON, permit).await.ok()?.ok()
    }

    /// Takes one of the permits to wait. `None` only once the semaphore is closed.
    pub async fn waiting_permit(&self) -> Option<ConnectionPermit> {
        Arc::clone(&self.waiting).acquire_owned().await.ok()
    }

    /// Asks idle connections to close, unless that was done moments ago.
    pub fn ask_idle_to_close(&self) {
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.last_call.load(Ordering::Relaxed);
        let pause = u64::try_from(BETWEEN_CALLS.as_millis()).unwrap_or(u64::MAX);
        if now.saturating_sub(last) >= pause {
            self.last_call.store(now, Ordering::Relaxed);
            self.close_idle.notify_waiters();
        }
    }

    /// Resolves when connections are asked to close and this one has been idle for `quiet`.
    pub async fn asked_to_close(&self, activity: &Activity, quiet: Duration) {
        loop {
            self.close_idle.notified().await;
            if activity.is_quiet_for(quiet) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn permits_are_given_back() {
        let limiter = ConnectionLimiter::new(2);
        let first = limiter.try_permit().unwrap();
        let _second = limiter.try_permit().unwrap();
        assert!(limiter.try_permit().is_none());
        assert!(limiter.permit_soon().await.is_none());
        drop(first);
        assert!(limiter.permit_soon().await.is_some());
    }
}
