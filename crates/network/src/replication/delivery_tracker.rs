//! Tracks which forwarded tasks each member has accepted, so that a write is answered once all
//! reachable members have it. Nothing is durable: after a restart every member counts as reachable.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tasks::TaskUid;

/// Longest wait of a write. After a timeout later writes do not wait at all until the member has
/// caught up.
const MAX_WAIT: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(super) struct DeliveryTracker {
    members: Mutex<TrackedMembers>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct TrackedMembers {
    by_name: BTreeMap<String, MemberProgress>,
    is_closed: bool,
}

#[derive(Debug, Default)]
struct MemberProgress {
    /// Last accepted task. Tasks are sent in order, so the member has all older ones too.
    accepted: Option<TaskUid>,
    /// Writes do not wait for the member until it has this task.
    stuck_at: Option<TaskUid>,
}

impl MemberProgress {
    fn is_settled(&self, uid: TaskUid) -> bool {
        self.stuck_at.is_some() || self.accepted >= Some(uid)
    }
}

impl DeliveryTracker {
    /// Records that the member accepted the task, or refused it for good.
    pub fn mark_accepted(&self, member: &str, uid: TaskUid) {
        self.change(member, |progress| {
            progress.accepted = progress.accepted.max(Some(uid));
            if progress.stuck_at <= Some(uid) {
                progress.stuck_at = None;
            }
        });
    }

    /// Records that the member cannot accept the task for now.
    pub fn mark_stuck(&self, member: &str, uid: TaskUid) {
        self.change(member, |progress| progress.stuck_at = progress.stuck_at.max(Some(uid)));
    }

    /// Releases all waiting writes, now and later.
    pub fn close(&self) {
        self.members.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits until each member has accepted the task or turns out to be unreachable.
    pub fn wait<'m>(&self, members: impl Iterator<Item = &'m str> + Clone, uid: TaskUid) {
        self.wait_until(members, uid, Instant::now() + MAX_WAIT);
    }

    fn wait_until<'m>(
        &self,
        members: impl Iterator<Item = &'m str> + Clone,
        uid: TaskUid,
        until: Instant,
    ) {
        let mut state = self.members.lock();
        loop {
            let is_open = |name: &&str| {
                !state.by_name.get(*name).is_some_and(|progress| progress.is_settled(uid))
            };
            let open: Vec<&str> = members.clone().filter(is_open).collect();
            if open.is_empty() || state.is_closed {
                return;
            }
            if self.changed.wait_until(&mut state, until).timed_out() {
                for name in open {
                    let progress = state.by_name.entry(name.to_owned()).or_default();
                    if !progress.is_settled(uid) {
                        progress.stuck_at = Some(uid);
                    }
                }
                return;
            }
        }
    }

    fn change(&self, member: &str, change: impl FnOnce(&mut MemberProgress)) {
        change(self.members.lock().by_name.entry(member.to_owned()).or_default());
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settles_at_once(tracker: &DeliveryTracker, uid: TaskUid) -> bool {
        let progress = tracker.members.lock();
        progress.by_name.get("a").is_some_and(|progress| progress.is_settled(uid))
    }

    #[test]
    fn a_write_waits_for_members_that_can_be_reached() {
        let tracker = DeliveryTracker::default();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| tracker.wait_until(["a", "b"].into_iter(), 4, far_off()));
            tracker.mark_accepted("a", 5);
            tracker.mark_stuck("b", 4);
            waiting.join().unwrap();
        });
        assert!(settles_at_once(&tracker, 5) && !settles_at_once(&tracker, 6));
    }

    #[test]
    fn a_slow_member_is_not_waited_for_until_it_has_caught_up() {
        let tracker = DeliveryTracker::default();
        tracker.wait_until(["a"].into_iter(), 7, Instant::now());
        assert!(settles_at_once(&tracker, 8));
        tracker.mark_accepted("a", 3);
        assert!(settles_at_once(&tracker, 8), "it is still behind");
        tracker.mark_accepted("a", 7);
        assert!(!settles_at_once(&tracker, 8));
    }

    #[test]
    fn a_closed_tracker_makes_no_write_wait() {
        let tracker = DeliveryTracker::default();
        tracker.close();
        tracker.wait_until(["a"].into_iter(), 1, far_off());
    }

    fn far_off() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }
}
