//! How many connections there may be. When all places are taken, connections on which nothing
//! happens give theirs up; those that still find none are told to come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::activity::Activity;

/// How long somebody who found no place waits for one.
const SOON: Duration = Duration::from_millis(200);

/// How many may wait that long, or be told that there is no place, at the same time.
const WAITING: usize = 64;

/// Asking thousands of connections whether they are quiet is not done more often than this.
const BETWEEN_PRESSES: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct Crowd {
    places: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    pressed: Notify,
    begun: Instant,
    /// Milliseconds from the beginning to the last press.
    last_press: AtomicU64,
}

/// A place among the connections that are served, or among those that wait.
pub type Place = OwnedSemaphorePermit;

impl Crowd {
    pub fn new(most: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
            waiting: Arc::new(Semaphore::new(WAITING)),
            pressed: Notify::new(),
            begun: Instant::now(),
            last_press: AtomicU64::new(0),
        }
    }

    /// A place if there is one; otherwise those who need theirs least are asked to leave.
    pub fn place(&self) -> Option<Place> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok();
        if place.is_none() {
            self.press();
        }
        place
    }

    pub async fn place_soon(&self) -> Option<Place> {
        let place = Arc::clone(&self.places).acquire_owned();
        tokio::time::timeout(SOON, place).await.ok()?.ok()
    }

    /// `None` only when there never will be one again.
    pub async fn waiting_place(&self) -> Option<Place> {
        Arc::clone(&self.waiting).acquire_owned().await.ok()
    }

    /// Asks quiet connections to give way.
    pub fn press(&self) {
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.last_press.load(Ordering::Relaxed);
        let pause = u64::try_from(BETWEEN_PRESSES.as_millis()).unwrap_or(u64::MAX);
        if now.saturating_sub(last) >= pause {
            self.last_press.store(now, Ordering::Relaxed);
            self.pressed.notify_waiters();
        }
    }

    /// Resolves when there is a crowd and this connection has been quiet for so long.
    pub async fn must_give_way(&self, activity: &Activity, quiet: Duration) {
        loop {
            self.pressed.notified().await;
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
    async fn places_are_given_back() {
        let crowd = Crowd::new(2);
        let first = crowd.place().unwrap();
        let _second = crowd.place().unwrap();
        assert!(crowd.place().is_none());
        assert!(crowd.place_soon().await.is_none());
        drop(first);
        assert!(crowd.place_soon().await.is_some());
    }
}
