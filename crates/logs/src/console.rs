//! Log lines on stderr, for people or for machines.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::fmt;
use tracing_subscriber::layer::Layer;

use crate::console_writer::ConsoleWriter;
use crate::format::{BoxedLayer, LogFormat};

pub(crate) fn layer(format: LogFormat, writer: ConsoleWriter) -> BoxedLayer {
    let lines = fmt::layer().with_writer(writer);
    match format {
        LogFormat::Json => lines.json().boxed(),
        LogFormat::Human => {
            let colours = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            lines.with_ansi(colours).boxed()
        }
    }
}
