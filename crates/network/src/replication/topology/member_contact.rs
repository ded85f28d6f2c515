//! Communication with other members while the topology changes: a message is repeated until it is
//! accepted, and a member that is silent for long is given up, so that the change can end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use outbound::{Call, Method};
use parking_lot::Mutex;
use serde_json::json;
use tasks::RunError;

use crate::replication::answer::Verdict;
use crate::replication::member::Stage;
use crate::replication::request::{Request, Sender};
use crate::replication::topology::TopologyChangeRun;

/// Pause between two attempts.
pub(super) const PAUSE: Duration = Duration::from_millis(200);
/// Pause between two health checks of a member that is waited for.
const PROBE_INTERVAL: Duration = Duration::from_secs(5);
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout of a notice, which is small and urgent.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct MemberContact {
    timeout: Duration,
    begun: Instant,
    members: Mutex<BTreeMap<String, ContactState>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ContactState {
    answered: Option<Instant>,
    probed: Option<Instant>,
    is_given_up: bool,
}

impl MemberContact {
    pub fn new(timeout: Duration) -> Self {
        Self { timeout, begun: Instant::now(), members: Mutex::default() }
    }

    pub fn is_given_up(&self, member: &str) -> bool {
        self.members.lock().get(member).is_some_and(|state| state.is_given_up)
    }

    pub fn given_up(&self) -> Vec<String> {
        let members = self.members.lock();
        members
            .iter()
            .filter(|(_, state)| state.is_given_up)
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Records the outcome of an attempt to reach the member.
    fn note(&self, member: &str, is_there: bool) {
        let now = Instant::now();
        let mut members = self.members.lock();
        let state = members.entry(member.to_owned()).or_default();
        state.probed = Some(now);
        if is_there {
            state.answered = Some(now);
        } else if now - state.answered.unwrap_or(self.begun) >= self.timeout {
            state.is_given_up = true;
        }
    }

    fn is_probe_due(&self, member: &str) -> bool {
        let members = self.members.lock();
        let probed = members.get(member).and_then(|state| state.probed);
        let pause = PROBE_INTERVAL.min(self.timeout / 4);
        probed.is_none_or(|probed| probed.elapsed() >= pause)
    }

    /// Checks the health of members that are waited for, and returns the silent ones.
    pub fn probe<'m>(
        &self,
        run: &TopologyChangeRun<'_>,
        members: &BTreeSet<&'m str>,
    ) -> BTreeSet<&'m str> {
        for member in members.iter().filter(|member| self.is_probe_due(member)) {
            let Some(remote) = run.change.address(member) else { continue };
            let timeout = PROBE_TIMEOUT.min(self.timeout);
            let call = Call::get(remote.address("/health"), timeout);
            let replication = run.context.replication;
            let answer = replication.client.send_blocking(call, run.context.cancel);
            self.note(member, answer.is_ok());
        }
        members.iter().copied().filter(|member| self.is_silent(member)).collect()
    }

    /// Returns whether the last attempt to reach it failed.
    fn is_silent(&self, member: &str) -> bool {
        let members = self.members.lock();
        members
            .get(member)
            .is_some_and(|state| state.probed.is_some() && state.answered != state.probed)
    }
}

impl TopologyChangeRun<'_> {
    /// Sends a request to a member until it is accepted, or the member is given up.
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
        while !self.contact.is_given_up(member) {
            self.check_not_superseded()?;
            let call = request.call(remote, sender, headers);
            let client = &self.context.replication.client;
            let answer = client.send_blocking(call, self.context.cancel);
            match Verdict::of(answer, remote.write_api_key.as_ref()) {
                Verdict::Taken(_) => {
                    self.contact.note(member, true);
                    self.shown.taken(member);
                    return Ok(());
                }
                Verdict::Refused(error) => {
                    self.shown.taken(member);
                    return Err(RunError::Failed(error));
                }
                Verdict::Later { error, is_there, .. } => {
                    tracing::debug!(member, "not heard yet: {error}");
                    self.contact.note(member, is_there);
                    self.shown.not_taken(member, error.message);
                }
            }
            let seen = self.context.replication.arrivals.count();
            self.context.replication.arrivals.wait(seen, PAUSE);
        }
        self.shown.taken(member);
        Ok(())
    }

    /// Reports the stage of this member to another.
    pub(super) fn report_stage(&self, member: &str, stage: Stage) -> Result<(), RunError> {
        let message = match stage {
            Stage::NothingToSend => json!({ "type": "exportNoIndexForRemote", "remote": member }),
            Stage::Imported => {
                json!({ "type": "importFinishedForRemote", "remote": member, "successful": true })
            }
            // Names the reporting member itself.
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
            .within(NOTICE_TIMEOUT.min(self.contact.timeout));
        self.send(member, &request, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_that_is_silent_for_long_is_given_up() {
        let timeout = Duration::from_secs(60);
        let mut contact = MemberContact::new(timeout);
        contact.note("a", false);
        assert!(!contact.is_given_up("a"));
        contact.begun -= timeout;
        contact.note("b", true);
        contact.note("b", false);
        contact.note("a", false);
        assert_eq!(contact.given_up(), ["a"]);
        contact.note("b", true);
        assert!(contact.is_silent("a") && !contact.is_silent("b") && !contact.is_silent("c"));
    }
}
