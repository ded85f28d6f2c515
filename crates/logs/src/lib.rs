//! Logging: lines on stderr, the same lines as a stream to one operator, and spans to a trace
//! collector. It knows neither requests nor indexes; they use `tracing`.
//!
//! Spans for traces have the target [`SPANS`] and the level TRACE. While no one watches them, they
//! cost one check of a flag.

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

/// The target of spans for traces.
pub const SPANS: &str = "sonde::span";
