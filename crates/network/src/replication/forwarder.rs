//! Forwards tasks to the other members, with a thread for each, so that a slow or absent one holds
//! up no other. Tasks are sent in order, each until the member has accepted it; the queue stores
//! them meanwhile, across restarts too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::{Cancel, ServiceError};
use outbound::Client;
use parking_lot::Mutex;
use tasks::{Delivery, Queue, RemoteTask, Task, TaskNetwork};

use super::Members;
use super::answer::Verdict;
use super::delivery_tracker::DeliveryTracker;
use super::request::{Request, Sender};
use crate::placement::Availability;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Handle to the forwarder threads, cheap to clone.
#[derive(Debug, Clone)]
pub struct Forwarders {
    shared: Arc<Shared>,
    threads: Arc<Mutex<BTreeMap<String, JoinHandle<()>>>>,
}

#[derive(Debug)]
struct Shared {
    queue: Queue,
    client: Client,
    members: Members,
    /// Updated too: a member that accepts writes can be searched.
    availability: Arc<Availability>,
    /// Members that answer that they left.
    departed: Mutex<BTreeSet<String>>,
    tracker: DeliveryTracker,
    closing: Cancel,
}

impl Forwarders {
    pub fn new(
        queue: Queue,
        client: Client,
        members: Members,
        availability: Arc<Availability>,
    ) -> Self {
        let (departed, closing) = (Mutex::default(), Cancel::new());
        let tracker = DeliveryTracker::default();
        let shared = Shared { queue, client, members, availability, departed, tracker, closing };
        Self { shared: Arc::new(shared), threads: Arc::default() }
    }

    /// Starts a thread for each member with waiting tasks, unless it has one.
    pub fn start(&self) {
        let mut threads = self.threads.lock();
        threads.retain(|_, thread| !thread.is_finished());
        for (recipient, _) in self.shared.queue.recipients() {
            if threads.contains_key(&recipient) || self.shared.is_closing() {
                continue;
            }
            let (shared, name) = (Arc::clone(&self.shared), recipient.clone());
            let thread = std::thread::Builder::new()
                .name("forwarder".to_owned())
                .spawn(move || shared.serve(&name));
            match thread {
                Ok(thread) => drop(threads.insert(recipient, thread)),
                // Retried with the next write.
                Err(error) => tracing::error!("writes cannot be forwarded: {error}"),
            }
        }
    }

    /// Returns whether the member refuses its tasks because it left on its own.
    pub fn has_departed(&self, member: &str) -> bool {
        self.shared.departed.lock().contains(member)
    }

    /// Forwards the task, and waits until the reachable members have accepted it.
    pub fn hand_on(&self, task: &Task) {
        if let Some(TaskNetwork::Remotes { remote_tasks, .. }) = &task.network {
            // A member with nothing to accept at startup has no thread yet.
            self.start();
            self.shared.tracker.wait(remote_tasks.keys().map(String::as_str), task.uid);
        }
    }

    /// Ends the threads. Tasks not yet accepted stay in the queue.
    pub fn stop(&self) {
        self.shared.closing.cancel();
        self.shared.tracker.close();
        self.shared.queue.wake_delivery_waiters();
        let threads = std::mem::take(&mut *self.threads.lock());
        for thread in threads.into_values() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Delivers tasks until it is stopped, or nothing is left for a former member.
    fn serve(&self, recipient: &str) {
        let mut pause = FIRST_PAUSE;
        let mut shown = None;
        while !self.is_closing() {
            let seen = self.queue.delivery_generation();
            let step = match self.queue.next_delivery(recipient) {
                Ok(Some(delivery)) => self.deliver(recipient, delivery, &mut shown),
                Ok(None) => {
                    self.queue.wait_for_deliveries(seen, None);
                    continue;
                }
                Err(error) => Err(error),
            };
            match step {
                Ok(Step::Next) => pause = FIRST_PAUSE,
                Ok(Step::Gone) => return,
                Ok(Step::Retry) => {
                    self.rest(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => {
                    tracing::error!(recipient, "a write cannot be forwarded: {error}");
                    self.rest(LONGEST_PAUSE);
                }
            }
        }
    }

    fn deliver(
        &self,
        recipient: &str,
        delivery: Delivery,
        shown: &mut Option<(u32, String)>,
    ) -> Result<Step, ServiceError> {
        let Delivery { task, payload } = delivery;
        let network = self.members.network();
        let (Some(own), Some(remote)) = (&network.name, self.members.address(recipient)) else {
            self.queue.forget_recipient(recipient)?;
            self.tracker.mark_stuck(recipient, task.uid);
            return Ok(Step::Gone);
        };
        let version = task.network.as_ref().map(TaskNetwork::network_version);
        let sender = Sender {
            remote: own,
            task_uid: task.uid,
            network_version: version.unwrap_or_default(),
        };
        let metadata = task.custom_metadata.as_deref();
        let request = match Request::of_task(&task.content, metadata, payload, recipient) {
            Ok(request) => request,
            Err(error) => {
                let refused = RemoteTask { task_uid: None, error: Some(error) };
                self.queue.delivered(recipient, task.uid, refused)?;
                self.tracker.mark_accepted(recipient, task.uid);
                return Ok(Step::Next);
            }
        };
        let call = request.call(&remote, sender, &[]);
        let answer = self.client.send_blocking(call, &self.closing);
        if self.is_closing() && answer.is_err() {
            return Ok(Step::Retry);
        }
        let verdict = Verdict::of(answer, remote.write_api_key.as_ref());
        match &verdict {
            Verdict::Later { is_there: false, .. } => self.availability.failed(recipient),
            _ => self.availability.answered(recipient),
        }
        if matches!(&verdict, Verdict::Later { has_left: true, .. }) {
            self.departed.lock().insert(recipient.to_owned());
        } else {
            self.departed.lock().remove(recipient);
        }
        match verdict {
            Verdict::Taken(task_uid) => {
                self.queue.delivered(recipient, task.uid, RemoteTask { task_uid, error: None })?;
                self.tracker.mark_accepted(recipient, task.uid);
                Ok(Step::Next)
            }
            Verdict::Refused(error) => {
                tracing::warn!(recipient, task = task.uid, "a write was refused: {error}");
                let refused = RemoteTask { task_uid: None, error: Some(error) };
                self.queue.delivered(recipient, task.uid, refused)?;
                self.tracker.mark_accepted(recipient, task.uid);
                Ok(Step::Next)
            }
            Verdict::Later { error, .. } => {
                self.tracker.mark_stuck(recipient, task.uid);
                let told = (task.uid, error.message.clone());
                if shown.as_ref() != Some(&told) {
                    tracing::warn!(recipient, task = task.uid, "a write waits: {error}");
                    self.queue.delivery_failed(recipient, task.uid, error)?;
                    *shown = Some(told);
                }
                Ok(Step::Retry)
            }
        }
    }

    /// Pauses, unless the threads are to end.
    fn rest(&self, pause: Duration) {
        let until = Instant::now() + pause;
        while !self.is_closing() && Instant::now() < until {
            let seen = self.queue.delivery_generation();
            self.queue.wait_for_deliveries(seen, Some(until));
        }
    }
}

enum Step {
    /// The member has accepted the task, or never will.
    Next,
    /// Send the same task again, later.
    Retry,
    /// The member is unknown.
    Gone,
}
