//! Options of webhooks, and the writer of tasks for them.

use std::fmt;
use std::time::Duration;

use model::Secret;
use tasks::Task;

/// Writes a task as one line, including the line break.
pub type TaskWriter = fn(&Task, &mut Vec<u8>);

#[derive(Clone)]
pub struct WebhookOptions {
    pub launch: Option<LaunchWebhook>,
    /// Without it no webhook is called.
    pub write_task: Option<TaskWriter>,
    /// Timeout of one call, from name resolution to the end of the answer.
    pub timeout: Duration,
    /// Delays before retries of a failed call, which is tried once more than there are delays.
    pub retry_delays: Vec<Duration>,
}

/// The webhook that the launch options name.
#[derive(Clone, PartialEq, Eq)]
pub struct LaunchWebhook {
    pub url: String,
    /// Value of its header `Authorization`.
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

/// Omits the URL and the header, which may hold secrets.
impl fmt::Debug for LaunchWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchWebhook").finish_non_exhaustive()
    }
}
