//! Random histories against a naive model of the queue: enqueue, cancel, delete, run, restart,
//! kill. After every operation the queue must say what the model says, for every task and for
//! random lists. The seed is fixed; proptest prints the shortest failing history.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use tasks::*;
use tempfile::TempDir;

use crate::support::disk::MemoryDisk;
use crate::support::*;

const INDEXES: [&str; 3] = ["a", "b", "c"];

#[derive(Debug, Clone)]
enum Operation {
    Add(usize),
    Clear(usize),
    Create(usize),
    Swap(usize, usize),
    Dump,
    Cancel(Vec<TaskUid>),
    Delete(Vec<TaskUid>),
    Step,
    Restart,
    Kill,
    List(Box<ListQuery>),
}

#[derive(Debug, Clone)]
struct ListQuery {
    limit: u32,
    from: Option<u32>,
    reverse: bool,
    index: Option<usize>,
    statuses: Option<Vec<Status>>,
    batch: Option<BatchUid>,
    hidden: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskKind {
    Add,
    Clear,
    Create,
    Swap,
    Dump,
    Cancel,
    Delete,
}

#[derive(Debug, Clone)]
struct ModelTask {
    uid: TaskUid,
    kind: TaskKind,
    names: Vec<String>,
    targets: Vec<TaskUid>,
    status: Status,
    batch: Option<BatchUid>,
    canceled_by: Option<TaskUid>,
}

#[derive(Debug, Default)]
struct Model {
    tasks: Vec<ModelTask>,
    next_task: TaskUid,
    next_batch: BatchUid,
}

impl Model {
    fn enqueue(&mut self, kind: TaskKind, names: Vec<String>, targets: Vec<TaskUid>) {
        let uid = self.next_task;
        self.next_task += 1;
        let targets =
            targets.into_iter().filter(|t| self.tasks.iter().any(|task| task.uid == *t)).collect();
        self.tasks.push(ModelTask {
            uid,
            kind,
            names,
            targets,
            status: Status::Enqueued,
            batch: None,
            canceled_by: None,
        });
    }

    fn waiting(&self) -> impl Iterator<Item = &ModelTask> {
        self.tasks.iter().filter(|task| task.status == Status::Enqueued)
    }

    fn task(&mut self, uid: TaskUid) -> &mut ModelTask {
        self.tasks.iter_mut().find(|task| task.uid == uid).unwrap()
    }

    /// The uids of the next batch, and what kind it is.
    fn next_batch(&self) -> Option<(TaskKind, Vec<TaskUid>)> {
        let of = |kind: TaskKind| self.waiting().filter(move |task| task.kind == kind);
        if let Some(newest) = of(TaskKind::Cancel).last() {
            return Some((TaskKind::Cancel, vec![newest.uid]));
        }
        let deletions: Vec<TaskUid> = of(TaskKind::Delete).map(|task| task.uid).collect();
        if !deletions.is_empty() {
            return Some((TaskKind::Delete, deletions));
        }
        if let Some(dump) = of(TaskKind::Dump).next() {
            return Some((TaskKind::Dump, vec![dump.uid]));
        }
        let first = self.waiting().next()?;
        let mut batch = vec![first.uid];
        let mut row = first.kind;
        if matches!(first.kind, TaskKind::Create | TaskKind::Swap) {
            return Some((row, batch));
        }
        let same_index = |task: &&ModelTask| task.names.contains(&first.names[0]);
        for next in self.waiting().filter(same_index).skip(1) {
            match (row, next.kind) {
                (TaskKind::Add, TaskKind::Add) | (TaskKind::Clear, TaskKind::Clear) => {}
                (TaskKind::Add, TaskKind::Clear) => row = TaskKind::Clear,
                _ => break,
            }
            batch.push(next.uid);
        }
        Some((row, batch))
    }

    /// Runs the next batch; what the work gave is read from the queue.
    fn step(&mut self, queue: &Queue) -> Option<BatchUid> {
        let (kind, uids) = self.next_batch()?;
        let batch = self.next_batch;
        self.next_batch += 1;
        for &uid in &uids {
            let targets = self.task(uid).targets.clone();
            match kind {
                TaskKind::Cancel => {
                    for target in targets {
                        let task = self.task(target);
                        if task.status == Status::Enqueued {
                            task.status = Status::Canceled;
                            task.batch = Some(batch);
                            task.canceled_by = Some(uid);
                        }
                    }
                }
                TaskKind::Delete => self
                    .tasks
                    .retain(|task| !targets.contains(&task.uid) || !task.status.is_finished()),
                _ => {}
            }
        }
        // Tasks of the batch itself were not finished when it looked.
        for &uid in &uids {
            let outcome = queue.task(uid, None).unwrap().status;
            assert!(outcome.is_finished(), "task {uid} of batch {batch} is {outcome}");
            let task = self.task(uid);
            task.status = outcome;
            task.batch = Some(batch);
            if kind == TaskKind::Swap && outcome == Status::Succeeded {
                self.swap(uid);
            }
        }
        Some(batch)
    }

