//! Plans which instance is asked for which shards, so that each shard is asked for once.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::network::Network;
use super::placements::Placement;

/// Shards by instance. The answers of all instances make up the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShardPlan {
    /// Remote, or this instance by its name → its shards.
    pub by_member: BTreeMap<String, BTreeSet<String>>,
    /// Shards without an available owner, with their owners.
    pub missing: BTreeMap<String, BTreeSet<String>>,
}

impl ShardPlan {
    /// Plans all shards. Prefers this instance, else any available owner: `choose` picks one of so
    /// many.
    pub fn new(
        placement: &Placement,
        is_available: impl Fn(&str) -> bool,
        choose: impl FnMut(usize) -> usize,
    ) -> Self {
        Self::of_shards(&placement.network, |_| true, is_available, choose)
    }

    /// Plans some of the shards.
    pub fn of_shards(
        network: &Network,
        is_wanted: impl Fn(&str) -> bool,
        is_available: impl Fn(&str) -> bool,
        mut choose: impl FnMut(usize) -> usize,
    ) -> Self {
        let mut plan = Self::default();
        for (shard, owners) in network.shards.iter().filter(|(shard, _)| is_wanted(shard)) {
            let own = owners.iter().find(|owner| network.is_self(owner));
            let available: Vec<&String> = owners.iter().filter(|name| is_available(name)).collect();
            let chosen = own.or_else(|| match available.len() {
                0 => None,
                count => Some(available[choose(count) % count]),
            });
            match chosen {
                Some(name) => {
                    plan.by_member.entry(name.clone()).or_default().insert(shard.clone());
                }
                None => drop(plan.missing.insert(shard.clone(), owners.clone())),
            }
        }
        plan
    }

    /// Returns the condition that restricts a filter to these shards of this version.
    pub fn filter(shards: &BTreeSet<String>, version: Uuid) -> String {
        let names: Vec<String> =
            shards.iter().map(|name| quoted(&name_of_version(name, version))).collect();
        format!("_shard IN [{}]", names.join(", "))
    }
}

/// Picks a random index below `count`.
pub fn random_index(count: usize) -> usize {
    Uuid::new_v4().as_u128() as usize % count
}

/// Returns the name of a shard in messages between members, with the version of the network.
fn name_of_version(shard: &str, version: Uuid) -> String {
    format!("{shard}@{version}")
}

/// Splits such a name into shard and version.
pub(super) fn of_version(name: &str) -> Option<(&str, Uuid)> {
    let (shard, version) = name.rsplit_once('@')?;
    Some((shard, version.parse().ok()?))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn placement(own: &str) -> Placement {
        let shards = [("s", names(&["a", "b"])), ("t", names(&["b", "c"])), ("u", names(&["c"]))];
        let network = Network {
            name: Some(own.to_owned()),
            leader: Some("a".to_owned()),
            shards: shards.map(|(shard, owners)| (shard.to_owned(), owners)).into(),
            ..Network::default()
        };
        Placement::new(network, true, BTreeMap::new())
    }

    #[test]
    fn each_shard_is_asked_for_once_and_here_if_it_can_be() {
        let plan = ShardPlan::new(&placement("b"), |_| true, |_| 0);
        let asked = [("b", names(&["s", "t"])), ("c", names(&["u"]))];
        assert_eq!(plan.by_member, asked.map(|(name, shards)| (name.to_owned(), shards)).into());
        assert!(plan.missing.is_empty());
    }

    #[test]
    fn owners_that_failed_are_passed_over() {
        let plan = ShardPlan::new(&placement("x"), |name| name != "b", |count| count - 1);
        let asked = [("a", names(&["s"])), ("c", names(&["t", "u"]))];
        assert_eq!(plan.by_member, asked.map(|(name, shards)| (name.to_owned(), shards)).into());
        let plan = ShardPlan::new(&placement("a"), |_| false, |_| 0);
        assert_eq!(plan.by_member, BTreeMap::from([("a".to_owned(), names(&["s"]))]));
        let missing = [("t", names(&["b", "c"])), ("u", names(&["c"]))];
        assert_eq!(plan.missing, missing.map(|(name, owners)| (name.to_owned(), owners)).into());
    }

    #[test]
    fn names_are_quoted_in_the_filter() {
        let version = Uuid::nil();
        assert_eq!(
            ShardPlan::filter(&names(&["a b", "q\"\\"]), version),
            format!(r#"_shard IN ["a b@{version}", "q\"\\@{version}"]"#)
        );
        assert_eq!(of_version(&name_of_version("a@b", version)), Some(("a@b", version)));
        assert_eq!(of_version("a@b"), None);
    }
}
