//! Starts logging, and changes at run time what is logged and where.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::{FilterExt, LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::util::SubscriberInitExt;

use crate::SPANS;
use crate::console;
use crate::console_writer::ConsoleWriter;
use crate::error::{StartError, StreamBusyError};
use crate::format::{BoxedLayer, LogFormat};
use crate::lines::StreamMode;
use crate::stream;
use crate::target_filter::target_filter;
use crate::traces::{Exporter, TraceLayer};

#[derive(Debug, Clone)]
pub struct Options {
    /// Initial level on stderr.
    pub level: LevelFilter,
    pub format: LogFormat,
    /// URL of the span collector: the root of its OTLP interface over HTTP.
    pub collector: Option<String>,
}

/// The reading end of a stream. Dropping it ends the stream.
#[derive(Debug)]
pub struct LogStream {
    lines: mpsc::Receiver<Bytes>,
    control: Control,
    number: u64,
}

impl LogStream {
    /// Returns the next line or lines; none once another caller ended the stream.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.lines.recv().await
    }
}

impl Drop for LogStream {
    fn drop(&mut self) {
        self.control.end_stream_number(self.number);
    }
}

/// Handle to logging. Clones control the same process.
#[derive(Clone)]
pub struct Control {
    shared: Arc<Shared>,
}

struct Shared {
    console: ConsoleWriter,
    console_filter: Handle<Targets, Registry>,
    stream_layer: Handle<Option<BoxedLayer>, Registry>,
    stream_filter: Handle<Targets, Registry>,
    reader: Mutex<StreamReader>,
    exporter: Option<Exporter>,
}

/// The current reader of the stream. Streams are numbered, so that the end of one does not end its
/// successor.
#[derive(Default)]
struct StreamReader {
    current: Option<u64>,
    next: u64,
}

/// Starts logging; call it once per process.
pub fn start(options: &Options) -> Result<Control, StartError> {
    let console = ConsoleWriter::start(options.format).map_err(StartError::Console)?;
    let (console_filter, console_handle) = reload::Layer::new(everything_at(options.level));
    let (stream_layer, stream_handle) = reload::Layer::new(None::<BoxedLayer>);
    let (stream_filter, stream_filter_handle) = reload::Layer::new(Targets::new());
    let mut layers: Vec<BoxedLayer> = vec![
        console::layer(options.format, console.clone())
            .with_filter(console_filter.and(target_filter()))
            .boxed(),
        stream_layer.with_filter(stream_filter.and(target_filter())).boxed(),
    ];
    let mut exporter = None;
    if let Some(collector) = &options.collector {
        let (started, spans) = Exporter::start(collector)?;
        exporter = Some(started);
        layers.push(TraceLayer::new(spans).with_filter(spans_only()).boxed());
    }
    tracing_subscriber::registry()
        .with(layers)
        .try_init()
        .map_err(|error| StartError::Taken(error.to_string()))?;
    Ok(Control {
        shared: Arc::new(Shared {
            console,
            console_filter: console_handle,
            stream_layer: stream_handle,
            stream_filter: stream_filter_handle,
            reader: Mutex::default(),
            exporter,
        }),
    })
}

fn everything_at(level: LevelFilter) -> Targets {
    Targets::new().with_default(level)
}

fn spans_only() -> Targets {
    Targets::new().with_target(SPANS, LevelFilter::TRACE)
}

// The reloaded layers live as long as the process, so that reloading cannot fail; and a failure
// could not be logged from here.
impl Control {
    /// Sets what is written to stderr.
    pub fn set_console(&self, targets: Targets) {
        let _ = self.shared.console_filter.reload(targets);
    }

    /// Opens the stream of lines, for one reader at a time.
    pub fn open_stream(
        &self,
        mode: StreamMode,
        targets: Targets,
    ) -> Result<LogStream, StreamBusyError> {
        let mut reader = self.shared.reader.lock();
        if reader.current.is_some() {
            return Err(StreamBusyError);
        }
        let number = reader.next;
        reader.next += 1;
        reader.current = Some(number);
        let (layer, lines) = stream::open(mode);
        let stream = LogStream { lines, control: self.clone(), number };
        let targets = match mode {
            StreamMode::Profile { .. } => targets.with_target(SPANS, LevelFilter::TRACE),
            StreamMode::Human | StreamMode::Json => targets,
        };
        let _ = self.shared.stream_layer.reload(Some(layer));
        let _ = self.shared.stream_filter.reload(targets);
        Ok(stream)
    }

    /// Ends the stream, if there is one.
    pub fn end_stream(&self) {
        self.end(&mut self.shared.reader.lock());
    }

    pub(crate) fn end_stream_number(&self, number: u64) {
        let mut reader = self.shared.reader.lock();
        if reader.current == Some(number) {
            self.end(&mut reader);
        }
    }

    fn end(&self, reader: &mut StreamReader) {
        reader.current = None;
        let _ = self.shared.stream_filter.reload(Targets::new());
        let _ = self.shared.stream_layer.reload(None::<BoxedLayer>);
    }

    /// Sends finished spans, writes waiting lines, and waits briefly for both. For the end of the
    /// process; from a thread that may block.
    pub fn flush(&self) {
        if let Some(exporter) = &self.shared.exporter {
            exporter.flush();
        }
        // Last, since the exporter logs what it could not send.
        self.shared.console.flush();
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}
