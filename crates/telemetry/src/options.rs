//! Options of telemetry.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

use crate::profile::{Instance, Profile};
use crate::uploader::Timeouts;

const PERIOD: Duration = Duration::from_secs(60 * 60);

pub struct Options {
    pub uid: Uuid,
    /// True if this is the first start of the instance.
    pub is_first_launch: bool,
    /// URL for figures; without it they never leave this process. It may hold a key.
    pub collector: Option<String>,
    pub profile: Profile,
    pub instance: Box<dyn Instance>,
    pub period: Duration,
    pub(crate) timeouts: Timeouts,
}

impl Options {
    pub fn new(uid: Uuid, profile: Profile, instance: Box<dyn Instance>) -> Self {
        Self {
            uid,
            is_first_launch: false,
            collector: None,
            profile,
            instance,
            period: PERIOD,
            timeouts: Timeouts::default(),
        }
    }

    /// Sets the timeout of an attempt, and the pauses before further ones. Tests wait less than
    /// operators.
    #[must_use]
    pub fn with_timeouts(mut self, timeout: Duration, pauses: Vec<Duration>) -> Self {
        self.timeouts = Timeouts { timeout, pauses };
        self
    }
}

/// Hides the collector's address.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("uid", &self.uid)
            .field("has_collector", &self.collector.is_some())
            .field("profile", &self.profile)
            .field("period", &self.period)
            .finish_non_exhaustive()
    }
}
