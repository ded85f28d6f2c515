//! Runs the task of a topology change, alone in the queue. Each member sends its share of the
//! documents that others get, imports its own, and reports both; when all have imported, all use
//! the new topology; when all do, each deletes the documents it no longer owns.
//!
//! After a crash the task restarts and ends the same: documents are sent again and replace
//! themselves, what arrived was stashed durably, and members that have finished answer that they
//! need nothing.

mod export;
mod import;
mod member_contact;
mod moves;
mod rejoin;
mod rules;
mod shown_step;
mod stale;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{Cancel, Code, ServiceError};
use tasks::{Details, Outcome, Progress, RegistryUpdate, RunError, Task, TaskOutcome};

use crate::local_indexes::LocalIndexes;
use crate::placement::LeftBehind;
use crate::placement::{Placement, Placements};
use crate::replication::Replication;
use crate::replication::change::{TopologyChange, UndoneChange};
use crate::replication::member::{Stage, notice_key};
use member_contact::MemberContact;
use moves::Moves;
use shown_step::ShownStep;

const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How long an undone change waits to be canceled before it fails.
const CANCELATION_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a member waits for searches by the old topology. They have a timeout of their own.
const OLDER_QUERIES_TIMEOUT: Duration = Duration::from_secs(30);
const OLDER_QUERIES_PAUSE: Duration = Duration::from_millis(2);

/// Environment of the run of a change.
#[derive(Debug, Clone, Copy)]
pub struct TopologyContext<'r> {
    pub replication: &'r Replication,
    pub indexes: &'r dyn LocalIndexes,
    pub progress: &'r Progress,
    pub cancel: &'r Cancel,
}

/// A running change, as this member sees it.
struct TopologyChangeRun<'r> {
    context: TopologyContext<'r>,
    change: TopologyChange,
    own: String,
    task_uid: u32,
    contact: MemberContact,
    shown: ShownStep<'r>,
}

/// Result of a change.
struct FinalState<'e> {
    /// True if this instance stores no document of a shard that it does not own.
    is_clean: bool,
    /// True if other members have all documents of this instance, which left the network.
    has_moved: bool,
    moved_documents: u64,
    message: &'e str,
}

impl TopologyContext<'_> {
    pub fn run(self, task: &Task, change: &serde_json::Value) -> Result<Outcome, RunError> {
        let change = TopologyChange::read(change)?;
        let network = self.replication.members.network();
        let own = network.name.clone().unwrap_or_default();
        let (contact, shown) =
            (MemberContact::new(self.replication.member_timeout), ShownStep::new(self.progress));
        let run =
            TopologyChangeRun { context: self, change, own, task_uid: task.uid, contact, shown };
        run.check_not_undone()?;
        if let Some(taken_back) = run.change.takes_back {
            return run.take(|| run.undo(taken_back));
        }
        if !run.change.moves_documents() {
            let is_clean = self.replication.members.placements.current().is_clean;
            let is_sharded = run.change.leader.is_some();
            let message = match is_sharded {
                true => "No document had to move.",
                false => "Documents are no longer shared out and stay where they are.",
            };
            return run.end(FinalState {
                is_clean: is_clean || !is_sharded,
                has_moved: is_sharded,
                moved_documents: 0,
                message,
            });
        }
        self.replication.forget_older_changes(run.change.version)?;
        run.take(|| run.attempt())
    }
}

