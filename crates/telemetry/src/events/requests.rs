//! How requests ended that take a while.

use std::time::Duration;

use crate::metrics::Histogram;
use crate::sheet::Sheet;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ending {
    pub succeeded: bool,
    /// Cut off by the limit on the time of searches.
    pub degraded: bool,
    pub elapsed: Duration,
}

#[derive(Debug, Default)]
pub(super) struct Requests {
    succeeded: u64,
    failed: u64,
    times: Histogram,
}

impl Requests {
    pub fn add(&mut self, ending: Ending) {
        if !ending.succeeded {
            self.failed += 1;
            return;
        }
        self.succeeded += 1;
        self.times.add(ending.elapsed);
    }

    pub fn tell(&self, sheet: &mut Sheet) {
        sheet.put("requests.total_succeeded", self.succeeded, "Those that were answered.");
        sheet.put(
            "requests.total_failed",
            self.failed,
            "Those that were well-formed and could not be answered.",
        );
        sheet.put(
            "requests.99th_response_time",
            &self.times,
            "Milliseconds within which 99 of 100 were answered.",
        );
    }
}
