//! Measures the queue on a real disk: enqueues from many threads, and opening a queue of many
//! tasks. `cargo run --release -p tasks --example throughput -- [folder] [tasks to open]`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use model::Cancel;
use tasks::{
    Batch, Content, IndexState, NewTask, Options, Outcome, Progress, Query, Queue, RunError,
    Runner, Scheduler, Status, Task, TaskOutcome,
};

const THREADS: usize = 8;
const ENQUEUES: usize = 10_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let count: usize = arguments.next().map_or(100_000, |text| text.parse().expect("a number"));
    let folder = folder.join(format!("tasks-throughput-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder to write to");
    measure_enqueues(&folder);
    measure_opening(&folder, count);
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

/// Runner that succeeds without doing anything.
struct Idle;

impl Runner for Idle {
    fn index_state(&self, _: &str) -> IndexState {
        IndexState::default()
    }

    fn run(&self, batch: &Batch, _: &Progress, _: &Cancel) -> Result<Outcome, RunError> {
        let succeeded = |task: &Task| TaskOutcome::Succeeded(task.details.clone());
        Ok(Outcome { tasks: batch.tasks.iter().map(succeeded).collect(), ..Outcome::default() })
    }
}

fn open(folder: &Path) -> Queue {
    let database = redb::Database::create(folder.join("meta.redb")).expect("a database");
    Queue::open(Arc::new(database), folder.join("payloads"), Options::default()).expect("a queue")
}

fn enqueue(queue: &Queue, from: usize, to: usize) {
    for number in from..to {
        let index_uid = format!("index-{}", number % 5_000);
        queue.enqueue(NewTask::new(Content::DocumentClear { index_uid })).expect("an enqueue");
    }
}

fn in_threads(queue: &Queue, threads: usize, count: usize) {
    std::thread::scope(|scope| {
        for part in 0..threads {
            let share = count / threads;
            scope.spawn(move || enqueue(queue, part * share, (part + 1) * share));
        }
    });
}

fn measure_enqueues(folder: &Path) {
    let queue = open(folder);
    let start = Instant::now();
    in_threads(&queue, 1, ENQUEUES / 10);
    let alone = start.elapsed();
    let start = Instant::now();
    in_threads(&queue, THREADS, ENQUEUES);
    let together = start.elapsed();
    report(&format!("{} enqueues, 1 thread", ENQUEUES / 10), alone, ENQUEUES / 10);
    report(&format!("{ENQUEUES} enqueues, {THREADS} threads"), together, ENQUEUES);
}

fn measure_opening(folder: &Path, count: usize) {
    let queue = open(folder);
    let start = Instant::now();
    in_threads(&queue, 256, count);
    report(&format!("{count} enqueues, 256 threads"), start.elapsed(), count);
    drop(queue);
    let start = Instant::now();
    let queue = open(folder);
    report(&format!("open with {count} waiting tasks"), start.elapsed(), count);
    let scheduler = Scheduler::new(queue.clone(), Arc::new(Idle));
    let start = Instant::now();
    let batches = std::iter::from_fn(|| scheduler.step()).count();
    report(&format!("run {count} tasks in {batches} batches"), start.elapsed(), batches);
    drop((scheduler, queue));
    let start = Instant::now();
    let queue = open(folder);
    report(&format!("open with {count} finished tasks"), start.elapsed(), count);
    let start = Instant::now();
    let query = Query {
        statuses: Some(vec![Status::Succeeded]),
        index_uids: Some(vec!["index-7".to_owned()]),
        limit: Some(20),
        ..Query::default()
    };
    let page = queue.tasks(&query, None).expect("a page");
    report(&format!("a page of {} tasks of one index", page.total), start.elapsed(), 1);
}

#[allow(clippy::print_stdout)]
fn report(what: &str, time: std::time::Duration, count: usize) {
    let each = time / u32::try_from(count.max(1)).unwrap_or(u32::MAX);
    println!("{what}: {time:.2?} ({each:.2?} each)");
}
