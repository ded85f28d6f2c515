//! Speaking with the other members while the topology changes: whatever has to be told is told
//! until it is heard, and who does not answer for long is given up, so that the change comes to
//! its end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use outbound::{Call, Method};
use parking_lot::Mutex;
use serde_json::json;
use tasks::RunError;

use crate::replication::answer::Verdict;
use crate::replication::member::Stage;
use crate::replication::request::{Request, Sender};
use crate::replication::topology::Course;

/// Between two looks.
pub(super) const PAUSE: Duration = Duration::from_millis(200);
/// Between two questions whether a member that is waited for is there.
const LOOK_EVERY: Duration = Duration::from_secs(5);
const LOOK_TIMEOUT: Duration = Duration::from_secs(3);
/// Notices are small, and somebody waits for them.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Reach {
    patience: Duration,
    begun: Instant,
    members: Mutex<BTreeMap<String, Known>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    answered: Option<Instant>,
    looked: Option<Instant>,
    is_given_up: bool,
}

impl Reach {
    pub fn new(patience: Duration) -> Self {
        Self { patience, begun: Instant::now(), members: Mutex::default() }
    }

    pub fn is_given_up(&self, member: &str) -> bool {
        self.members.lock().get(member).is_some_and(|known| known.is_given_up)
    }

    pub fn given_up(&self) -> Vec<String> {
        let members = self.members.lock();
        members
            .iter()
            .filter(|(_, known)| known.is_given_up)
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// One attempt to reach the member ended so.
    fn note(&self, member: &str, is_there: bool) {
        let now = Instant::now();
        let mut members = self.members.lock();
        let known = members.entry(member.to_owned()).or_default();
        known.looked = Some(now);
        if is_there {
            known.answered = Some(now);
        } else if now - known.answered.unwrap_or(self.begun) >= self.patience {
            known.is_given_up = true;
        }
    }

    fn is_to_be_looked_for(&self, member: &str) -> bool {
        let members = self.members.lock();
        let looked = members.get(member).and_then(|known| known.looked);
        let pause = LOOK_EVERY.min(self.patience / 4);
        looked.is_none_or(|looked| looked.elapsed() >= pause)
    }

    /// Asks members that are waited for whether they are there, and gives those that are not.
    pub fn look_after<'m>(
        &self,
        course: &Course<'_>,
        members: &BTreeSet<&'m str>,
    ) -> BTreeSet<&'m str> {
        for member in members.iter().filter(|member| self.is_to_be_looked_for(member)) {
            let Some(remote) = course.change.address(member) else { continue };
            let timeout = LOOK_TIMEOUT.min(self.patience);
            let call = Call::get(remote.address("/health"), timeout);
            let sharding = course.run.sharding;
            let answer = sharding.client.send_blocking(call, &|| course.run.stop.is_raised());
            self.note(member, answer.is_ok());
        }
        members.iter().copied().filter(|member| self.is_silent(member)).collect()
    }

    /// Whether the last attempt to reach it failed.
    fn is_silent(&self, member: &str) -> bool {
        let members = self.members.lock();
        members
            .get(member)
            .is_some_and(|known| known.looked.is_some() && known.answered != known.looked)
    }
}

impl Course<'_> {
    /// Sends a request to a member until it is heard, or the member is given up.
    pub(super) fn send(
        &self,
        member: &str,
        request: &Request,
        headers: &[(&str, &str)],
    ) -> Result<(), RunError> {
        let Some(remote) = self.change.address(member) else { return Ok(()) };
        let sender = Sender {
            remote: &self.own,
            task_uid: self.task_uid,
            network_version: self.change.version,
        };
        while !self.reach.is_given_up(member) {
            self.check_wanted()?;
            let call = request.call(remote, sender, headers);
            let client = &self.run.sharding.client;
            let answer = client.send_blocking(call, &|| self.run.stop.is_raised());
            match Verdict::of(answer, remote.write_api_key.as_ref()) {
                Verdict::Taken(_) => {
                    self.reach.note(member, true);
                    self.shown.taken(member);
                    return Ok(());
                }
                Verdict::Refused(error) => {
                    self.shown.taken(member);
                    return Err(RunError::Failed(error));
                }
                Verdict::Later { error, is_there, .. } => {
                    tracing::debug!(member, "not heard yet: {error}");
                    self.reach.note(member, is_there);
                    self.shown.not_taken(member, error.message);
                }
            }
            let seen = self.run.sharding.arrivals.count();
            self.run.sharding.arrivals.wait(seen, PAUSE);
        }
        self.shown.taken(member);
        Ok(())
    }

    /// Tells a member how far this one is.
    pub(super) fn tell(&self, member: &str, stage: Stage) -> Result<(), RunError> {
        let message = match stage {
            Stage::NothingToSend => json!({ "type": "exportNoIndexForRemote", "remote": member }),
            Stage::Imported => {
                json!({ "type": "importFinishedForRemote", "remote": member, "successful": true })
            }
            // What it says of itself.
            Stage::Switched => {
                json!({ "type": "importFinishedForRemote", "remote": self.own, "successful": true })
            }
        };
        let body = json!({
            "origin": {
                "remoteName": self.own,
                "taskUid": self.task_uid,
                "networkVersion": self.change.version,
            },
            "message": message,
        });
        let request = Request::json(Method::Post, "/network/control".to_owned(), &body)
            .within(NOTICE_TIMEOUT.min(self.reach.patience));
        self.send(member, &request, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_silent_for_long_is_given_up() {
        let patience = Duration::from_secs(60);
        let mut reach = Reach::new(patience);
        reach.note("a", false);
        assert!(!reach.is_given_up("a"));
        reach.begun -= patience;
        reach.note("b", true);
        reach.note("b", false);
        reach.note("a", false);
        assert_eq!(reach.given_up(), ["a"]);
        reach.note("b", true);
        assert!(reach.is_silent("a") && !reach.is_silent("b") && !reach.is_silent("c"));
    }
}
