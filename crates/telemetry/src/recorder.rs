//! State shared by all handles: the event buffer, the totals of the period, and the thread that
//! merges events and ends periods.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::Thread;
use std::time::{Duration, Instant};

use model::timestamp;
use outbound::OutboundError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::batch::{MAX_BATCH_BYTES, batches};
use crate::event::Event;
use crate::event_buffer::{BufferedEvent, EventBuffer, Fill};
use crate::message::Sender;
use crate::options::Options;
use crate::profile::{Instance, Profile};
use crate::totals::Totals;
use crate::uploader::Uploader;

/// Pause while earlier batches are still being sent.
const BUSY_PAUSE: Duration = Duration::from_secs(10);

pub(crate) struct Recorder {
    buffer: EventBuffer,
    period: Mutex<Period>,
    pub uid: Uuid,
    pub has_collector: bool,
    profile: Profile,
    instance: Box<dyn Instance>,
    started: OffsetDateTime,
    period_length: Duration,
    /// Set once the thread runs.
    worker: OnceLock<Thread>,
}

/// The current period.
struct Period {
    totals: Totals,
    since: OffsetDateTime,
    due: Instant,
    uploader: Option<Uploader>,
    /// Spare list, swapped with the event buffer.
    events: Vec<BufferedEvent>,
}

impl Recorder {
    pub fn open(options: Options) -> Result<Arc<Self>, OutboundError> {
        let collector = options.collector.as_deref();
        let uploader = collector.map(|url| Uploader::new(url, options.timeouts)).transpose()?;
        let now = timestamp::now();
        let recorder = Arc::new(Self {
            buffer: EventBuffer::default(),
            uid: options.uid,
            has_collector: uploader.is_some(),
            period: Mutex::new(Period {
                totals: Totals::default(),
                since: now,
                due: Instant::now() + options.period,
                uploader,
                events: Vec::new(),
            }),
            profile: options.profile,
            instance: options.instance,
            started: now,
            period_length: options.period,
            worker: OnceLock::new(),
        });
        let (weak, first_due) = (Arc::downgrade(&recorder), options.period);
        let spawned = std::thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || work(&weak, first_due));
        // Without a thread nothing is ever sent, but the server runs.
        if let Ok(worker) = spawned {
            let _ = recorder.worker.set(worker.thread().clone());
        }
        Ok(recorder)
    }

    /// Records an event without waiting.
    pub fn put(&self, event: Event, agent: Option<Box<str>>) {
        let noted = BufferedEvent { event, agent, at: timestamp::now() };
        if self.buffer.put(noted) == Fill::Half {
            self.wake();
        }
    }

    /// Returns the number of events that found no slot.
    pub fn lost(&self) -> u64 {
        self.buffer.lost()
    }

    /// Returns the batches as they would be sent now.
    pub fn batches(&self) -> Vec<String> {
        self.batches_of(&mut self.period())
    }

    /// Announces a new instance at once.
    pub fn announce(&self) {
        let mut period = self.period();
        let launch = self.sender(&period).launch();
        if let Some(uploader) = &mut period.uploader {
            uploader.send(batches([launch]));
        }
    }

    fn wake(&self) {
        if let Some(worker) = self.worker.get() {
            worker.unpark();
        }
    }

    fn period(&self) -> MutexGuard<'_, Period> {
        self.period.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sender(&self, period: &Period) -> Sender<'_> {
        Sender { uid: self.uid, version: &self.profile.version, since: period.since }
    }

    /// Merges the buffered events into the totals.
    fn keep(&self, period: &mut Period) {
        let mut events = std::mem::take(&mut period.events);
        self.buffer.take(&mut events);
        for noted in events.drain(..) {
            period.totals.add(noted.event, noted.agent.as_deref(), noted.at);
        }
        period.events = events;
    }

    fn batches_of(&self, period: &mut Period) -> Vec<String> {
        self.keep(period);
        let profile = self.profile.fields(&*self.instance, self.started);
        batches(self.sender(period).messages(profile, &period.totals))
    }

    /// Merges events, and ends the period if it is due. Returns how long nothing needs to be done.
    fn tick(&self, now: Instant) -> Duration {
        let mut period = self.period();
        self.keep(&mut period);
        let is_full = period.totals.weight() >= MAX_BATCH_BYTES;
        if now < period.due && !is_full {
            return period.due - now;
        }
        if period.uploader.as_ref().is_some_and(Uploader::is_busy) {
            return BUSY_PAUSE.min(self.period_length);
        }
        // Without a collector the figures of a period are just dropped at its end.
        if self.has_collector {
            let batches = self.batches_of(&mut period);
            if let Some(uploader) = &mut period.uploader {
                uploader.send(batches);
            }
        }
        period.totals = Totals::default();
        period.since = timestamp::now();
        period.due = now + self.period_length;
        self.period_length
    }
}

/// Runs until the last handle is gone; unsent figures are lost then.
fn work(recorder: &Weak<Recorder>, mut pause: Duration) {
    loop {
        std::thread::park_timeout(pause);
        let Some(recorder) = recorder.upgrade() else { return };
        pause = recorder.tick(Instant::now());
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.wake();
    }
}
