//! A change of the topology as all members see it: members and owners before and after. The task of
//! the change carries it, and each member derives its work from it alone, so that all agree.

use std::collections::{BTreeMap, BTreeSet};

use model::ServiceError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::placement::{Network, Remote, Shards};

/// Name of the shard that holds all documents before there are shards; the leader has it.
pub(crate) const WHOLE: &str = "";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopologyChange {
    /// Version of the network after the change.
    pub version: Uuid,
    /// Leader afterwards; none turns sharding off, and documents stay where they are.
    pub leader: Option<String>,
    pub remotes: BTreeMap<String, Remote>,
    pub shards: Shards,
    /// Remotes before, without unreachable ones that left: no member waits for them.
    pub previous_remotes: BTreeMap<String, Remote>,
    pub previous_shards: Shards,
    /// Whole network before the change, at the leader, which may have to undo it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Network>,
    /// Present if this change undoes one that is not in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_back: Option<UndoneChange>,
}

/// A change that is undone, with all later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoneChange {
    pub version: Uuid,
    /// True if it would have made this instance a member.
    pub was_newcomer: bool,
}

impl TopologyChange {
    /// Creates a change. `absent` are members that left and did not answer.
    pub fn new(old: &Network, new: &Network, absent: &BTreeSet<String>) -> Self {
        let mut previous_remotes = old.remotes.clone();
        let mut previous_shards = old.shards.clone();
        if !old.is_sharded() {
            previous_remotes.clone_from(&new.remotes);
            previous_remotes.retain(|name, _| Some(name) == new.leader.as_ref());
            let holder = new.leader.iter().cloned().collect();
            previous_shards = Shards::from([(WHOLE.to_owned(), holder)]);
        }
        previous_remotes.retain(|name, _| !absent.contains(name));
        Self {
            version: new.version,
            leader: new.leader.clone(),
            remotes: new.remotes.clone(),
            shards: new.shards.clone(),
            previous_remotes,
            previous_shards,
            before: Some(old.clone()),
            takes_back: None,
        }
    }

    pub fn read(value: &Value) -> Result<Self, ServiceError> {
        serde_json::from_value(value.clone()).map_err(ServiceError::internal)
    }

    pub fn to_value(&self) -> Result<Value, ServiceError> {
        serde_json::to_value(self).map_err(ServiceError::internal)
    }

    /// Returns the network of `member` after the change. One that left is on its own.
    pub fn network_of(&self, member: &str) -> Network {
        let name = Some(member.to_owned());
        if !self.remotes.contains_key(member) {
            return Network { name, version: self.version, ..Network::default() };
        }
        Network {
            name,
            leader: self.leader.clone(),
            remotes: self.remotes.clone(),
            shards: self.shards.clone(),
            version: self.version,
        }
    }

    /// Returns the network of `member` before the change, in which it may have had nothing.
    pub fn previous_network_of(&self, member: &str) -> Network {
        Network {
            name: Some(member.to_owned()),
            leader: self.leader.clone(),
            remotes: self.previous_remotes.clone(),
            shards: self.previous_shards.clone(),
            version: Uuid::nil(),
        }
    }

    /// Returns the body of the request that sends the change to a member.
    pub fn for_member(&self, member: &str) -> Value {
        let shards = |shards: &Shards| -> BTreeMap<String, Value> {
            let owned = |(shard, owners): (&String, &BTreeSet<String>)| {
                (shard.clone(), json!({ "remotes": owners }))
            };
            shards.iter().map(owned).collect()
        };
        json!({
            "self": member,
            "leader": self.leader,
            "remotes": self.remotes,
            "shards": shards(&self.shards),
            "previousRemotes": self.previous_remotes,
            "previousShards": shards(&self.previous_shards),
        })
    }

