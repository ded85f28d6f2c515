//! Errors of starting or reading logs.

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("logging cannot be started: {0}")]
    Taken(String),
    #[error("the thread that writes the log cannot be started: {0}")]
    Console(std::io::Error),
    #[error("`{0}` is not the URL of a collector of traces")]
    Collector(String),
    #[error("traces cannot be sent: {0}")]
    Client(#[from] outbound::OutboundError),
}

/// Another reader has the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the log stream has a reader already")]
pub struct StreamBusyError;
