//! What all handles share: the inbox, the books that are kept of it, and the thread that keeps
//! them and closes them when a period is over.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::Thread;
use std::time::{Duration, Instant};

use model::timestamp;
use outbound::OutboundError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::bundle::{MAX_BUNDLE_BYTES, bundles};
use crate::inbox::{Fill, Inbox, Note};
use crate::kinds::{Event, Ledger};
use crate::message::Sender;
use crate::options::Options;
use crate::post::Post;
use crate::profile::{Instance, Profile};

/// How soon to look again when the bundles before are still being sent.
const NOT_YET: Duration = Duration::from_secs(10);

pub(crate) struct Office {
    inbox: Inbox,
    books: Mutex<Books>,
    pub uid: Uuid,
    pub has_collector: bool,
    profile: Profile,
    instance: Box<dyn Instance>,
    started: OffsetDateTime,
    period: Duration,
    /// Set as soon as it runs.
    worker: OnceLock<Thread>,
}

/// What is known of the present period.
struct Books {
    ledger: Ledger,
    since: OffsetDateTime,
    due: Instant,
    post: Option<Post>,
    /// Lent to the inbox in turn.
    notes: Vec<Note>,
}

impl Office {
    pub fn open(options: Options) -> Result<Arc<Self>, OutboundError> {
        let collector = options.collector.as_deref();
        let post = collector.map(|url| Post::new(url, options.patience)).transpose()?;
        let now = timestamp::now();
        let office = Arc::new(Self {
            inbox: Inbox::default(),
            uid: options.uid,
            has_collector: post.is_some(),
            books: Mutex::new(Books {
                ledger: Ledger::default(),
                since: now,
                due: Instant::now() + options.period,
                post,
                notes: Vec::new(),
            }),
            profile: options.profile,
            instance: options.instance,
            started: now,
            period: options.period,
            worker: OnceLock::new(),
        });
        let (weak, first_due) = (Arc::downgrade(&office), options.period);
        let spawned = std::thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || work(&weak, first_due));
        // Without a thread nothing is ever sent; that stops nobody from serving.
        if let Ok(worker) = spawned {
            let _ = office.worker.set(worker.thread().clone());
        }
        Ok(office)
    }

    /// Never waits for anything.
    pub fn put(&self, event: Event, agent: Option<Box<str>>) {
        let note = Note { event, agent, at: timestamp::now() };
        if self.inbox.put(note) == Fill::Half {
            self.wake();
        }
    }

    /// How many events found no slot.
    pub fn lost(&self) -> u64 {
        self.inbox.lost()
    }

    /// What would be sent if it were sent now.
    pub fn bundles(&self) -> Vec<String> {
        self.bundles_of(&mut self.books())
    }

    /// Tells at once that there is a new instance.
    pub fn announce(&self) {
        let mut books = self.books();
        let launch = self.sender(&books).launch();
        if let Some(post) = &mut books.post {
            post.send(bundles([launch]));
        }
    }

    fn wake(&self) {
        if let Some(worker) = self.worker.get() {
            worker.unpark();
        }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sender(&self, books: &Books) -> Sender<'_> {
        Sender { uid: self.uid, version: &self.profile.version, since: books.since }
    }

    /// Writes down what was left in the inbox.
    fn keep(&self, books: &mut Books) {
        let mut notes = std::mem::take(&mut books.notes);
        self.inbox.take(&mut notes);
        for note in notes.drain(..) {
            books.ledger.add(note.event, note.agent.as_deref(), note.at);
        }
        books.notes = notes;
    }

    fn bundles_of(&self, books: &mut Books) -> Vec<String> {
        self.keep(books);
        let profile = self.profile.sheet(&*self.instance, self.started);
        bundles(self.sender(books).messages(profile, &books.ledger))
    }

    /// Keeps the books, and closes them if it is time. Gives how long nothing needs to be done.
    fn tick(&self, now: Instant) -> Duration {
        let mut books = self.books();
        self.keep(&mut books);
        let is_full = books.ledger.weight() >= MAX_BUNDLE_BYTES;
        if now < books.due && !is_full {
            return books.due - now;
        }
        if books.post.as_ref().is_some_and(Post::is_busy) {
            return NOT_YET.min(self.period);
        }
        // Without a collector the figures of a period are only forgotten when it ends.
        if self.has_collector {
            let bundles = self.bundles_of(&mut books);
            if let Some(post) = &mut books.post {
                post.send(bundles);
            }
        }
        books.ledger = Ledger::default();
        books.since = timestamp::now();
        books.due = now + self.period;
        self.period
    }
}

/// Ends when the last handle is gone; what is unsent then is lost.
fn work(office: &Weak<Office>, mut pause: Duration) {
    loop {
        std::thread::park_timeout(pause);
        let Some(office) = office.upgrade() else { return };
        pause = office.tick(Instant::now());
    }
}

impl Drop for Office {
    fn drop(&mut self) {
        self.wake();
    }
}
