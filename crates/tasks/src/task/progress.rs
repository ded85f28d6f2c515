//! Progress of a running batch: a stack of named steps, each with a count, and the time every step
//! took. The work writes it and lists of batches read it at any moment, so counting is one atomic
//! addition; only opening and closing a step takes a lock.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::run_stats::RunStats;

/// Interval between announcements of mere counting; opening a step is always announced.
const ANNOUNCE_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub struct Progress {
    shared: Arc<Shared>,
}

struct Shared {
    started: Instant,
    state: Mutex<ProgressState>,
    /// Milliseconds since `started` of the last announcement.
    announced_ms: AtomicU64,
    announce: Option<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Default)]
struct ProgressState {
    next_id: u64,
    open: Vec<OpenStep>,
    /// Path of names → time spent, in the order the steps were first closed.
    trace: Vec<(String, Duration)>,
    /// Returns what the work has measured so far.
    measured: Option<MeasureFn>,
}

type MeasureFn = Arc<dyn Fn() -> RunStats + Send + Sync>;

struct OpenStep {
    id: u64,
    name: Cow<'static, str>,
    counter: Arc<Counter>,
    since: Instant,
}

struct Counter {
    finished: AtomicU32,
    total: AtomicU32,
}

/// An open step; dropping it closes it, and any step still open below it.
pub struct Step {
    shared: Arc<Shared>,
    id: u64,
    counter: Arc<Counter>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressView {
    pub steps: Vec<StepView>,
    pub percentage: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub current_step: String,
    pub finished: u32,
    pub total: u32,
}

impl Progress {
    pub fn new() -> Self {
        Self::announcing(None)
    }

    /// Creates a progress that calls `announce` on each change, from the thread that made it.
    pub(crate) fn announcing(announce: Option<Box<dyn Fn() + Send + Sync>>) -> Self {
        Self {
            shared: Arc::new(Shared {
                started: Instant::now(),
                state: Mutex::default(),
                announced_ms: AtomicU64::new(0),
                announce,
            }),
        }
    }

    /// Opens a step below those that are open.
    pub fn enter(&self, name: impl Into<Cow<'static, str>>, total: u32) -> Step {
        let counter =
            Arc::new(Counter { finished: AtomicU32::new(0), total: AtomicU32::new(total) });
        let id = {
            let mut state = self.shared.state.lock();
            let id = state.next_id;
            state.next_id += 1;
            state.open.push(OpenStep {
                id,
                name: name.into(),
                counter: counter.clone(),
                since: Instant::now(),
            });
            id
        };
        self.shared.announce_now();
        Step { shared: self.shared.clone(), id, counter }
    }

    /// Returns the view shown while the batch runs.
    pub fn view(&self) -> ProgressView {
        let state = self.shared.state.lock();
        let mut percentage = 0.0_f64;
        let mut scale = 100.0_f64;
        let mut steps = Vec::with_capacity(state.open.len());
        for step in &state.open {
            let total = step.counter.total.load(Ordering::Relaxed);
            let finished = step.counter.finished.load(Ordering::Relaxed).min(total);
            scale /= f64::from(total.max(1));
            percentage += scale * f64::from(finished);
            steps.push(StepView { current_step: step.name.to_string(), finished, total });
        }
        ProgressView { steps, percentage: percentage as f32 }
    }

    /// Sets `measured`, which returns what the work has measured, while it runs and if it fails.
    pub fn measure(&self, measured: impl Fn() -> RunStats + Send + Sync + 'static) {
        self.shared.state.lock().measured = Some(Arc::new(measured));
    }

    /// Returns what the work has measured so far.
    pub(crate) fn measured(&self) -> RunStats {
        let measured = self.shared.state.lock().measured.clone();
        measured.map_or_else(RunStats::default, |measured| measured())
    }

    /// Returns the time spent in each closed step: `"processing tasks > indexing"` → `"12.34ms"`.
    pub fn trace(&self) -> Map<String, Value> {
        shown_trace(&self.shared.state.lock().trace)
    }

    /// Like `trace`, plus the open steps with their time so far.
    pub(crate) fn trace_so_far(&self) -> Map<String, Value> {
        let state = self.shared.state.lock();
        let (mut trace, mut path) = (state.trace.clone(), String::new());
        for step in &state.open {
            if !path.is_empty() {
                path.push_str(" > ");
            }
            path.push_str(&step.name);
            record(&mut trace, path.clone(), step.since.elapsed());
        }
        shown_trace(&trace)
    }
}

impl Step {
    /// Counts `more` units of work as done.
    pub fn add(&self, more: u32) {
        self.counter.finished.fetch_add(more, Ordering::Relaxed);
        self.shared.announce_at_times();
    }

