//! Stream of log lines to one reader. Its buffer is bounded; lines that do not fit are lost, and
//! the reader is told how many.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use tokio::sync::mpsc;
use tracing_subscriber::fmt::MakeWriter;

use crate::format::LogFormat;

/// Lines that wait for the reader.
const CAPACITY: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamMode {
    Human,
    Json,
    /// One JSON line for each span that ends, with the memory of the process or without.
    Profile {
        memory: bool,
    },
}

/// The writing end of a stream.
#[derive(Debug)]
pub(crate) struct Lines {
    sender: mpsc::Sender<Bytes>,
    mode: StreamMode,
    lost: AtomicU64,
}

impl Lines {
    /// Creates both ends of a stream.
    pub fn new(mode: StreamMode) -> (Self, mpsc::Receiver<Bytes>) {
        let (sender, lines) = mpsc::channel(CAPACITY);
        (Self { sender, mode, lost: AtomicU64::new(0) }, lines)
    }

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
            StreamMode::Human => LogFormat::Human.missing(lost),
            StreamMode::Json | StreamMode::Profile { .. } => LogFormat::Json.missing(lost),
        }
    }
}

/// Takes whole lines, as the formatter passes them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn slow_reader_gets_the_number_of_lost_lines() {
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
