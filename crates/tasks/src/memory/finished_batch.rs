//! Feed of finished batches with their tasks, for webhooks. Each listener has a flag that says
//! whether it is interested right now: an unwanted batch costs one load, and its tasks are not
//! copied.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender};
use parking_lot::RwLock;

use super::state::Change;
use crate::task::Task;
use crate::task::ids::BatchUid;

/// Capacity of a listener's channel. The queue waits for no one: further batches are lost.
const CAPACITY: usize = 256;

/// A batch that was just made durable, with its tasks in uid order, canceled ones included.
#[derive(Debug)]
pub struct FinishedBatch {
    pub uid: BatchUid,
    pub tasks: Vec<Task>,
}

/// Receiver of finished batches, closed when the queue is gone.
pub type FinishedBatches = Receiver<Arc<FinishedBatch>>;

#[derive(Debug, Default)]
pub(crate) struct FinishedBatchFeed {
    listeners: RwLock<Vec<Listener>>,
}

#[derive(Debug)]
struct Listener {
    sender: Sender<Arc<FinishedBatch>>,
    cares: Arc<AtomicBool>,
}

impl FinishedBatchFeed {
    pub fn listen(&self, cares: Arc<AtomicBool>) -> FinishedBatches {
        let (sender, receiver) = crossbeam_channel::bounded(CAPACITY);
        self.listeners.write().push(Listener { sender, cares });
        receiver
    }

    /// Collects the finished batches among the changes of one transaction, if a listener wants
    /// them.
    pub fn among(&self, changes: &[Change]) -> Vec<Arc<FinishedBatch>> {
        let is_wanted = |listener: &Listener| listener.cares.load(Ordering::Acquire);
        if !self.listeners.read().iter().any(is_wanted) {
            return Vec::new();
        }
        let mut batches: BTreeMap<BatchUid, Vec<Task>> = BTreeMap::new();
        for change in changes {
            if let Change::Finished(task) = change
                && let Some(uid) = task.batch_uid
            {
                batches.entry(uid).or_default().push(task.clone());
            }
        }
        let finished = batches.into_iter().map(|(uid, mut tasks)| {
            tasks.sort_unstable_by_key(|task| task.uid);
            Arc::new(FinishedBatch { uid, tasks })
        });
        finished.collect()
    }

    pub fn send(&self, batches: Vec<Arc<FinishedBatch>>) {
        for batch in batches {
            for listener in self.listeners.read().iter() {
                if listener.cares.load(Ordering::Acquire)
                    && listener.sender.try_send(Arc::clone(&batch)).is_err()
                {
                    tracing::warn!(
                        batch = batch.uid,
                        "no observer is notified that the batch has ended"
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::content::Content;
    use crate::task::details::Details;
    use crate::task::ids::TaskUid;
    use crate::task::task_type::Status;

    fn finished(uid: TaskUid, batch: BatchUid, status: Status) -> Change {
        Change::Finished(Task {
            uid,
            batch_uid: Some(batch),
            status,
            content: Content::SnapshotCreation,
            details: Details::SnapshotCreation,
            error: None,
            canceled_by: None,
            enqueued_at: time::OffsetDateTime::UNIX_EPOCH,
            started_at: None,
            finished_at: None,
            custom_metadata: None,
            network: None,
        })
    }

    #[test]
    fn interested_listeners_get_whole_batches() {
        let finished_feed = FinishedBatchFeed::default();
        let cares = Arc::new(AtomicBool::new(false));
        let listener = finished_feed.listen(Arc::clone(&cares));
        let changes = [
            finished(5, 2, Status::Succeeded),
            finished(3, 2, Status::Canceled),
            finished(4, 1, Status::Failed),
            Change::BatchOver(2),
        ];
        assert!(finished_feed.among(&changes).is_empty());
        cares.store(true, Ordering::Release);
        finished_feed.send(finished_feed.among(&changes));
        let told: Vec<(BatchUid, Vec<TaskUid>)> = listener
            .try_iter()
            .map(|batch| (batch.uid, batch.tasks.iter().map(|task| task.uid).collect()))
            .collect();
        assert_eq!(told, [(1, vec![4]), (2, vec![3, 5])]);
    }

    #[test]
    fn slow_listener_blocks_no_one() {
        let finished_feed = FinishedBatchFeed::default();
        let listener = finished_feed.listen(Arc::new(AtomicBool::new(true)));
        for uid in 0..CAPACITY as u32 + 5 {
            finished_feed.send(finished_feed.among(&[finished(uid, uid, Status::Succeeded)]));
        }
        assert_eq!(listener.try_iter().count(), CAPACITY);
    }
}
