//! Progress display: a bar if stderr is a terminal, else an occasional line.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use model::size::human_decimal;

use crate::terminal::{counted, rate, thousands};

const LINE_EVERY: Duration = Duration::from_secs(5);
const TICK: Duration = Duration::from_millis(120);
// The bar fills the rest of the line.
const WITH_END: &str =
    "{prefix} {wide_bar} {decimal_bytes}/{decimal_total_bytes}, {msg}, {eta} left";
const WITHOUT_END: &str = "{prefix} {spinner} {decimal_bytes} {decimal_bytes_per_sec}, {msg}";
const DOCUMENTS: &str =
    "{prefix} {wide_bar} {human_pos}/{human_len} documents, {per_sec}, {eta} left";
const QUERIES: &str = "{prefix} {wide_bar} {pos} of {len} queries, {eta} left";
const TASKS: &str = "{prefix} {wide_bar} {pos} of {len} tasks, {elapsed}";

#[derive(Debug)]
pub(crate) struct Progress {
    name: String,
    /// Total number of bytes, documents, queries or tasks.
    total: Option<u64>,
    bar: Option<ProgressBar>,
    begin: Instant,
    last_line: Instant,
}

impl Progress {
    /// Progress of sending a file from this byte on.
    pub(crate) fn of_file(name: &str, bytes: Option<u64>, from: u64) -> Self {
        let style = if bytes.is_some() { WITH_END } else { WITHOUT_END };
        let progress = Self::new(name, bytes, style);
        if let Some(bar) = &progress.bar {
            // Excludes what an earlier run sent from the speed.
            bar.set_position(from);
            bar.reset_eta();
        }
        progress
    }

    /// Progress of copying documents.
    pub(crate) fn of_documents(name: &str, total: u64) -> Self {
        Self::new(name, Some(total), DOCUMENTS)
    }

    /// Progress of running queries.
    pub(crate) fn of_queries(name: &str, total: u64) -> Self {
        Self::new(name, Some(total), QUERIES)
    }

    /// Progress of waiting for tasks.
    pub(crate) fn of_tasks(tasks: u64) -> Self {
        Self::new("indexing", Some(tasks), TASKS)
    }

    fn new(name: &str, total: Option<u64>, style: &str) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_prefix(name.to_owned());
            bar.set_message(counted(0, "document"));
            bar.enable_steady_tick(TICK);
            bar
        });
        let begin = Instant::now();
        Self { name: name.to_owned(), total, bar, begin, last_line: begin }
    }

    /// Reports the bytes of the file and the documents sent so far.
    pub(crate) fn sent(&mut self, position: u64, documents: u64) {
        let speed = rate(documents, self.begin.elapsed());
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{} ({}/s)", counted(documents, "document"), thousands(speed)));
            bar.set_position(position);
        } else if self.is_time() {
            let of = self.total.map(|total| format!(" of {}", human_decimal(total)));
            eprintln!(
                "{}: {}{}, {}, {} per second",
                self.name,
                human_decimal(position),
                of.unwrap_or_default(),
                counted(documents, "document"),
                thousands(speed)
            );
        }
    }

    /// Reports the documents copied so far.
    pub(crate) fn copied(&mut self, documents: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(documents);
        } else if self.is_time() {
            let total = self.total.unwrap_or_default();
            eprintln!("{}: {} of {}", self.name, thousands(documents), counted(total, "document"));
        }
    }

    /// Reports the queries answered so far.
    pub(crate) fn answered(&mut self, queries: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(queries);
        } else if self.is_time() {
            let total = self.total.unwrap_or_default();
            eprintln!("{}: {} of {} queries", self.name, thousands(queries), thousands(total));
        }
    }

    /// Reports the number of unfinished tasks.
    pub(crate) fn left(&mut self, tasks: u64) {
        let total = self.total.unwrap_or_default();
        let done = total.saturating_sub(tasks);
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        } else if self.is_time() {
            eprintln!("{}: {} of {} done", self.name, thousands(done), counted(total, "task"));
        }
    }

    /// Prints a line, above the bar if there is one.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    fn is_time(&mut self) -> bool {
        let is_time = self.last_line.elapsed() >= LINE_EVERY;
        if is_time {
            self.last_line = Instant::now();
        }
        is_time
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
