//! In-memory outbox: which instances have not yet taken which tasks. Rebuilt at start-up, changed
//! only after a commit. Each recipient has its own list, so that none waits for another.

use std::collections::{BTreeMap, BTreeSet};

use crate::task::ids::TaskUid;

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: BTreeMap<String, BTreeSet<TaskUid>>,
}

impl Outbox {
    pub fn add(&mut self, recipient: &str, uid: TaskUid) {
        self.waiting.entry(recipient.to_owned()).or_default().insert(uid);
    }

    pub fn remove(&mut self, recipient: &str, uid: TaskUid) {
        let Some(tasks) = self.waiting.get_mut(recipient) else { return };
        tasks.remove(&uid);
        if tasks.is_empty() {
            self.waiting.remove(recipient);
        }
    }

    /// Returns the first task that the recipient has not taken.
    pub fn next(&self, recipient: &str) -> Option<TaskUid> {
        self.of(recipient).next()
    }

    pub fn of(&self, recipient: &str) -> impl Iterator<Item = TaskUid> {
        self.waiting.get(recipient).into_iter().flatten().copied()
    }

    /// Returns the recipients with tasks to take, and how many.
    pub fn recipients(&self) -> impl Iterator<Item = (&str, usize)> {
        self.waiting.iter().map(|(recipient, tasks)| (recipient.as_str(), tasks.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_recipient_has_its_own_order() {
        let mut outbox = Outbox::default();
        for uid in [4, 2, 9] {
            outbox.add("a", uid);
        }
        outbox.add("b", 4);
        assert_eq!(outbox.next("a"), Some(2));
        outbox.remove("a", 2);
        outbox.remove("a", 2);
        outbox.remove("a", 4);
        assert_eq!((outbox.next("a"), outbox.next("b")), (Some(9), Some(4)));
        outbox.remove("b", 4);
        assert_eq!(outbox.recipients().collect::<Vec<_>>(), [("a", 1)]);
    }
}
