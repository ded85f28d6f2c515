//! One subscriber to the task queue for all clients of event streams. The queue sends events to a
//! blocking channel per subscriber; one thread reads it for all clients, and runs only while there
//! are any.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::Engine;
use tasks::{Event, Events};
use tokio::sync::broadcast;

/// Events buffered for a client that reads slowly; its stream ends if it falls further behind.
const BACKLOG: usize = 4096;

/// Broadcasts events of the queue to every client.
#[derive(Clone, Default)]
pub(crate) struct Relay {
    running: Arc<Mutex<Option<broadcast::Sender<Event>>>>,
}

impl Relay {
    /// Subscribes to events from now on; earlier ones are not replayed.
    pub fn listen(&self, engine: &Engine) -> broadcast::Receiver<Event> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = &*running {
            return sender.subscribe();
        }
        let (sender, receiver) = broadcast::channel(BACKLOG);
        *running = Some(sender.clone());
        let events = engine.subscribe();
        let relay = self.clone();
        std::thread::spawn(move || relay.forward(&events, &sender));
        receiver
    }

    /// Forwards events until there are no subscribers, or the queue is closed.
    fn forward(&self, events: &Events, sender: &broadcast::Sender<Event>) {
        loop {
            match events.recv_timeout(Duration::from_secs(1)) {
                // An error means there are no subscribers; the check below ends the loop.
                Ok(event) => drop(sender.send(event)),
                Err(error) if error.is_disconnected() => break,
                Err(_) => {}
            }
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            // Under the lock, so that no client joins a relay that is about to end.
            if sender.receiver_count() == 0 {
                *running = None;
                return;
            }
        }
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
