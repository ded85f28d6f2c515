//! Starts logging according to the launch options.

use crate::options::config::{Config, LogsMode};

pub fn start(config: &Config) -> Result<logs::Control, logs::StartError> {
    let format = match config.logs_mode {
        LogsMode::Human => logs::LogFormat::Human,
        LogsMode::Json => logs::LogFormat::Json,
    };
    let collector = config.otlp_endpoint.clone();
    logs::start(&logs::Options { level: config.log_level, format, collector })
}
