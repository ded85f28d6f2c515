//! Log lines on stderr, for people or for machines.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::Registry;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::Layer;

use crate::console_writer::ConsoleWriter;

pub(crate) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// How a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Human,
    Json,
}

impl Form {
    /// The line that stands for lines that were lost.
    pub(crate) fn missing(self, lost: u64) -> String {
        match self {
            Form::Human => format!("… {lost} lines are missing: they came too fast\n"),
            Form::Json => format!("{{\"missingLines\":{lost}}}\n"),
        }
    }
}

pub(crate) fn layer(form: Form, writer: ConsoleWriter) -> BoxedLayer {
    let lines = fmt::layer().with_writer(writer);
    match form {
        Form::Json => lines.json().boxed(),
        Form::Human => {
            let colours = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            lines.with_ansi(colours).boxed()
        }
    }
}
