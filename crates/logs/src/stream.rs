//! The layer that writes log lines to a stream.

use bytes::Bytes;
use tokio::sync::mpsc;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};
use tracing_subscriber::fmt::{self, FormatFields};
use tracing_subscriber::layer::Layer;

use crate::format::BoxedLayer;
use crate::lines::{Lines, StreamMode};
use crate::profile::Profile;

/// Returns the layer and the lines it writes.
pub(crate) fn open(mode: StreamMode) -> (BoxedLayer, mpsc::Receiver<Bytes>) {
    let (writer, lines) = Lines::new(mode);
    let layer = match mode {
        StreamMode::Human => {
            fmt::layer().fmt_fields(PlainFields).with_ansi(false).with_writer(writer).boxed()
        }
        StreamMode::Json => fmt::layer().json().with_writer(writer).boxed(),
        StreamMode::Profile { memory } => Profile::new(writer, memory).boxed(),
    };
    (layer, lines)
}

/// Fields of spans are stored by the type of their formatter; a separate type keeps the colours of
/// the console out of the stream.
struct PlainFields;

impl<'w> FormatFields<'w> for PlainFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> std::fmt::Result {
        DefaultFields::new().format_fields(writer, fields)
    }
}
