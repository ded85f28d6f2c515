//! Chooses the lane that starts next: the one with the oldest head, unless something holds it.
//! Changes nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::duty::Duty;
use crate::memory::lanes::{Urgency, WaitingTask};
use crate::memory::state::QueueState;
use crate::task::batch::Work;
use crate::task::ids::TaskUid;
use crate::task::task_type::TaskType;

/// Which lanes may start: all, or only to compact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneChoice {
    CompactionsOnly,
    Any,
}

#[derive(Debug)]
pub(crate) enum Choice {
    Lane {
        name: Arc<str>,
        lanes: Vec<Arc<str>>,
    },
    /// Nothing can start before then, unless something changes.
    Hold(Instant),
    Nothing,
}

pub(crate) fn choose_lane(
    state: &QueueState,
    duty: Duty,
    choice: LaneChoice,
    lane_wait: Option<Duration>,
) -> Choice {
    let barrier = barrier(state);
    if barrier == Some(Barrier::Everything) {
        return Choice::Nothing;
    }
    let to_be_canceled = state.to_be_canceled();
    let mut passed_over = false;
    for (urgency, head, name) in state.lanes.startable() {
        if choice == LaneChoice::CompactionsOnly && urgency != Urgency::Compaction {
            return Choice::Nothing;
        }
        // A compaction changes no document, and older writes may wait behind it.
        if urgency == Urgency::Usual && barrier.is_some_and(|barrier| barrier.holds(head)) {
            continue;
        }
        if duty == Duty::Light && !state.lanes.get(head).is_some_and(WaitingTask::is_light) {
            passed_over = true;
            continue;
        }
        let lanes = state.lanes.lanes_of(head);
        // The cancelation goes first; the rest of the lane then runs together.
        if !to_be_canceled.is_empty()
            && lanes.iter().any(|name| state.lanes.holds_any(name, &to_be_canceled))
        {
            continue;
        }
        if lanes.iter().any(|name| held_by_export(state, name, urgency)) {
            continue;
        }
        if let Some(lane_wait) = lane_wait
            && let Some(until) = wait_ends(state, head, passed_over, lane_wait)
        {
            return Choice::Hold(until);
        }
        return Choice::Lane { name: name.clone(), lanes };
    }
    Choice::Nothing
}

/// Returns until when a lane lets a busy one, whose next task is older, go first; or older work
/// that this thread skips and another may be about to start.
fn wait_ends(
    state: &QueueState,
    head: TaskUid,
    passed_over: bool,
    lane_wait: Duration,
) -> Option<Instant> {
    let waiting_since = state.lanes.get(head)?.since.max(state.barrier_lifted);
    let now = Instant::now();
    let mut ends = passed_over.then_some(waiting_since + lane_wait).filter(|until| now < *until);
    for batch in state.running.iter() {
        let older_waits =
            batch.lanes.iter().filter_map(|name| state.lanes.next_in(name)).any(|n| n < head);
        let until = (batch.since.min(waiting_since)) + lane_wait;
        if older_waits && now < until {
            ends = ends.max(Some(until));
        }
    }
    ends
}

/// Returns the upgrade or topology change that goes next.
pub(crate) fn waiting_exclusive(state: &QueueState) -> Option<(TaskUid, TaskType)> {
    [TaskType::UpgradeDatabase, TaskType::NetworkTopologyChange]
        .into_iter()
        .find_map(|task_type| Some((state.lanes.of_type(task_type).next()?, task_type)))
}

pub(crate) fn is_exclusive(work: Work) -> bool {
    matches!(work, Work::Upgrade | Work::NetworkTopologyChange)
}

/// Work that a waiting exclusive task keeps from starting, never cancelations and deletions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Barrier {
    Everything,
    /// Writes from this task on. A topology change has the same position among the writes of every
    /// instance of a network: after all older ones, before all younger ones.
    From(TaskUid),
}

impl Barrier {
    pub fn holds(self, uid: TaskUid) -> bool {
        match self {
            Barrier::Everything => true,
            Barrier::From(first) => uid >= first,
        }
    }
}

pub(crate) fn barrier(state: &QueueState) -> Option<Barrier> {
    if state.running.iter().any(|batch| is_exclusive(batch.work)) {
        return Some(Barrier::Everything);
    }
    match waiting_exclusive(state)? {
        (uid, TaskType::NetworkTopologyChange) => Some(Barrier::From(uid)),
        _ => Some(Barrier::Everything),
    }
}

/// Returns whether an export blocks the lane; only a compaction passes one that still waits.
fn held_by_export(state: &QueueState, name: &str, urgency: Urgency) -> bool {
    let mut exports = state.lanes.exports_of(name);
    match urgency {
        Urgency::Usual => exports.next().is_some(),
        Urgency::Compaction => exports.any(|uid| state.running.tasks().contains(uid)),
    }
}
