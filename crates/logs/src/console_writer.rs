//! Buffered writer of lines to stderr, on its own thread: a line of INFO and below waits a moment
//! for others, so that a logged request costs no system call; a warning or an error wakes the
//! thread at once. The buffer is bounded, so that an unread console blocks no request.

use std::io::{self, Write, stderr};
use std::mem;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use crate::format::LogFormat;

/// How long a line waits for others.
const INTERVAL: Duration = Duration::from_millis(20);
/// Lines beyond this are lost, and counted.
const CAPACITY: usize = 1 << 20;
/// How long the process waits at its end for a console that does not take its lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Handle to the console. Clones write to the same one.
#[derive(Clone)]
pub(crate) struct ConsoleWriter {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<PendingLines>,
    filled: Condvar,
    emptied: Condvar,
}

#[derive(Default)]
struct PendingLines {
    lines: Vec<u8>,
    lost: u64,
    /// The lines should be written now.
    is_urgent: bool,
    /// Lines were taken but are not written yet.
    is_writing: bool,
}

/// Writes one line, which the formatter passes whole.
pub(crate) struct Line<'w> {
    shared: &'w Shared,
    is_urgent: bool,
}

impl ConsoleWriter {
    pub fn start(format: LogFormat) -> io::Result<Self> {
        Self::start_to(format, stderr())
    }

    fn start_to(format: LogFormat, output: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new().name("console".to_owned());
        thread.spawn(move || of_thread.write_in_turns(format, output))?;
        Ok(Self { shared })
    }

    /// Waits briefly until everything is written; for the end of the process.
    pub fn flush(&self) {
        let mut waiting = self.shared.waiting.lock();
        waiting.is_urgent = true;
        self.shared.filled.notify_one();
        let is_pending =
            |waiting: &mut PendingLines| !waiting.lines.is_empty() || waiting.is_writing;
        self.shared.emptied.wait_while_for(&mut waiting, is_pending, FLUSH_TIMEOUT);
    }
}

impl Shared {
    fn write_in_turns(&self, format: LogFormat, mut output: impl Write) {
        loop {
            let (lines, lost) = self.next_lines();
            // There is no one to tell that the console is gone.
            let _ = output.write_all(&lines);
            if lost > 0 {
                let _ = output.write_all(format.missing(lost).as_bytes());
            }
            let _ = output.flush();
            self.waiting.lock().is_writing = false;
            self.emptied.notify_all();
        }
    }

    fn next_lines(&self) -> (Vec<u8>, u64) {
        let mut waiting = self.waiting.lock();
        self.filled.wait_while(&mut waiting, |waiting| waiting.lines.is_empty());
        self.filled.wait_while_for(&mut waiting, |waiting| !waiting.is_urgent, INTERVAL);
        (waiting.is_urgent, waiting.is_writing) = (false, true);
        (mem::take(&mut waiting.lines), mem::take(&mut waiting.lost))
    }

    fn push(&self, line: &[u8], is_urgent: bool) {
        let mut waiting = self.waiting.lock();
        if waiting.lines.len() + line.len() > CAPACITY {
            waiting.lost += 1;
            return;
        }
        let is_first = waiting.lines.is_empty();
        waiting.lines.extend_from_slice(line);
        waiting.is_urgent |= is_urgent;
        drop(waiting);
        if is_first || is_urgent {
            self.filled.notify_one();
        }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.shared.push(line, self.is_urgent);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for ConsoleWriter {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { shared: &self.shared, is_urgent: true }
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> Line<'a> {
        Line { shared: &self.shared, is_urgent: *line.level() <= Level::WARN }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Forwards its input, and waits before each write until allowed.
    struct Gated {
        may_write: mpsc::Receiver<()>,
        written: mpsc::Sender<Vec<u8>>,
    }

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.may_write.recv().map_err(io::Error::other)?;
            self.written.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn console() -> (ConsoleWriter, mpsc::Sender<()>, mpsc::Receiver<Vec<u8>>) {
        let ((go, may_write), (written, lines)) = (mpsc::channel(), mpsc::channel());
        let writer =
            ConsoleWriter::start_to(LogFormat::Human, Gated { may_write, written }).unwrap();
        (writer, go, lines)
    }

    #[test]
    fn lines_are_written_together_and_in_order() {
        let (writer, go, lines) = console();
        writer.shared.push(b"one\n", false);
        writer.shared.push(b"two\n", true);
        go.send(()).unwrap();
        assert_eq!(lines.recv().unwrap(), b"one\ntwo\n");
        writer.shared.push(b"three\n", false);
        go.send(()).unwrap();
        writer.flush();
        assert_eq!(lines.try_recv().unwrap(), b"three\n");
    }

    #[test]
    fn unread_console_blocks_no_writer() {
        let (writer, go, lines) = console();
        let line = vec![b'x'; CAPACITY / 2];
        writer.shared.push(b"first\n", true);
        // The thread is stuck with the first line; these wait, and two of them do not fit.
        while !writer.shared.waiting.lock().is_writing {
            thread::yield_now();
        }
        for _ in 0..4 {
            writer.shared.push(&line, true);
        }
        for _ in 0..3 {
            go.send(()).unwrap();
        }
        assert_eq!(lines.recv().unwrap(), b"first\n");
        assert_eq!(lines.recv().unwrap().len(), CAPACITY);
        let notice = String::from_utf8(lines.recv().unwrap()).unwrap();
        assert_eq!(notice, "… 2 lines are missing: they came too fast\n");
    }
}
