//! Availability of remotes. One that failed is avoided for a while, longer after each further
//! failure; an answer resets that.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

const FIRST_REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, Default)]
pub struct Availability {
    failing: Mutex<HashMap<String, Outage>>,
}

#[derive(Debug, Clone, Copy)]
struct Outage {
    rest: Duration,
    until: Instant,
}

impl Availability {
    pub fn is_available(&self, remote: &str) -> bool {
        self.is_available_at(remote, Instant::now())
    }

    pub fn answered(&self, remote: &str) {
        self.failing.lock().remove(remote);
    }

    pub fn failed(&self, remote: &str) {
        self.failed_at(remote, Instant::now());
    }

    fn is_available_at(&self, remote: &str, now: Instant) -> bool {
        self.failing.lock().get(remote).is_none_or(|failing| failing.until <= now)
    }

    /// Records a failure. Those of concurrent requests count as one.
    fn failed_at(&self, remote: &str, now: Instant) {
        let mut all = self.failing.lock();
        let rest = match all.get(remote) {
            Some(failing) if now < failing.until => return,
            Some(failing) => (failing.rest * 2).min(LONGEST_REST),
            None => FIRST_REST,
        };
        all.insert(remote.to_owned(), Outage { rest, until: now + rest });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_with_each_failure_and_end_with_an_answer() {
        let availability = Availability::default();
        let mut now = Instant::now();
        assert!(availability.is_available_at("a", now));
        for seconds in [30, 60, 120, 240, 300, 300] {
            availability.failed_at("a", now);
            availability.failed_at("a", now + Duration::from_secs(1));
            let end = now + Duration::from_secs(seconds);
            assert!(!availability.is_available_at("a", end - Duration::from_millis(1)));
            assert!(availability.is_available_at("a", end), "{seconds}");
            assert!(availability.is_available_at("b", now));
            now = end;
        }
        availability.answered("a");
        availability.failed_at("a", now);
        assert!(availability.is_available_at("a", now + FIRST_REST));
    }
}
