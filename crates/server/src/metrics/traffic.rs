//! Counts of requests and their durations, by route. A route gets its counters when it is set up,
//! so that counting takes no lock and a client cannot create new ones.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use axum::http::{Method, StatusCode};

/// Upper bounds of the buckets of response times, in seconds.
pub const BUCKETS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// Labels of methods. Unknown methods share the last one.
pub const METHODS: [&str; 10] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "OTHER"];

/// Counters of all routes, shared by all listeners of a process in an `Arc`.
#[derive(Default)]
pub struct Traffic {
    paths: Mutex<BTreeMap<&'static str, Arc<PathCounts>>>,
}

/// The requests to one path, by method.
#[derive(Debug, Default)]
pub struct PathCounts {
    by_method: [OnceLock<Box<Counts>>; METHODS.len()],
}

/// The requests of one method to one path.
#[derive(Debug, Default)]
pub struct Counts {
    /// Counts by hundreds of status codes, allocated on use: most routes answer with a few codes.
    by_status: [OnceLock<Box<[AtomicU64; 100]>>; 5],
    /// Counts by bucket of the duration; longer ones come last.
    by_time: [AtomicU64; BUCKETS.len() + 1],
    nanoseconds: AtomicU64,
}

impl Traffic {
    /// Returns the counters of a route's pattern.
    pub fn path(&self, pattern: &'static str) -> Arc<PathCounts> {
        Arc::clone(self.locked().entry(pattern).or_default())
    }

    /// Calls `visit` with the path, method and counters of all that were requested at least once.
    pub fn for_each(&self, mut visit: impl FnMut(&'static str, &'static str, &Counts)) {
        for (pattern, path) in &*self.locked() {
            for (method, counts) in METHODS.iter().zip(&path.by_method) {
                if let Some(counts) = counts.get() {
                    visit(pattern, method, counts);
                }
            }
        }
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<&'static str, Arc<PathCounts>>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PathCounts {
    pub fn count(&self, method: &Method, status: StatusCode, time: Duration) {
        let name = method.as_str();
        let place = METHODS.iter().position(|known| *known == name).unwrap_or(METHODS.len() - 1);
        self.by_method[place].get_or_init(Box::default).count(status, time);
    }
}

impl Counts {
    fn count(&self, status: StatusCode, time: Duration) {
        let status = usize::from(status.as_u16());
        if let Some(hundred) = (status / 100).checked_sub(1).and_then(|n| self.by_status.get(n)) {
            let hundred = hundred.get_or_init(|| Box::new([const { AtomicU64::new(0) }; 100]));
            hundred[status % 100].fetch_add(1, Ordering::Relaxed);
        }
        let seconds = time.as_secs_f64();
        let bucket = BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len());
        self.by_time[bucket].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Status → requests.
    pub fn statuses(&self) -> Vec<(u16, u64)> {
        let mut statuses = Vec::new();
        for (hundred, counts) in (1..).zip(&self.by_status) {
            for (rest, count) in (0..).zip(counts.get().into_iter().flat_map(|c| c.iter())) {
                match count.load(Ordering::Relaxed) {
                    0 => {}
                    count => statuses.push((hundred * 100 + rest, count)),
                }
            }
        }
        statuses
    }

    /// Returns how many requests took at most as long as each bucket, and all of them last.
    pub fn cumulated(&self) -> [u64; BUCKETS.len() + 1] {
        let mut sum = 0;
        std::array::from_fn(|bucket| {
            sum += self.by_time[bucket].load(Ordering::Relaxed);
            sum
        })
    }

    pub fn seconds(&self) -> f64 {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64()
    }
}

impl fmt::Debug for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traffic").field("paths", &self.locked().len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_method_status_and_time() {
        let traffic = Traffic::default();
        let path = traffic.path("/tasks/{uid}");
        for milliseconds in [1, 5, 6, 20_000] {
            path.count(&Method::GET, StatusCode::OK, Duration::from_millis(milliseconds));
        }
        path.count(&Method::GET, StatusCode::NOT_FOUND, Duration::ZERO);
        let odd = Method::from_bytes(b"BREW").unwrap();
        path.count(&odd, StatusCode::METHOD_NOT_ALLOWED, Duration::ZERO);
        let mut counted = Vec::new();
        traffic.for_each(|pattern, method, counts| {
            counted.push((
                pattern,
                method,
                counts.statuses(),
                counts.cumulated(),
                counts.seconds(),
            ));
        });
        assert_eq!(counted.len(), 2);
        let (pattern, method, statuses, cumulated, seconds) = &counted[0];
        assert_eq!((*pattern, *method), ("/tasks/{uid}", "GET"));
        assert_eq!(*statuses, [(200, 4), (404, 1)]);
        assert_eq!((cumulated[0], cumulated[1], cumulated[13], cumulated[14]), (3, 4, 4, 5));
        assert!((seconds - 20.012).abs() < 1e-9);
        assert_eq!((counted[1].1, &counted[1].2), ("OTHER", &vec![(405, 1)]));
    }
}
