//! Broadcasts changes of tasks and batches. Each listener has a bounded channel; a listener that
//! does not empty it is dropped, because the queue waits for no one. The bound leaves room for a
//! large batch, whose tasks all change at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::{Receiver, Sender};
use parking_lot::Mutex;

use crate::task::Task;
use crate::task::batch::BatchView;

const CAPACITY: usize = 1 << 18;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A task whose status changed, whole.
    Task(Arc<Task>),
    /// A batch that started, advanced or finished.
    Batch(Arc<BatchView>),
}

/// The receiving end. It is closed when the listener was too slow or the queue is gone.
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

    /// Returns whether anyone listens, so that callers can skip building events.
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
    fn slow_listener_is_dropped() {
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