    fn swap(&mut self, uid: TaskUid) {
        let [left, right] = <[String; 2]>::try_from(self.task(uid).names.clone()).unwrap();
        for task in self.tasks.iter_mut().filter(|task| task.uid < uid) {
            for name in &mut task.names {
                if *name == left {
                    *name = right.clone();
                } else if *name == right {
                    *name = left.clone();
                }
            }
        }
    }

    /// Uids, total, from and next of a page, computed the slow way.
    fn list(&self, query: &ListQuery) -> (Vec<TaskUid>, u64, Option<u32>, Option<u32>) {
        let index = query.index.map(|index| INDEXES[index]);
        let hidden = query.hidden.map(|index| INDEXES[index]);
        let is_of_one_index = |task: &ModelTask| {
            matches!(task.kind, TaskKind::Add | TaskKind::Clear | TaskKind::Create)
        };
        let matching: Vec<&ModelTask> = self
            .tasks
            .iter()
            .filter(|task| index.is_none_or(|name| task.names.iter().any(|n| n == name)))
            .filter(|task| query.statuses.as_ref().is_none_or(|set| set.contains(&task.status)))
            .filter(|task| query.batch.is_none_or(|batch| task.batch == Some(batch)))
            .filter(|task| {
                hidden.is_none_or(|name| {
                    is_of_one_index(task) && task.names.iter().all(|n| n != name)
                })
            })
            .collect();
        let total = matching.len() as u64;
        let mut ordered = matching;
        if !query.reverse {
            ordered.reverse();
        }
        let mut page: Vec<TaskUid> = ordered
            .into_iter()
            .filter(|task| match (query.from, query.reverse) {
                (None, _) => true,
                (Some(from), true) => task.uid >= from,
                (Some(from), false) => task.uid <= from,
            })
            .take(query.limit as usize + 1)
            .filter(|task| index.is_none() || is_of_one_index(task))
            .map(|task| task.uid)
            .collect();
        let next = if page.len() > query.limit as usize { page.pop() } else { None };
        let from = page.first().copied();
        (page, total, from, next)
    }
}

/// The real queue beside the model.
struct Pair {
    model: Model,
    disk: MemoryDisk,
    folder: TempDir,
    runner: Arc<FakeRunner>,
    open: Option<(Queue, Scheduler)>,
}

impl Pair {
    fn new() -> Self {
        let mut pair = Self {
            model: Model::default(),
            disk: MemoryDisk::default(),
            folder: tempfile::tempdir().unwrap(),
            runner: Arc::default(),
            open: None,
        };
        pair.reopen();
        pair
    }

    fn reopen(&mut self) {
        self.open = None;
        let database = self.disk.open_database();
        let queue = Queue::open(database, self.folder.path(), Options::default()).unwrap();
        let scheduler = Scheduler::new(queue.clone(), self.runner.clone());
        self.open = Some((queue, scheduler));
    }

    fn queue(&self) -> &Queue {
        &self.open.as_ref().unwrap().0
    }

    fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Add(index) => {
                let body = vec![b' '; 3 + index * 40_000];
                let task = addition(self.queue(), INDEXES[*index], 2, &body);
                self.enqueue(task, TaskKind::Add, &[*index], &[]);
            }
            Operation::Clear(index) => {
                let task = NewTask::new(clear(INDEXES[*index]));
                self.enqueue(task, TaskKind::Clear, &[*index], &[]);
            }
            Operation::Create(index) => {
                let task = NewTask::new(creation(INDEXES[*index]));
                self.enqueue(task, TaskKind::Create, &[*index], &[]);
            }
            Operation::Swap(left, right) if left != right => {
                let task = NewTask::new(swap(INDEXES[*left], INDEXES[*right]));
                self.enqueue(task, TaskKind::Swap, &[*left, *right], &[]);
            }
            Operation::Swap(..) => {}
            Operation::Dump => {
                let task = NewTask::new(Content::DumpCreation { instance_uid: None });
                self.enqueue(task, TaskKind::Dump, &[], &[]);
            }
            Operation::Cancel(targets) => {
                self.queue().cancel(&uids(targets), "?", None).unwrap();
                self.model.enqueue(TaskKind::Cancel, vec![], targets.clone());
            }
            Operation::Delete(targets) => {
                self.queue().delete(&uids(targets), "?", None).unwrap();
                self.model.enqueue(TaskKind::Delete, vec![], targets.clone());
            }
            Operation::Step => {
                let (queue, scheduler) = self.open.as_ref().unwrap();
                let ran = scheduler.step();
                assert_eq!(ran, self.model.step(queue));
            }
            Operation::Restart => self.reopen(),
            Operation::Kill => {
                let disk = self.disk.after_kill();
                self.disk = disk;
                self.reopen();
            }
            Operation::List(query) => self.check_list(query),
        }
        self.check_tasks();
    }

    fn enqueue(&mut self, task: NewTask, kind: TaskKind, indexes: &[usize], targets: &[TaskUid]) {
        let enqueued = self.queue().enqueue(task).unwrap();
        assert_eq!(enqueued.uid, self.model.next_task);
        let names = indexes.iter().map(|&index| INDEXES[index].to_owned()).collect();
        self.model.enqueue(kind, names, targets.to_vec());
    }

    fn check_tasks(&self) {
        let mut real = Vec::new();
        let all = Query { reverse: true, ..Query::default() };
        for task in self.queue().tasks(&all, None).unwrap().results {
            let names: Vec<String> =
                task.content.index_uids().into_iter().map(str::to_owned).collect();
            real.push((task.uid, task.status, task.batch_uid, task.canceled_by, names));
            assert_eq!(task.batch_uid.is_some(), task.finished_at.is_some());
        }
        let expected: Vec<_> = self
            .model
            .tasks
            .iter()
            .map(|task| {
                let mut names = task.names.clone();
                names.sort_unstable();
                (task.uid, task.status, task.batch, task.canceled_by, names)
            })
            .collect();
        assert_eq!(real, expected);
        let mut batches: Vec<BatchUid> = self.model.tasks.iter().filter_map(|t| t.batch).collect();
        batches.sort_unstable();
        batches.dedup();
        let listed = self.queue().batches(&all, None).unwrap().results;
        let listed: Vec<BatchUid> = listed.iter().map(|batch| batch.uid).collect();
        assert_eq!(listed, batches, "a batch goes with its last task");
        let waiting_bodies = self.model.waiting().filter(|task| task.kind == TaskKind::Add);
        let large = waiting_bodies.filter(|task| {
            let task = self.queue().task(task.uid, None).unwrap();
            task.content.payload().unwrap().bytes() > 64 << 10
        });
        let files = std::fs::read_dir(self.folder.path()).unwrap().count();
        assert_eq!(files, large.count(), "payload files");
    }

    fn check_list(&self, query: &ListQuery) {
        let hidden = query.hidden.map(|index| INDEXES[index]);
        let sees = |name: &str| Some(name) != hidden;
        let visible: Visibility<'_> = if hidden.is_some() { Some(&sees) } else { None };
        let page = self
            .queue()
            .tasks(
                &Query {
                    limit: Some(query.limit),
                    from: query.from,
                    reverse: query.reverse,
                    index_uids: query.index.map(|index| vec![INDEXES[index].to_owned()]),
                    statuses: query.statuses.clone(),
                    batch_uids: query.batch.map(|batch| vec![batch]),
                    ..Query::default()
                },
                visible,
            )
            .unwrap();
        let found: Vec<TaskUid> = page.results.iter().map(|task| task.uid).collect();
        assert_eq!((found, page.total, page.from, page.next), self.model.list(query), "{query:?}");
    }
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let index = 0..INDEXES.len();
    let targets = || proptest::collection::vec(0..40_u32, 0..12);
    let statuses = proptest::sample::subsequence(Status::ALL, 0..5);
    let list = (
        0..6_u32,
        proptest::option::of(0..40_u32),
        any::<bool>(),
        proptest::option::of(index.clone()),
        proptest::option::of(statuses),
        proptest::option::of(0..12_u32),
        proptest::option::of(index.clone()),
    );
    let list = list.prop_map(|(limit, from, reverse, index, statuses, batch, hidden)| {
        let query = ListQuery { limit, from, reverse, index, statuses, batch, hidden };
        Operation::List(Box::new(query))
    });
    let operation = prop_oneof![
        4 => index.clone().prop_map(Operation::Add),
        2 => index.clone().prop_map(Operation::Clear),
        2 => index.clone().prop_map(Operation::Create),
        2 => (index.clone(), index).prop_map(|(left, right)| Operation::Swap(left, right)),
        1 => Just(Operation::Dump),
        2 => targets().prop_map(Operation::Cancel),
        2 => targets().prop_map(Operation::Delete),
        6 => Just(Operation::Step),
        1 => Just(Operation::Restart),
        1 => Just(Operation::Kill),
        4 => list,
    ];
    proptest::collection::vec(operation, 1..60)
}

#[test]
fn the_queue_behaves_like_a_naive_one() {
    let config = Config { cases: 120, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(&operations(), |operations| {
        let mut pair = Pair::new();
        for operation in &operations {
            pair.apply(operation);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
