//! Outcomes of timed requests.

use std::time::Duration;

use crate::fields::Fields;
use crate::metrics::Histogram;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestOutcome {
    pub succeeded: bool,
    /// True if the search time limit cut it off.
    pub degraded: bool,
    pub elapsed: Duration,
}

#[derive(Debug, Default)]
pub(super) struct RequestTally {
    succeeded: u64,
    failed: u64,
    times: Histogram,
}

impl RequestTally {
    pub fn add(&mut self, outcome: RequestOutcome) {
        if !outcome.succeeded {
            self.failed += 1;
            return;
        }
        self.succeeded += 1;
        self.times.add(outcome.elapsed);
    }

    pub fn report(&self, fields: &mut Fields) {
        fields.put("requests.total_succeeded", self.succeeded, "Those that were answered.");
        fields.put(
            "requests.total_failed",
            self.failed,
            "Those that were well-formed and could not be answered.",
        );
        fields.put(
            "requests.99th_response_time",
            &self.times,
            "Milliseconds within which 99 of 100 were answered.",
        );
    }
}