impl TopologyChangeRun<'_> {
    /// Retries until the change is done or superseded: a member that gave up halfway would have
    /// neither its old documents nor its new ones.
    fn take(&self, attempt: impl Fn() -> Result<Outcome, RunError>) -> Result<Outcome, RunError> {
        loop {
            self.shown.clear();
            let error = match attempt() {
                Err(RunError::Failed(error)) => error,
                done => return done,
            };
            self.check_not_superseded()?;
            tracing::error!("the topology cannot be changed yet: {error}");
            let _shown = self.context.progress.enter(format!("trying again after: {error}"), 1);
            let until = Instant::now() + PAUSE_AFTER_FAILURE;
            while Instant::now() < until {
                self.check_not_superseded()?;
                let seen = self.context.replication.arrivals.count();
                self.context.replication.arrivals.wait(seen, member_contact::PAUSE);
            }
        }
    }

    fn attempt(&self) -> Result<Outcome, RunError> {
        let steps = self.context.progress.enter("changing the topology", 5);
        self.begin()?;
        let moved = self.exchange()?;
        steps.set(1);
        let stays = self.change.remotes.contains_key(&self.own);
        if stays {
            import::apply(self)?;
        }
        steps.set(2);
        self.context.replication.pass_point_of_no_return(self.change.version)?;
        self.report_stage_to_all(Stage::Imported)?;
        self.await_all(Stage::Imported, "waiting for the imports of other members")?;
        steps.set(3);
        if stays {
            self.switch()?;
            self.await_older_queries()?;
            self.report_stage_to_all(Stage::Switched)?;
        }
        self.await_all(Stage::Switched, "waiting for other members to switch")?;
        steps.set(4);
        let lost = self.contact.given_up();
        let end = FinalState {
            is_clean: true,
            has_moved: lost.is_empty(),
            moved_documents: moved,
            message: "",
        };
        if !stays {
            let message = "This instance left the network; its documents stay here.";
            return self.end(FinalState { message, ..end });
        }
        if !lost.is_empty() {
            let names: Vec<String> = lost.iter().map(|name| format!("`{name}`")).collect();
            let message = format!(
                "Members that could not be reached were not waited for: {}. Documents that moved \
                 are kept here too, until the next change of the network.",
                names.join(", ")
            );
            return self.end(FinalState { is_clean: false, message: &message, ..end });
        }
        stale::delete(self)?;
        self.end(end)
    }

    /// Restores the state before a change that is undone: it was never in force, and all documents
    /// are still where they were.
    fn undo(&self, taken_back: UndoneChange) -> Result<Outcome, RunError> {
        if taken_back.was_newcomer {
            // Done before the stash of the change is dropped.
            rules::restore(self, taken_back.version)?;
        }
        self.context.replication.forget_older_changes(self.change.version)?;
        let placements = &self.context.replication.members.placements;
        if !taken_back.was_newcomer {
            stale::delete(self)?;
        } else if placements.left_behind().is_none() {
            // It had no index when it was to join.
            let all = self.context.indexes.all();
            self.remove_indexes(all.into_iter().map(|(uid, _)| uid).collect())?;
        }
        let message = "The change before this one was taken back.";
        self.end(FinalState { is_clean: true, has_moved: false, moved_documents: 0, message })
    }

    /// Sends documents, with a thread per member, while those for this member arrive.
    fn exchange(&self) -> Result<u64, RunError> {
        let moves = Moves::new(&self.change, &self.own);
        let is_sender = self.change.senders().contains(self.own.as_str());
        // Both stay open to the end: a progress step ends with those it is nested in.
        let exporting = self.context.progress.enter("exporting documents", 0);
        let receiving = self.context.progress.enter("receiving documents", 0);
        std::thread::scope(|scope| {
            let sending = scope.spawn(|| match is_sender {
                true => export::send(self, &moves, &exporting),
                false => Ok(0),
            });
            let arrived = match self.change.remotes.contains_key(&self.own) {
                true => import::await_parts(self, &receiving),
                false => Ok(()),
            };
            let sent = sending.join().unwrap_or_else(|_| {
                Err(ServiceError::internal("sending documents panicked").into())
            });
            arrived?;
            sent
        })
    }

    /// Hides, from now on, documents here that are not this member's yet or no longer; searches are
    /// answered by the topology they name.
    fn begin(&self) -> Result<(), RunError> {
        let _not_meanwhile = self.context.replication.undo_lock.lock();
        self.context.replication.check_not_undone(self.change.version)?;
        let placements = &self.context.replication.members.placements;
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

    /// Switches this member to the new topology. Documents it does not own are hidden until they
    /// are deleted.
    fn switch(&self) -> Result<(), RunError> {
        self.publish(self.placement(false))
    }

    /// Waits for searches by the old topology, which look for documents where they were, before it
    /// lets other members delete them.
    fn await_older_queries(&self) -> Result<(), RunError> {
        let until = Instant::now() + OLDER_QUERIES_TIMEOUT;
        while self.context.replication.members.placements.has_older_queries() {
            if Instant::now() > until {
                tracing::warn!("searches of before the change of the topology are still open");
                break;
            }
            self.check_not_superseded()?;
            std::thread::sleep(OLDER_QUERIES_PAUSE);
        }
        Ok(())
    }

    fn publish(&self, placement: Placement) -> Result<(), RunError> {
        let replication = self.context.replication;
        let placement = Arc::new(placement);
        let (stored, placements) =
            (Arc::clone(&placement), Arc::clone(&replication.members.placements));
        let write = RegistryUpdate::new(move |to| Placements::write(&stored, to));
        replication.queue.transact(write.and_then(move || placements.publish(placement)))?;
        Ok(())
    }

    fn placement(&self, is_clean: bool) -> Placement {
        placement(&self.change, &self.own, is_clean)
    }

    /// Ends the change, which is in force with the transaction that finishes its task.
    fn end(&self, end: FinalState<'_>) -> Result<Outcome, RunError> {
        let FinalState { is_clean, has_moved, moved_documents, message } = end;
        let placement = Arc::new(self.placement(is_clean));
        let left = self.left_after(has_moved)?.map(Arc::new);
        let (stored, stored_left) = (Arc::clone(&placement), left.clone());
        let placements = Arc::clone(&self.context.replication.members.placements);
        let registry = RegistryUpdate::new(move |to| {
            LeftBehind::write(stored_left.as_deref(), to)?;
            Placements::write(&stored, to)
        });
        let registry = registry.and_then(move || placements.settle(placement, left));
        let message = message.to_owned();
        let details = Details::NetworkTopologyChange { moved_documents, message };
        Ok(Outcome {
            tasks: vec![TaskOutcome::Succeeded(details)],
            registry: Some(registry),
            ..Outcome::default()
        })
    }

    /// Returns what this instance has of a network that it left by the change.
    fn left_after(&self, has_moved: bool) -> Result<Option<LeftBehind>, ServiceError> {
        let is_member = self.change.remotes.contains_key(&self.own);
        if self.change.leader.is_some() && is_member {
            return Ok(None);
        }
        let indexes = self.context.indexes;
        let placements = &self.context.replication.members.placements;
        let current = placements.current();
        if self.change.takes_back.is_some() || !current.is_sharded() {
            let known = placements.left_behind();
            return Ok(known.map(|left| (*left).clone().renewed(|uid| indexes.id(uid))));
        }
        Ok(Some(LeftBehind::of(&current, indexes.snapshots()?, has_moved)))
    }

    /// Reports the stage of this member to all that wait for it.
    fn report_stage_to_all(&self, stage: Stage) -> Result<(), RunError> {
        // Leaving members wait for it too.
        let leaving = self.change.previous_remotes.keys().map(String::as_str);
        let mut others: BTreeSet<&str> = self.change.members().chain(leaving).collect();
        others.remove(self.own.as_str());
        std::thread::scope(|scope| {
            let telling: Vec<_> = others
                .into_iter()
                .map(|member| scope.spawn(move || self.report_stage(member, stage)))
                .collect();
            telling.into_iter().try_for_each(|told| {
                told.join().unwrap_or_else(|_| {
                    Err(ServiceError::internal("telling a member panicked").into())
                })
            })
        })
    }

    /// Waits until every other member reports the stage.
    fn await_all(&self, stage: Stage, shown: &'static str) -> Result<(), RunError> {
        let others: Vec<&str> =
            self.change.members().filter(|member| *member != self.own).collect();
        let step = self.context.progress.enter(shown, others.len() as u32);
        self.await_until(|| {
            let mut missing = BTreeSet::new();
            for member in &others {
                let key = notice_key(self.change.version, stage, member);
                if self
                    .context
                    .replication
                    .queue
                    .stashed(&key)?
                    .iter()
                    .all(|found| found.key != key)
                {
                    missing.insert(*member);
                }
            }
            step.set((others.len() - missing.len()) as u32);
            Ok(missing)
        })
    }

    /// Waits until no reachable member is missing any more.
    fn await_until<'m>(
        &self,
        missing: impl Fn() -> Result<BTreeSet<&'m str>, ServiceError>,
    ) -> Result<(), RunError> {
        loop {
            let seen = self.context.replication.arrivals.count();
            let mut missing = missing()?;
            missing.retain(|member| !self.contact.is_given_up(member));
            if missing.is_empty() {
                self.shown.await_members(&missing, &missing);
                return Ok(());
            }
            self.check_not_superseded()?;
            let silent = self.contact.probe(self, &missing);
            self.shown.await_members(&missing, &silent);
            self.context.replication.arrivals.wait(seen, member_contact::PAUSE);
        }
    }

    /// Waits for the cancelation of an undone change. Fails if that was lost in a crash.
    fn check_not_undone(&self) -> Result<(), RunError> {
        let replication = self.context.replication;
        let undone = replication.check_not_undone(self.change.version);
        if undone.is_err() {
            let until = Instant::now() + CANCELATION_TIMEOUT;
            while Instant::now() < until {
                self.context.cancel.check()?;
                replication.arrivals.wait(replication.arrivals.count(), member_contact::PAUSE);
            }
        }
        undone
    }

    /// Fails if the change is canceled or superseded. A later one waits for it, unless it turns
    /// sharding off, undoes the change, or makes this instance a newcomer: it was out meanwhile.
    fn check_not_superseded(&self) -> Result<(), RunError> {
        self.context.cancel.check()?;
        let network = self.context.replication.members.network();
        if network.version == self.change.version {
            return Ok(());
        }
        self.check_not_undone()?;
        let mut later = self.context.replication.changes_from(self.change.version)?;
        later.retain(|(_, change)| change.version != self.change.version);
        let has = |ends: fn(&TopologyChange, &str) -> bool| {
            later.iter().any(|(_, change)| change.takes_back.is_none() && ends(change, &self.own))
        };
        let why = if has(|change, _| change.leader.is_none()) {
            "Sharding was turned off before this change was made."
        } else if has(TopologyChange::is_newcomer) {
            "This instance was taken out of the network before this change was made."
        } else {
            return Ok(());
        };
        Err(RunError::Failed(ServiceError::new(Code::NetworkVersionMismatch, why)))
    }
}

fn placement(change: &TopologyChange, own: &str, is_clean: bool) -> Placement {
    let mut former = change.previous_remotes.clone();
    former.retain(|name, _| !change.remotes.contains_key(name) && name != own);
    Placement::new(change.network_of(own), is_clean, former)
}
