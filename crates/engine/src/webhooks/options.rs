//! What the operator decides about webhooks, and how tasks are written for them.

use std::fmt;
use std::time::Duration;

use model::Secret;
use tasks::Task;

/// Writes a task as one line, its end included.
pub type TaskWriter = fn(&Task, &mut Vec<u8>);

#[derive(Clone)]
pub struct WebhookOptions {
    pub launch: Option<LaunchWebhook>,
    /// Without it nobody is called.
    pub write_task: Option<TaskWriter>,
    /// For one call, from the name to the end of the answer.
    pub timeout: Duration,
    /// How long a call that failed waits for its next attempt; as many attempts as there are
    /// waits, and one.
    pub retry_delays: Vec<Duration>,
}

/// The webhook that the launch options name.
#[derive(Clone, PartialEq, Eq)]
pub struct LaunchWebhook {
    pub url: String,
    /// The value of its header `Authorization`.
    pub authorization: Option<Secret>,
}

impl Default for WebhookOptions {
    fn default() -> Self {
        Self {
            launch: None,
            write_task: None,
            timeout: Duration::from_secs(30),
            retry_delays: [1, 5, 25].map(Duration::from_secs).to_vec(),
        }
    }
}

impl fmt::Debug for WebhookOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookOptions")
            .field("launch", &self.launch)
            .field("timeout", &self.timeout)
            .field("retry_delays", &self.retry_delays)
            .finish_non_exhaustive()
    }
}

/// URLs of webhooks often have a secret in them.
impl fmt::Debug for LaunchWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchWebhook").finish_non_exhaustive()
    }
}
