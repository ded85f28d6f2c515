//! Log lines for somebody who reads them as they come. There is room for so many; while a slow
//! reader leaves none, lines are lost, and the reader is told how many.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use tokio::sync::mpsc;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};
use tracing_subscriber::fmt::{self, FormatFields, MakeWriter};
use tracing_subscriber::layer::Layer;

use crate::console::{BoxedLayer, Form};
use crate::control::Control;
use crate::profile::Profile;

/// Lines that wait for the reader.
const ROOM: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamMode {
    Human,
    Json,
    /// One JSON line for each span that ends, with the memory of the process or without.
    Profile {
        memory: bool,
    },
}

/// The reader's end. Dropping it ends the stream.
#[derive(Debug)]
pub struct LogStream {
    lines: mpsc::Receiver<Bytes>,
    control: Control,
    number: u64,
}

impl LogStream {
    /// The next line or lines; none once the stream was ended by somebody else.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.lines.recv().await
    }
}

impl Drop for LogStream {
    fn drop(&mut self) {
        self.control.end_stream_number(self.number);
    }
}

/// The writer's end.
#[derive(Debug)]
pub(crate) struct Lines {
    sender: mpsc::Sender<Bytes>,
    mode: StreamMode,
    lost: AtomicU64,
}

/// What writes to a stream, and the stream.
pub(crate) fn open(mode: StreamMode, control: Control, number: u64) -> (BoxedLayer, LogStream) {
    let (sender, lines) = mpsc::channel(ROOM);
    let writer = Lines { sender, mode, lost: AtomicU64::new(0) };
    let layer = match mode {
        StreamMode::Human => {
            fmt::layer().fmt_fields(PlainFields).with_ansi(false).with_writer(writer).boxed()
        }
        StreamMode::Json => fmt::layer().json().with_writer(writer).boxed(),
        StreamMode::Profile { memory } => Profile::new(writer, memory).boxed(),
    };
    (layer, LogStream { lines, control, number })
}

impl Lines {
    pub fn push(&self, line: &[u8]) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        let sent = match lost {
            0 => Bytes::copy_from_slice(line),
            lost => [self.notice(lost).as_bytes(), line].concat().into(),
        };
        if let Err(mpsc::error::TrySendError::Full(_)) = self.sender.try_send(sent) {
            self.lost.fetch_add(lost + 1, Ordering::Relaxed);
        }
    }

    fn notice(&self, lost: u64) -> String {
        match self.mode {
            StreamMode::Human => Form::Human.missing(lost),
            StreamMode::Json | StreamMode::Profile { .. } => Form::Json.missing(lost),
        }
    }
}

/// The formatter hands over one whole line at a time.
impl io::Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Lines;

    fn make_writer(&'a self) -> &'a Lines {
        self
    }
}

/// Fields of spans are kept by the type of their formatter; one of our own keeps the colours of
/// the console out of the stream.
struct PlainFields;

impl<'w> FormatFields<'w> for PlainFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> std::fmt::Result {
        DefaultFields::new().format_fields(writer, fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_reader_is_told_what_is_missing() {
        let (sender, mut lines) = mpsc::channel(2);
        let writer = Lines { sender, mode: StreamMode::Human, lost: AtomicU64::new(0) };
        for line in ["one\n", "two\n", "three\n", "four\n"] {
            writer.push(line.as_bytes());
        }
        assert_eq!(lines.recv().await.unwrap(), "one\n");
        writer.push(b"five\n");
        assert_eq!(lines.recv().await.unwrap(), "two\n");
        assert_eq!(
            lines.recv().await.unwrap(),
            "… 2 lines are missing: they came too fast\nfive\n"
        );
    }
}
