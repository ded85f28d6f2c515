//! The task of a change of the topology, which runs alone. Each member sends the documents that
//! others get and it is to send, takes in what it gets, and says so; when all have what they get,
//! all ask and answer by the new topology; when all do, each deletes what it no longer owns.
//!
//! After a crash the task runs again from its beginning and comes to the same end: documents are
//! sent again and replace themselves, what arrived was put aside durably, and whoever has
//! finished already answers that it needs nothing.

mod export;
mod import;
mod moves;
mod reach;
mod stale;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{Code, ServiceError};
use tasks::{
    Details, Outcome, Progress, RegistryUpdate, RunError, Step, StopFlag, Task, TaskOutcome,
};

use super::change::TopologyChange;
use super::member::{Stage, notice_key};
use super::{Placement, Placements, Sharding};
use crate::runner::BatchRunner;
use moves::Moves;
use reach::Reach;

const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// What the run of one change needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TopologyRun<'r> {
    pub sharding: &'r Sharding,
    pub runner: &'r BatchRunner,
    pub progress: &'r Progress,
    pub stop: &'r StopFlag,
}

/// A change on its way, as this member sees it.
struct Course<'r> {
    run: TopologyRun<'r>,
    change: TopologyChange,
    own: String,
    task_uid: u32,
    reach: Reach,
}

impl TopologyRun<'_> {
    pub fn run(self, task: &Task, change: &serde_json::Value) -> Result<Outcome, RunError> {
        let change = TopologyChange::read(change)?;
        let network = self.sharding.members.network();
        let own = network.name.clone().unwrap_or_default();
        if !change.moves_documents() {
            let is_clean = self.sharding.members.placements.current().is_clean;
            let message = match change.leader {
                Some(_) => "No document had to move.",
                None => "Documents are no longer shared out and stay where they are.",
            };
            let is_clean = is_clean || change.leader.is_none();
            return Ok(finished(self.sharding, &change, &own, is_clean, 0, message));
        }
        self.sharding.forget_older_changes(change.version)?;
        let reach = Reach::new(self.sharding.patience);
        let course = Course { run: self, change, own, task_uid: task.uid, reach };
        course.take()
    }
}

