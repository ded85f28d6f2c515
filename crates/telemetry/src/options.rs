//! What telemetry needs to know to start.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

use crate::post::Patience;
use crate::profile::{Instance, Profile};

const PERIOD: Duration = Duration::from_secs(60 * 60);

pub struct Options {
    pub uid: Uuid,
    /// Whether this instance was never started before.
    pub is_first_launch: bool,
    /// Where figures go; without it they never leave this process. It may hold a key.
    pub collector: Option<String>,
    pub profile: Profile,
    pub instance: Box<dyn Instance>,
    pub period: Duration,
    pub(crate) patience: Patience,
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
            patience: Patience::default(),
        }
    }

    /// For one attempt, and before each further one. Tests are less patient than operators.
    #[must_use]
    pub fn with_patience(mut self, timeout: Duration, pauses: Vec<Duration>) -> Self {
        self.patience = Patience { timeout, pauses };
        self
    }
}

/// Without the address of the collector.
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
