//! From batches that end to the couriers of the webhooks. Each webhook has a courier of its own
//! with room for so many parcels, so that one that is slow or away holds up neither the queue nor
//! the others; what does not fit is lost and logged.

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

use super::courier::Courier;
use super::options::{TaskWriter, WebhookOptions};
use super::parcel::{Parcel, Shelf};
use super::store::WebhookStore;

/// Parcels that wait for one webhook.
const ROOM: usize = 1024;
/// How long the end of the process waits for parcels under way.
const LAST_WAIT: Duration = Duration::from_secs(3);
/// How often the end is looked for.
const STEP: Duration = Duration::from_millis(5);

/// The thread that hands out, until it is stopped or the queue is gone.
#[derive(Debug)]
pub(crate) struct Deliveries {
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    /// Dropped to end the thread.
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// The way to one webhook.
struct Lane {
    parcels: mpsc::Sender<Arc<Parcel>>,
    courier: BackgroundTask<()>,
}

struct Dispatcher {
    client: Client,
    store: Arc<WebhookStore>,
    options: Arc<WebhookOptions>,
    write_task: TaskWriter,
    shelf: Shelf,
    lanes: HashMap<Uuid, Lane>,
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
        let (shelf, lanes) = (Shelf::default(), HashMap::new());
        let dispatcher = Dispatcher { client, store, options, write_task, shelf, lanes };
        let thread = std::thread::Builder::new()
            .name("webhooks".into())
            .spawn(move || dispatcher.work(&batches, &stopped))?;
        Ok(Self { running: Mutex::new(Some(Running { stop, thread })) })
    }

    /// Hands out what has ended so far and gives the couriers a moment. To be called when no
    /// batch runs any more; can be called more than once.
    pub fn stop(&self) {
        if let Some(Running { stop, thread }) = self.running.lock().take() {
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
        self.lanes.retain(|uuid, _| webhooks.contains_key(uuid));
        if webhooks.is_empty() {
            return;
        }
        let Some(parcel) = self.shelf.pack(batch, self.write_task) else {
            tracing::error!(batch = batch.uid, "no webhook is told of the batch: too many wait");
            return;
        };
        for uuid in webhooks.keys() {
            let Some(lane) = self.lane(*uuid) else { return };
            if lane.parcels.try_send(Arc::clone(&parcel)).is_err() {
                tracing::error!(%uuid, batch = batch.uid, "the webhook is not told of the batch: it is too slow");
            }
        }
    }

    /// None when nothing can go out any more.
    fn lane(&mut self, uuid: Uuid) -> Option<&Lane> {
        if !self.lanes.contains_key(&uuid) {
            let (parcels, receiver) = mpsc::channel(ROOM);
            let courier = Courier {
                uuid,
                client: self.client.clone(),
                store: Arc::clone(&self.store),
                options: Arc::clone(&self.options),
            };
            let courier = self.client.start(courier.work(receiver))?;
            self.lanes.insert(uuid, Lane { parcels, courier });
        }
        self.lanes.get(&uuid)
    }

    /// Couriers end when they have delivered everything, or when the time is over.
    fn drain(self) {
        let until = Instant::now() + LAST_WAIT;
        let mut left = Vec::new();
        for (uuid, Lane { parcels, courier }) in self.lanes {
            drop(parcels);
            left.push((uuid, courier));
        }
        while !left.is_empty() && Instant::now() < until {
            left.retain(|(_, courier)| !courier.is_finished());
            std::thread::sleep(STEP);
        }
        for (uuid, _) in left {
            tracing::warn!(%uuid, "the webhook is not told of every batch: the service ends");
        }
    }
}
