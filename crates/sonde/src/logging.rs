//! Starts logging according to the launch options.

use crate::options::config::{Config, LogsMode};

pub fn start(config: &Config) -> Result<logs::Control, logs::StartError> {
    let form = match config.logs_mode {
        LogsMode::Human => logs::Form::Human,
        LogsMode::Json => logs::Form::Json,
    };
    let collector = config.otlp_endpoint.clone();
    logs::start(&logs::Options { level: config.log_level, form, collector })
}
