//! A change of the network: merged member by member into the current one, and checked as a whole.
//! Pure; the callers decide who may change what and when.

use std::collections::{BTreeMap, BTreeSet};

use model::url_secrets::{MASK_REFUSED, has_mask, kept_url};
use model::{Code, Patch, Secret, ServiceError};
use uuid::Uuid;

use crate::placement::{Network, Remote, Shards};

#[derive(Debug, Clone, Default)]
pub struct NetworkChange {
    pub name: Patch<String>,
    pub leader: Patch<String>,
    /// None removes a remote, also from every shard.
    pub remotes: Patch<BTreeMap<String, Option<RemoteChange>>>,
    /// None removes a shard.
    pub shards: Patch<BTreeMap<String, Option<ShardChange>>>,
}

#[derive(Debug, Clone, Default)]
pub struct RemoteChange {
    pub url: Patch<String>,
    pub search_api_key: Patch<Secret>,
    pub write_api_key: Patch<Secret>,
}

/// Change of a shard. Its fields are applied in their order.
#[derive(Debug, Clone, Default)]
pub struct ShardChange {
    pub remotes: Option<BTreeSet<String>>,
    pub add: BTreeSet<String>,
    pub remove: BTreeSet<String>,
}

impl NetworkChange {
    /// Applies the change to `old`, under a new version.
    pub fn applied_to(self, old: &Network) -> Result<Network, ServiceError> {
        let remotes = merged_remotes(self.remotes, &old.remotes)?;
        let mut shards = old.shards.clone();
        for name in old.remotes.keys().filter(|name| !remotes.contains_key(*name)) {
            for owners in shards.values_mut() {
                owners.remove(name);
            }
        }
        let network = Network {
            name: self.name.applied_to(old.name.clone()),
            leader: self.leader.applied_to(old.leader.clone()),
            shards: merged_shards(self.shards, shards),
            remotes,
            version: model::time_ordered_uuid(),
        };
        check_leader(&network, old)?;
        Ok(network)
    }

    /// Builds a network from a complete description, as members send it.
    pub fn whole(self, version: Uuid) -> Result<Network, ServiceError> {
        Ok(Network {
            name: self.name.applied_to(None),
            leader: self.leader.applied_to(None),
            remotes: merged_remotes(self.remotes, &BTreeMap::new())?,
            shards: merged_shards(self.shards, Shards::new()),
            version,
        })
    }
}

fn merged_remotes(
    change: Patch<BTreeMap<String, Option<RemoteChange>>>,
    old: &BTreeMap<String, Remote>,
) -> Result<BTreeMap<String, Remote>, ServiceError> {
    let changes = match change {
        Patch::Keep => return Ok(old.clone()),
        Patch::Clear => return Ok(BTreeMap::new()),
        Patch::Set(changes) => changes,
    };
    let mut remotes = old.clone();
    for (name, change) in changes {
        let before = remotes.remove(&name);
        if let Some(change) = change {
            let remote = merged_remote(&name, change, before)?;
            remotes.insert(name, remote);
        }
    }
    Ok(remotes)
}

fn merged_remote(
    name: &str,
    change: RemoteChange,
    old: Option<Remote>,
) -> Result<Remote, ServiceError> {
    let place = format!("`.remotes.{name}.url`");
    let is_new = old.is_none();
    let (old_url, search, write) = match old {
        Some(old) => (Some(old.url), old.search_api_key, old.write_api_key),
        None => (None, None, None),
    };
    if matches!(change.url, Patch::Clear) && !is_new {
        let message = format!("Field {place} cannot be set to `null`");
        return Err(ServiceError::new(Code::InvalidNetworkUrl, message));
    }
    let url = change.url.map(|url| kept_url(old_url.as_deref(), url));
    if let Patch::Set(url) = &url {
        if has_mask(url) {
            let message = format!("Invalid {place}: {MASK_REFUSED}");
            return Err(ServiceError::new(Code::InvalidNetworkUrl, message));
        }
        url::Url::parse(url).map_err(|cause| {
            let message = format!("Invalid {place} (`{url}`): {cause}");
            ServiceError::new(Code::InvalidNetworkUrl, message)
        })?;
    }
    let missing = || ServiceError::new(Code::MissingNetworkUrl, format!("Missing field {place}"));
    Ok(Remote {
        url: url.applied_to(old_url).ok_or_else(missing)?,
        search_api_key: change.search_api_key.applied_to(search),
        write_api_key: change.write_api_key.applied_to(write),
    })
}

fn merged_shards(change: Patch<BTreeMap<String, Option<ShardChange>>>, old: Shards) -> Shards {
    let mut shards = match change {
        Patch::Clear => Shards::new(),
        Patch::Keep => old,
        Patch::Set(changes) => {
            let mut shards = old;
            for (name, change) in changes {
                let before = shards.remove(&name).unwrap_or_default();
                if let Some(ShardChange { remotes, add, remove }) = change {
                    let mut owners = remotes.unwrap_or(before);
                    owners.extend(add);
                    owners.retain(|owner| !remove.contains(owner));
                    shards.insert(name, owners);
                }
            }
            shards
        }
    };
    shards.retain(|_, owners| !owners.is_empty());
    shards
}

/// Checks that in a network with a leader every document has an owner.
fn check_leader(network: &Network, old: &Network) -> Result<(), ServiceError> {
    let Some(leader) = &network.leader else { return Ok(()) };
    let refused = |code, message: String| Err(ServiceError::new(code, message));
    let is_renamed = old.is_sharded() && old.name != network.name;
    // On the leader itself the name is the error, not the sender.
    if is_renamed && (old.is_led_here() || network.name.as_ref() == Some(leader)) {
        let message = "Invalid `.self`: an instance keeps its name as long as the network has a leader.\n - Hint: set `.leader` to `null` first.";
        return refused(Code::InvalidNetworkSelf, message.to_owned());
    }
    if network.name.as_ref() != Some(leader) {
        let here = network.name.as_ref().map_or_else(
            || "this instance has no name, which `.self` would give it".to_owned(),
            |name| format!("this instance is `{name}`"),
        );
        let message = format!("The network is changed on its leader `{leader}`, and {here}.");
        return refused(Code::NotLeader, message);
    }
    if !network.remotes.contains_key(leader) {
        let message = format!("Invalid `.remotes`: the leader `{leader}` must be one of them.");
        return refused(Code::InvalidNetworkRemotes, message);
    }
    if network.shards.is_empty() {
        let message = "Invalid `.shards`: a network with a leader needs at least one shard.\n - Hint: a shard without remotes is removed.";
        return refused(Code::InvalidNetworkShards, message.to_owned());
    }
    for (shard, owners) in &network.shards {
        if let Some(unknown) = owners.iter().find(|owner| !network.remotes.contains_key(*owner)) {
            let message =
                format!("Invalid `.shards.{shard}.remotes`: `{unknown}` is not in `.remotes`.");
            return refused(Code::InvalidNetworkShards, message);
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "network_change_tests.rs"]
mod tests;
