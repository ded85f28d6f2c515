//! Log lines on stderr, for people or for machines.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::fmt;
use tracing_subscriber::layer::Layer;

use crate::console_writer::ConsoleWriter;
use crate::form::{BoxedLayer, Form};

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