    pub fn set(&self, finished: u32) {
        self.counter.finished.store(finished, Ordering::Relaxed);
        self.shared.announce_at_times();
    }

    /// Sets the total of work whose size is found out on the way.
    pub fn set_total(&self, total: u32) {
        self.counter.total.store(total, Ordering::Relaxed);
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        let Some(position) = state.open.iter().position(|step| step.id == self.id) else { return };
        let now = Instant::now();
        while state.open.len() > position {
            let names: Vec<&str> = state.open.iter().map(|step| step.name.as_ref()).collect();
            let path = names.join(" > ");
            let Some(step) = state.open.pop() else { return };
            record(&mut state.trace, path, now - step.since);
        }
    }
}

fn record(trace: &mut Vec<(String, Duration)>, path: String, time: Duration) {
    match trace.iter_mut().find(|(known, _)| *known == path) {
        Some((_, sum)) => *sum += time,
        None => trace.push((path, time)),
    }
}

fn shown_trace(trace: &[(String, Duration)]) -> Map<String, Value> {
    let shown = |time: &Duration| Value::String(format!("{time:.2?}"));
    trace.iter().map(|(path, time)| (path.clone(), shown(time))).collect()
}

impl Shared {
    fn announce_now(&self) {
        let Some(announce) = &self.announce else { return };
        let now = self.started.elapsed().as_millis() as u64;
        self.announced_ms.store(now, Ordering::Relaxed);
        announce();
    }

    fn announce_at_times(&self) {
        if self.announce.is_none() {
            return;
        }
        let now = self.started.elapsed().as_millis() as u64;
        let last = self.announced_ms.load(Ordering::Relaxed);
        if now.saturating_sub(last) >= ANNOUNCE_INTERVAL.as_millis() as u64 {
            self.announce_now();
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&self.view()).finish()
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("finished", &self.counter.finished)
            .field("total", &self.counter.total)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_percentage_weighs_inner_steps_by_the_outer_ones() {
        let progress = Progress::new();
        assert_eq!(progress.view(), ProgressView { steps: vec![], percentage: 0.0 });
        let outer = progress.enter("processing tasks", 2);
        outer.set(1);
        let inner = progress.enter("indexing", 4);
        inner.add(1);
        inner.add(1);
        let view = progress.view();
        assert_eq!(view.percentage, 50.0 + 25.0);
        assert_eq!(
            serde_json::to_value(&view.steps).unwrap(),
            serde_json::json!([
                { "currentStep": "processing tasks", "finished": 1, "total": 2 },
                { "currentStep": "indexing", "finished": 2, "total": 4 },
            ])
        );
    }

    #[test]
    fn closed_steps_leave_their_time_under_their_path() {
        let progress = Progress::new();
        {
            let _outer = progress.enter("processing tasks", 2);
            for _ in 0..2 {
                let _inner = progress.enter("indexing", 1);
            }
            // Left open by mistake: closed with the step above it.
            std::mem::forget(progress.enter("extracting words", 1));
        }
        assert!(progress.view().steps.is_empty());
        let trace = progress.trace();
        let paths: Vec<&String> = trace.keys().collect();
        assert_eq!(
            paths,
            [
                "processing tasks > indexing",
                "processing tasks > extracting words",
                "processing tasks"
            ]
        );
        assert!(trace["processing tasks"].as_str().unwrap().ends_with('s'));
    }

    #[test]
    fn open_steps_have_their_time_until_now() {
        let progress = Progress::new();
        let _outer = progress.enter("processing tasks", 2);
        drop(progress.enter("indexing", 1));
        let _inner = progress.enter("committing", 1);
        assert_eq!(progress.trace().len(), 1, "only closed steps");
        let so_far = progress.trace_so_far();
        let paths: Vec<&String> = so_far.keys().collect();
        assert_eq!(
            paths,
            ["processing tasks > indexing", "processing tasks", "processing tasks > committing"]
        );
    }

    #[test]
    fn measured_stats_are_visible_at_any_time() {
        let progress = Progress::new();
        assert_eq!(progress.measured(), RunStats::default());
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        progress.measure(move || {
            let total = Value::from(counted.load(Ordering::Relaxed));
            let embedder_requests = [("total".to_owned(), total)].into_iter().collect();
            RunStats { embedder_requests, ..RunStats::default() }
        });
        for expected in 0..2 {
            assert_eq!(progress.measured().embedder_requests["total"], expected);
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_step_of_nothing_does_not_divide_by_zero() {
        let progress = Progress::new();
        let step = progress.enter("nothing", 0);
        step.add(3);
        assert_eq!(progress.view().percentage, 0.0);
    }
}
