//! The instances of a network: names, addresses, owners of shards, and leader. Changed and read as
//! a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use model::Secret;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Shards and the remotes that hold their documents; every shard has one.
pub type Shards = BTreeMap<String, BTreeSet<String>>;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Network {
    /// Name of this instance among the remotes.
    #[serde(rename = "self")]
    pub name: Option<String>,
    /// Leader, which accepts the writes. Documents are sharded exactly while there is one.
    pub leader: Option<String>,
    pub remotes: BTreeMap<String, Remote>,
    pub shards: Shards,
    /// Version, new with every change; nil before the first.
    pub version: Uuid,
}

/// Address and keys of one instance. This one may be among the remotes too.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remote {
    pub url: String,
    #[serde(with = "model::stored_secret")]
    pub search_api_key: Option<Secret>,
    #[serde(with = "model::stored_secret")]
    pub write_api_key: Option<Secret>,
}

impl Network {
    pub fn is_sharded(&self) -> bool {
        self.leader.is_some()
    }

    /// Returns whether this instance is the leader.
    pub fn is_led_here(&self) -> bool {
        self.is_sharded() && self.leader == self.name
    }

    pub fn is_self(&self, remote: &str) -> bool {
        self.name.as_deref() == Some(remote)
    }

    /// Returns the remotes other than this instance.
    pub fn others(&self) -> impl Iterator<Item = (&str, &Remote)> {
        let others = self.remotes.iter().filter(|(name, _)| !self.is_self(name));
        others.map(|(name, remote)| (name.as_str(), remote))
    }
}

impl Remote {
    /// Returns the address of a route; `path` begins with a slash.
    pub fn address(&self, path: &str) -> String {
        // Query and fragment are cut off: routes add their own parameters.
        let base = self.url.split(['?', '#']).next().unwrap_or_default();
        format!("{}{path}", base.trim_end_matches('/'))
    }
}

/// Omits the keys and the URL, which can hold a password.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(url: &str) -> Remote {
        let key = |text: &str| Some(Secret::new(text));
        Remote { url: url.to_owned(), search_api_key: key("sesame"), write_api_key: key("quill") }
    }

    #[test]
    fn debug_output_holds_no_key() {
        let remotes = BTreeMap::from([("a".to_owned(), remote("http://me:open@a.example"))]);
        let network = Network { remotes, ..Network::default() };
        let shown = format!("{network:?}");
        for secret in ["sesame", "quill", "open"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn what_is_stored_reads_back() {
        let network = Network {
            name: Some("a".to_owned()),
            leader: Some("a".to_owned()),
            remotes: BTreeMap::from([("a".to_owned(), remote("http://a.example"))]),
            shards: BTreeMap::from([("s".to_owned(), BTreeSet::from(["a".to_owned()]))]),
            version: model::time_ordered_uuid(),
        };
        let text = serde_json::to_string(&network).unwrap();
        assert_eq!(serde_json::from_str::<Network>(&text).unwrap(), network);
        assert!(network.is_led_here());
        assert_eq!(network.others().count(), 0);
    }

    #[test]
    fn paths_follow_the_address_of_a_remote() {
        assert_eq!(remote("http://a.example/").address("/x"), "http://a.example/x");
        assert_eq!(remote("http://a.example/up").address("/x"), "http://a.example/up/x");
        assert_eq!(
            remote("http://a.example/up/?a=b#c").address("/x?y=1"),
            "http://a.example/up/x?y=1"
        );
    }
}
