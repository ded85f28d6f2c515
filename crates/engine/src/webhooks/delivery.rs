//! Passes finished batches to the senders of the webhooks. Each webhook has a sender of its own
//! with a bounded queue, so that one that is slow or down holds up neither the task queue nor the
//! others; bodies that do not fit are lost and logged.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select};
use outbound::{BackgroundTask, Client};
use parking_lot::Mutex;
use tasks::{FinishedBatch, FinishedBatches};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::body::{QueuedBodies, WebhookBody};
use super::options::{TaskWriter, WebhookOptions};
use super::sender::WebhookSender;
use super::store::WebhookStore;

/// Bodies that may wait for one webhook.
const ROOM: usize = 1024;
/// How long shutdown waits for bodies being sent.
const LAST_WAIT: Duration = Duration::from_secs(3);
/// How often shutdown checks whether they are sent.
const STEP: Duration = Duration::from_millis(5);

/// The dispatcher thread, which runs until it is stopped or the queue is gone.
#[derive(Debug)]
pub(crate) struct Deliveries {
    running: Mutex<Option<DispatcherThread>>,
}

#[derive(Debug)]
struct DispatcherThread {
    /// Dropped to end the thread.
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// Channel to the sender of one webhook.
struct SenderHandle {
    bodies: mpsc::Sender<Arc<WebhookBody>>,
    sender: BackgroundTask<()>,
}

struct Dispatcher {
    client: Client,
    store: Arc<WebhookStore>,
    options: Arc<WebhookOptions>,
    write_task: TaskWriter,
    queued: QueuedBodies,
    senders: HashMap<Uuid, SenderHandle>,
}

impl Deliveries {
    pub fn start(
        batches: FinishedBatches,
        store: Arc<WebhookStore>,
        client: Client,
        options: WebhookOptions,
    ) -> std::io::Result<Self> {
        let Some(write_task) = options.write_task else {
            return Ok(Self { running: Mutex::default() });
        };
        let (stop, stopped) = crossbeam_channel::bounded(0);
        let options = Arc::new(options);
        let (queued, senders) = (QueuedBodies::default(), HashMap::new());
        let dispatcher = Dispatcher { client, store, options, write_task, queued, senders };
        let thread = std::thread::Builder::new()
            .name("webhooks".into())
            .spawn(move || dispatcher.work(&batches, &stopped))?;
        Ok(Self { running: Mutex::new(Some(DispatcherThread { stop, thread })) })
    }

    /// Dispatches the batches finished so far and gives the senders a moment. Call it when no batch
    /// runs any more; can be called more than once.
    pub fn stop(&self) {
        if let Some(DispatcherThread { stop, thread }) = self.running.lock().take() {
            drop(stop);
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl Dispatcher {
    fn work(mut self, batches: &FinishedBatches, stopped: &Receiver<()>) {
        loop {
            select! {
                recv(batches) -> batch => match batch {
                    Ok(batch) => self.hand_out(&batch),
                    Err(_) => break,
                },
                recv(stopped) -> _ => break,
            }
        }
        while let Ok(batch) = batches.try_recv() {
            self.hand_out(&batch);
        }
        self.drain();
    }

    fn hand_out(&mut self, batch: &FinishedBatch) {
        let webhooks = self.store.current();
        self.senders.retain(|uuid, _| webhooks.contains_key(uuid));
        if webhooks.is_empty() {
            return;
        }
        let Some(body) = self.queued.pack(batch, self.write_task) else {
            tracing::error!(batch = batch.uid, "no webhook receives the batch: too many wait");
            return;
        };
        for uuid in webhooks.keys() {
            let Some(sender) = self.sender(*uuid) else { return };
            if sender.bodies.try_send(Arc::clone(&body)).is_err() {
                tracing::error!(%uuid, batch = batch.uid, "the webhook does not receive the batch: it is too slow");
            }
        }
    }

    /// Returns the sender; none when it cannot be started any more.
    fn sender(&mut self, uuid: Uuid) -> Option<&SenderHandle> {
        if !self.senders.contains_key(&uuid) {
            let (bodies, receiver) = mpsc::channel(ROOM);
            let sender = WebhookSender {
                uuid,
                client: self.client.clone(),
                store: Arc::clone(&self.store),
                options: Arc::clone(&self.options),
            };
            let sender = self.client.start(sender.work(receiver))?;
            self.senders.insert(uuid, SenderHandle { bodies, sender });
        }
        self.senders.get(&uuid)
    }

    /// Waits until the senders have delivered everything, or the time is over.
    fn drain(self) {
        let until = Instant::now() + LAST_WAIT;
        let mut left = Vec::new();
        for (uuid, SenderHandle { bodies, sender }) in self.senders {
            drop(bodies);
            left.push((uuid, sender));
        }
        while !left.is_empty() && Instant::now() < until {
            left.retain(|(_, sender)| !sender.is_finished());
            std::thread::sleep(STEP);
        }
        for (uuid, _) in left {
            tracing::warn!(%uuid, "the webhook does not receive every batch: the service stops");
        }
    }
}
