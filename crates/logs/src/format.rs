//! Formats of log lines, for people or for machines.

use tracing_subscriber::Registry;
use tracing_subscriber::layer::Layer;

pub(crate) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Format of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Human,
    Json,
}

impl LogFormat {
    /// Returns the line that reports lost lines.
    pub(crate) fn missing(self, lost: u64) -> String {
        match self {
            LogFormat::Human => format!("… {lost} lines are missing: they came too fast\n"),
            LogFormat::Json => format!("{{\"missingLines\":{lost}}}\n"),
        }
    }
}