impl Course<'_> {
    /// Tries until it is done or no longer wanted: a member that gave up halfway would have neither
    /// the documents of before nor those of after.
    fn take(&self) -> Result<Outcome, RunError> {
        loop {
            let error = match self.attempt() {
                Err(RunError::Failed(error)) => error,
                done => return done,
            };
            self.check_wanted()?;
            tracing::error!("the topology cannot be changed yet: {error}");
            let _shown = self.run.progress.enter(format!("trying again after: {error}"), 1);
            let until = Instant::now() + PAUSE_AFTER_FAILURE;
            while Instant::now() < until {
                self.check_wanted()?;
                let seen = self.run.sharding.arrivals.count();
                self.run.sharding.arrivals.wait(seen, reach::PAUSE);
            }
        }
    }

    fn attempt(&self) -> Result<Outcome, RunError> {
        let steps = self.run.progress.enter("changing the topology", 5);
        self.begin()?;
        let moved = self.exchange()?;
        steps.set(1);
        let stays = self.change.remotes.contains_key(&self.own);
        if stays {
            import::apply(self)?;
        }
        steps.set(2);
        self.tell_all(Stage::Imported)?;
        self.await_all(Stage::Imported, "waiting for the imports of other members")?;
        steps.set(3);
        if stays {
            self.switch()?;
            self.tell_all(Stage::Switched)?;
        }
        self.await_all(Stage::Switched, "waiting for other members to switch")?;
        steps.set(4);
        if !stays {
            let message = "This instance left the network; its documents stay here.";
            return Ok(self.end(true, moved, message));
        }
        let lost = self.reach.given_up();
        if !lost.is_empty() {
            let names: Vec<String> = lost.iter().map(|name| format!("`{name}`")).collect();
            let message = format!(
                "Members that could not be reached were not waited for: {}. Documents that moved \
                 are kept here too, until the next change of the network.",
                names.join(", ")
            );
            return Ok(self.end(false, moved, &message));
        }
        stale::delete(self)?;
        Ok(self.end(true, moved, ""))
    }

    /// Sends what others get, to each on a thread of its own, while what is sent here arrives.
    fn exchange(&self) -> Result<u64, RunError> {
        let moves = Moves::new(&self.change, &self.own);
        let is_sender = self.change.senders().contains(self.own.as_str());
        std::thread::scope(|scope| {
            let sending = scope.spawn(|| match is_sender {
                true => export::send(self, &moves),
                false => Ok(0),
            });
            let arrived = match self.change.remotes.contains_key(&self.own) {
                true => import::await_parts(self),
                false => Ok(()),
            };
            let sent = sending.join().unwrap_or_else(|_| {
                Err(ServiceError::internal("sending documents panicked").into())
            });
            arrived?;
            sent
        })
    }

    /// Documents will be here that are not this member's yet, or no longer: they are hidden from now
    /// on, and members are answered by the topology they ask by.
    fn begin(&self) -> Result<(), RunError> {
        let placements = &self.run.sharding.members.placements;
        let current = placements.current();
        if current.network.version == self.change.version {
            // It had switched before it was interrupted.
            let before = self.change.previous_network_of(&self.own);
            let before = Placement::new(before, false, BTreeMap::new());
            placements.remember(before, self.placement(false));
            return Ok(());
        }
        let unclean = || Placement::new(current.network.clone(), false, current.former.clone());
        placements.remember(unclean(), self.placement(false));
        self.publish(unclean())
    }

    /// From here on this member asks and answers by the new topology. What it does not own is
    /// hidden until it is deleted.
    fn switch(&self) -> Result<(), RunError> {
        self.publish(self.placement(false))
    }

    fn publish(&self, placement: Placement) -> Result<(), RunError> {
        let sharding = self.run.sharding;
        let placement = Arc::new(placement);
        let (stored, placements) =
            (Arc::clone(&placement), Arc::clone(&sharding.members.placements));
        let write = RegistryUpdate::new(move |to| Placements::write(&stored, to));
        sharding.queue.transact(write.and_then(move || placements.publish(placement)))?;
        Ok(())
    }

    fn placement(&self, is_clean: bool) -> Placement {
        placement(&self.change, &self.own, is_clean)
    }

    fn end(&self, is_clean: bool, moved: u64, message: &str) -> Outcome {
        finished(self.run.sharding, &self.change, &self.own, is_clean, moved, message)
    }

    /// Tells everybody who waits for it how far this member is.
    fn tell_all(&self, stage: Stage) -> Result<(), RunError> {
        // Those who leave wait for it too.
        let leaving = self.change.previous_remotes.keys().map(String::as_str);
        let mut others: BTreeSet<&str> = self.change.members().chain(leaving).collect();
        others.remove(self.own.as_str());
        std::thread::scope(|scope| {
            let telling: Vec<_> = others
                .into_iter()
                .map(|member| scope.spawn(move || self.tell(member, stage)))
                .collect();
            telling.into_iter().try_for_each(|told| {
                told.join().unwrap_or_else(|_| {
                    Err(ServiceError::internal("telling a member panicked").into())
                })
            })
        })
    }

    /// Waits until every other member says that it is as far.
    fn await_all(&self, stage: Stage, shown: &'static str) -> Result<(), RunError> {
        let others: Vec<&str> =
            self.change.members().filter(|member| *member != self.own).collect();
        let step = self.run.progress.enter(shown, others.len() as u32);
        self.await_until(|| {
            let mut missing = BTreeSet::new();
            for member in &others {
                let key = notice_key(self.change.version, stage, member);
                if self.run.sharding.queue.stashed(&key)?.iter().all(|found| found.key != key) {
                    missing.insert(*member);
                }
            }
            step.set((others.len() - missing.len()) as u32);
            Ok(missing)
        })
    }

    /// Waits until nobody is missing any more, except those who cannot be reached.
    fn await_until<'m>(
        &self,
        missing: impl Fn() -> Result<BTreeSet<&'m str>, ServiceError>,
    ) -> Result<(), RunError> {
        let mut shown = Shown::default();
        loop {
            let seen = self.run.sharding.arrivals.count();
            let mut missing = missing()?;
            missing.retain(|member| !self.reach.is_given_up(member));
            if missing.is_empty() {
                return Ok(());
            }
            self.check_wanted()?;
            let silent = self.reach.look_after(self, &missing);
            shown.show(self.run.progress, waited_for(&missing, &silent));
            self.run.sharding.arrivals.wait(seen, reach::PAUSE);
        }
    }

    /// Whether the change is still to be made. A later one waits for it, unless it turns sharding
    /// off.
    fn check_wanted(&self) -> Result<(), RunError> {
        self.run.stop.check()?;
        let network = self.run.sharding.members.network();
        let is_off = !network.is_sharded() && network.remotes.contains_key(&self.own);
        if !is_off {
            return Ok(());
        }
        Err(RunError::Failed(ServiceError::new(
            Code::NetworkVersionMismatch,
            "Sharding was turned off before this change was made.",
        )))
    }
}

/// What is waited for, as a step of the progress that follows it.
#[derive(Default)]
struct Shown {
    current: Option<(String, Step)>,
}

impl Shown {
    fn show(&mut self, progress: &Progress, what: String) {
        if self.current.as_ref().is_some_and(|(shown, _)| *shown == what) {
            return;
        }
        // The step before ends first, or the new one would end with it.
        self.current = None;
        let step = progress.enter(what.clone(), 1);
        self.current = Some((what, step));
    }
}

fn waited_for(missing: &BTreeSet<&str>, silent: &BTreeSet<&str>) -> String {
    let name = |member: &&str| match silent.contains(member) {
        true => format!("`{member}` (does not answer)"),
        false => format!("`{member}`"),
    };
    let names: Vec<String> = missing.iter().map(name).collect();
    format!("waiting for {}", names.join(", "))
}

fn placement(change: &TopologyChange, own: &str, is_clean: bool) -> Placement {
    let mut former = change.previous_remotes.clone();
    former.retain(|name, _| !change.remotes.contains_key(name) && name != own);
    Placement::new(change.network_of(own), is_clean, former)
}

/// The change is in force with the transaction that finishes its task.
fn finished(
    sharding: &Sharding,
    change: &TopologyChange,
    own: &str,
    is_clean: bool,
    moved_documents: u64,
    message: &str,
) -> Outcome {
    let placement = Arc::new(placement(change, own, is_clean));
    let (stored, placements) = (Arc::clone(&placement), Arc::clone(&sharding.members.placements));
    let registry = RegistryUpdate::new(move |to| Placements::write(&stored, to))
        .and_then(move || placements.settle(placement));
    let details = Details::NetworkTopologyChange { moved_documents, message: message.to_owned() };
    Outcome {
        tasks: vec![TaskOutcome::Succeeded(details)],
        registry: Some(registry),
        ..Outcome::default()
    }
}
