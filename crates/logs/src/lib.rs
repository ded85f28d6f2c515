//! What the process says about itself while it runs: lines on stderr, the same lines as a stream
//! to one operator, and spans to a collector of traces. It knows neither requests nor indexes; they
//! speak through `tracing`.
//!
//! Spans that are worth a trace have the target [`SPANS`] and the level TRACE. While nobody watches
//! them, they cost as much as a look at a flag.

mod console;
mod console_writer;
mod control;
mod error;
mod fields;
mod format;
mod lines;
mod profile;
mod stream;
mod target_filter;
mod traces;

pub use control::{Control, LogStream, Options, start};
pub use error::{StartError, StreamBusyError};
pub use format::LogFormat;
pub use lines::StreamMode;
pub use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};

/// The target of spans that are worth a trace.
pub const SPANS: &str = "sonde::span";
