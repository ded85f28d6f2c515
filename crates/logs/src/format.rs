//! How log lines are written, for people or for machines.

use tracing_subscriber::Registry;
use tracing_subscriber::layer::Layer;

pub(crate) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// How a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Human,
    Json,
}

impl LogFormat {
    /// The line that stands for lines that were lost.
    pub(crate) fn missing(self, lost: u64) -> String {
        match self {
            LogFormat::Human => format!("… {lost} lines are missing: they came too fast\n"),
            LogFormat::Json => format!("{{\"missingLines\":{lost}}}\n"),
        }
    }
}
