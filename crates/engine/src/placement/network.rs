//! The instances that make up a network: what each is called and where it is, which of them own
//! which shard, and who leads. Changed as a whole, read as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use model::Secret;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Each shard and the remotes that hold its documents; no shard is without a remote.
pub type Shards = BTreeMap<String, BTreeSet<String>>;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Network {
    /// What this instance is called among the remotes.
    #[serde(rename = "self")]
    pub name: Option<String>,
    /// Who takes the writes. Documents are sharded exactly while there is one.
    pub leader: Option<String>,
    pub remotes: BTreeMap<String, Remote>,
    pub shards: Shards,
    /// New with every change; nil as long as there was none.
    pub version: Uuid,
}

/// One instance, as it is reached. This one may stand among the remotes too.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remote {
    pub url: String,
    #[serde(with = "crate::storage::stored_secret")]
    pub search_api_key: Option<Secret>,
    #[serde(with = "crate::storage::stored_secret")]
    pub write_api_key: Option<Secret>,
}

impl Network {
    pub fn is_sharded(&self) -> bool {
        self.leader.is_some()
    }

    /// Whether this instance takes writes for the whole network.
    pub fn is_led_here(&self) -> bool {
        self.is_sharded() && self.leader == self.name
    }

    pub fn is_self(&self, remote: &str) -> bool {
        self.name.as_deref() == Some(remote)
    }

    /// The remotes other than this instance.
    pub fn others(&self) -> impl Iterator<Item = (&str, &Remote)> {
        let others = self.remotes.iter().filter(|(name, _)| !self.is_self(name));
        others.map(|(name, remote)| (name.as_str(), remote))
    }
}

impl Remote {
    /// The address of one of its routes; `path` begins with a slash.
    pub fn address(&self, path: &str) -> String {
        // Routes have parameters of their own, and fragments are for browsers.
        let base = self.url.split(['?', '#']).next().unwrap_or_default();
        format!("{}{path}", base.trim_end_matches('/'))
    }
}

/// Neither its keys nor its URL, which can hold a password.
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
    fn what_is_shown_for_debugging_holds_no_key() {
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
