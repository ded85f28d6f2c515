//! Log lines on stderr, for people or for machines.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::Registry;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::Layer;

pub(crate) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// How a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Human,
    Json,
}

pub(crate) fn layer(form: Form) -> BoxedLayer {
    let lines = fmt::layer().with_writer(stderr);
    match form {
        Form::Json => lines.json().boxed(),
        Form::Human => {
            let colours = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            lines.with_ansi(colours).boxed()
        }
    }
}
