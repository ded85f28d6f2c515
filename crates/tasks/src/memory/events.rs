//! Changes of tasks and batches, told to whoever listens. Each listener has a bounded mailbox; one
//! that does not empty it is dropped, because the queue waits for nobody. The bound leaves room for
//! a large batch, whose tasks all change at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::{Receiver, Sender};
use parking_lot::Mutex;

use crate::task::Task;
use crate::task::batch::BatchView;

const CAPACITY: usize = 1 << 18;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A task's status changed: the whole task.
    Task(Arc<Task>),
    /// A batch started, advanced or finished.
    Batch(Arc<BatchView>),
}

/// The receiving end. Once closed by the queue, the listener was too slow or the queue is gone.
pub type Events = Receiver<Event>;

#[derive(Debug, Default)]
pub(crate) struct Announcer {
    listeners: Mutex<Vec<Sender<Event>>>,
    count: AtomicUsize,
}

impl Announcer {
    pub fn subscribe(&self) -> Events {
        let (sender, receiver) = crossbeam_channel::unbounded();
        let mut listeners = self.listeners.lock();
        listeners.push(sender);
        self.count.store(listeners.len(), Ordering::Release);
        receiver
    }

    /// Whether making an event is worth the trouble.
    pub fn has_listeners(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    pub fn send(&self, event: &Event) {
        if !self.has_listeners() {
            return;
        }
        let mut listeners = self.listeners.lock();
        listeners.retain(|listener| {
            if listener.len() >= CAPACITY {
                tracing::warn!("a listener of the task stream is too slow and was dropped");
                return false;
            }
            listener.send(event.clone()).is_ok()
        });
        self.count.store(listeners.len(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::batch::Stats;

    fn event(uid: u32) -> Event {
        Event::Batch(Arc::new(BatchView {
            uid,
            progress: None,
            details: serde_json::Map::new(),
            stats: Stats::default(),
            started_at: time::OffsetDateTime::UNIX_EPOCH,
            finished_at: None,
            strategy: String::new(),
        }))
    }

    #[test]
    fn a_listener_that_does_not_listen_is_dropped() {
        let announcer = Announcer::default();
        let slow = announcer.subscribe();
        let gone = announcer.subscribe();
        drop(gone);
        let event = event(0);
        for _ in 0..CAPACITY + 5 {
            announcer.send(&event);
        }
        assert!(!announcer.has_listeners());
        assert_eq!(slow.iter().count(), CAPACITY);
    }
}