    /// Returns all members after the change.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        self.remotes.keys().map(String::as_str)
    }

    pub fn is_newcomer(&self, member: &str) -> bool {
        !self.previous_remotes.contains_key(member)
    }

    /// Returns whether documents may have to move, or members need data they lack.
    pub fn moves_documents(&self) -> bool {
        self.leader.is_some()
            && (self.shards != self.previous_shards
                || self.members().any(|member| self.is_newcomer(member)))
    }

    /// Returns the member that sends the documents of a shard: an owner that stays, else one that
    /// leaves. None if all owners are gone.
    pub fn sender_of(&self, shard: &str) -> Option<&str> {
        let owners = self.previous_shards.get(shard)?;
        let stays = owners.iter().find(|owner| self.remotes.contains_key(*owner));
        let leaves = || owners.iter().find(|owner| self.previous_remotes.contains_key(*owner));
        stays.or_else(leaves).map(String::as_str)
    }

    /// Returns the members that others wait for, to send documents or to say that there are none.
    /// The leader is one: it sends newcomers the rest.
    pub fn senders(&self) -> BTreeSet<&str> {
        let of_shards = self.previous_shards.keys().filter_map(|shard| self.sender_of(shard));
        of_shards.chain(self.leader.as_deref()).collect()
    }

    pub fn address(&self, member: &str) -> Option<&Remote> {
        self.remotes.get(member).or_else(|| self.previous_remotes.get(member))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn network(own: &str, leader: Option<&str>, shards: &[(&str, &[&str])]) -> Network {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        let shards: Shards =
            shards.iter().map(|(name, owners)| ((*name).to_owned(), names(owners))).collect();
        let remote = |name: &String| {
            let url = format!("http://{name}.example");
            (name.clone(), Remote { url, search_api_key: None, write_api_key: None })
        };
        Network {
            name: Some(own.to_owned()),
            leader: leader.map(str::to_owned),
            remotes: shards.values().flatten().map(remote).collect(),
            shards,
            version: model::time_ordered_uuid(),
        }
    }

    #[test]
    fn before_there_are_shards_the_leader_has_everything() {
        let old = network("a", None, &[("s", &["a", "b"])]);
        let new = network("a", Some("a"), &[("s", &["a"]), ("t", &["b"])]);
        let change = TopologyChange::new(&old, &new, &BTreeSet::new());
        assert_eq!(change.sender_of(WHOLE), Some("a"));
        assert!(change.is_newcomer("b") && !change.is_newcomer("a"));
        assert!(change.moves_documents());
        assert_eq!(TopologyChange::read(&change.to_value().unwrap()).unwrap(), change);
    }

    #[test]
    fn staying_members_send_and_absent_ones_are_not_awaited() {
        let old = network("a", Some("a"), &[("s", &["b", "c"]), ("t", &["b"]), ("u", &["a"])]);
        let new = network("a", Some("a"), &[("s", &["a"]), ("u", &["c"])]);
        let change = TopologyChange::new(&old, &new, &BTreeSet::new());
        let senders: Vec<_> = ["s", "t", "u"].map(|shard| change.sender_of(shard)).into();
        assert_eq!(senders, [Some("c"), Some("b"), Some("a")]);
        assert!(!change.network_of("b").is_sharded());
        assert!(change.network_of("c").is_sharded());

        let change = TopologyChange::new(&old, &new, &BTreeSet::from(["b".to_owned()]));
        assert_eq!(change.sender_of("t"), None);
        assert_eq!(change.senders(), BTreeSet::from(["a", "c"]));
    }

    #[test]
    fn another_address_moves_nothing() {
        let old = network("a", Some("a"), &[("s", &["a", "b"])]);
        let mut new = Network { version: model::time_ordered_uuid(), ..old.clone() };
        if let Some(remote) = new.remotes.get_mut("b") {
            remote.url = "http://other.example".to_owned();
        }
        assert!(!TopologyChange::new(&old, &new, &BTreeSet::new()).moves_documents());
    }
}
