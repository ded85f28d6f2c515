//! The actions a key can allow. One table gives each action its name, whether a key of some indexes
//! may have it, and the members of wildcards.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The scope of an action: one index or the whole instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Index,
    Instance,
}

macro_rules! actions {
    ($($variant:ident = $name:literal, $scope:ident $(=> [$($member:ident),*])?;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action { $($variant),* }

        impl Action {
            /// All actions, in the order of messages.
            pub const ALL_ACTIONS: &'static [Action] = &[$(Action::$variant),*];

            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            pub fn name(self) -> &'static str {
                match self { $(Action::$variant => $name),* }
            }

            fn scope(self) -> Scope {
                match self { $(Action::$variant => Scope::$scope),* }
            }

            /// Returns the other actions that it includes.
            fn members(self) -> &'static [Action] {
                match self { $(Action::$variant => &[$($(Action::$member),*)?]),* }
            }
        }
    };
}

actions! {
    All = "*", Index;
    Search = "search", Index;
    DocumentsAll = "documents.*", Index => [DocumentsAdd, DocumentsGet, DocumentsDelete];
    DocumentsAdd = "documents.add", Index;
    DocumentsGet = "documents.get", Index;
    DocumentsDelete = "documents.delete", Index;
    IndexesAll = "indexes.*", Index => [
        IndexesCreate, IndexesGet, IndexesUpdate, IndexesDelete, IndexesSwap, IndexesCompact
    ];
    IndexesCreate = "indexes.create", Index;
    IndexesGet = "indexes.get", Index;
    IndexesUpdate = "indexes.update", Index;
    IndexesDelete = "indexes.delete", Index;
    IndexesSwap = "indexes.swap", Index;
    TasksAll = "tasks.*", Index => [TasksGet, TasksCancel, TasksDelete, TasksCompact];
    TasksCancel = "tasks.cancel", Index;
    TasksDelete = "tasks.delete", Index;
    TasksGet = "tasks.get", Index;
    SettingsAll = "settings.*", Index => [SettingsGet, SettingsUpdate];
    SettingsGet = "settings.get", Index;
    SettingsUpdate = "settings.update", Index;
    StatsAll = "stats.*", Index => [StatsGet];
    StatsGet = "stats.get", Index;
    MetricsAll = "metrics.*", Instance => [MetricsGet];
    MetricsGet = "metrics.get", Instance;
    DumpsAll = "dumps.*", Instance => [DumpsCreate];
    DumpsCreate = "dumps.create", Instance;
    SnapshotsAll = "snapshots.*", Instance => [SnapshotsCreate];
    SnapshotsCreate = "snapshots.create", Instance;
    Version = "version", Instance;
    KeysCreate = "keys.create", Instance;
    KeysGet = "keys.get", Instance;
    KeysUpdate = "keys.update", Instance;
    KeysDelete = "keys.delete", Instance;
    ExperimentalGet = "experimental.get", Instance;
    ExperimentalUpdate = "experimental.update", Instance;
    Export = "export", Instance;
    NetworkGet = "network.get", Instance;
    NetworkUpdate = "network.update", Instance;
    ChatCompletions = "chatCompletions", Index;
    ChatsAll = "chats.*", Instance => [ChatsGet, ChatsDelete];
    ChatsGet = "chats.get", Instance;
    ChatsDelete = "chats.delete", Instance;
    ChatsSettingsAll = "chatsSettings.*", Instance => [ChatsSettingsGet, ChatsSettingsUpdate];
    ChatsSettingsGet = "chatsSettings.get", Instance;
    ChatsSettingsUpdate = "chatsSettings.update", Instance;
    AllGet = "*.get", Index => [
        Search, DocumentsGet, IndexesGet, TasksGet, SettingsGet, StatsGet, MetricsGet, Version,
        ExperimentalGet, NetworkGet, ChatsGet, ChatsSettingsGet, WebhooksGet, FieldsPost,
        DynamicSearchRulesGet
    ];
    WebhooksGet = "webhooks.get", Instance;
    WebhooksUpdate = "webhooks.update", Instance;
    WebhooksDelete = "webhooks.delete", Instance;
    WebhooksCreate = "webhooks.create", Instance;
    WebhooksAll = "webhooks.*", Instance => [
        WebhooksGet, WebhooksCreate, WebhooksUpdate, WebhooksDelete
    ];
    IndexesCompact = "indexes.compact", Index;
    FieldsPost = "fields.post", Index;
    TasksCompact = "tasks.compact", Instance;
    DynamicSearchRulesGet = "dynamicSearchRules.get", Instance;
    DynamicSearchRulesCreate = "dynamicSearchRules.create", Instance;
    DynamicSearchRulesUpdate = "dynamicSearchRules.update", Instance;
    DynamicSearchRulesDelete = "dynamicSearchRules.delete", Instance;
    DynamicSearchRulesAll = "dynamicSearchRules.*", Instance => [
        DynamicSearchRulesGet, DynamicSearchRulesCreate, DynamicSearchRulesUpdate,
        DynamicSearchRulesDelete
    ];
}

impl Action {
    /// Returns whether this action allows `wanted`. A wildcard allows its members, but not routes
    /// that require the wildcard itself: only `*` does.
    pub fn includes(self, wanted: Action) -> bool {
        let members = self.members();
        self == Action::All || members.contains(&wanted) || (self == wanted && members.is_empty())
    }

    /// Returns whether the actions in `held` together cover it.
    pub(crate) fn is_covered_by(self, held: &[Action]) -> bool {
        let members = self.members();
        held.iter().any(|own| *own == self || own.includes(self))
            || (!members.is_empty() && members.iter().all(|member| member.is_covered_by(held)))
    }

    /// Returns whether it concerns the whole instance, so that a key of some indexes cannot have
    /// it.
    pub fn is_global(self) -> bool {
        self.scope() == Scope::Instance
    }

    /// Returns whether routes with it need a key of all indexes. Those that need every action need
    /// all indexes, too.
    pub fn needs_all_indexes(self) -> bool {
        self.is_global() || self == Action::All
    }

    /// Returns whether tenant tokens may use it.
    pub fn is_open_to_tenants(self) -> bool {
        matches!(self, Action::Search | Action::ChatCompletions)
    }

    /// Returns whether it manages keys, which makes no sense without a master key.
    pub fn is_about_keys(self) -> bool {
        matches!(
            self,
            Action::KeysCreate | Action::KeysGet | Action::KeysUpdate | Action::KeysDelete
        )
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error for an unknown action name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownActionError;

impl fmt::Display for UnknownActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown action")
    }
}

impl FromStr for Action {
    type Err = UnknownActionError;

    fn from_str(name: &str) -> Result<Self, UnknownActionError> {
        Action::ALL_ACTIONS.iter().copied().find(|a| a.name() == name).ok_or(UnknownActionError)
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|_| serde::de::Error::custom(format!("unknown action `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        for &action in Action::ALL_ACTIONS {
            assert_eq!(action.name().parse(), Ok(action));
        }
        for unknown in ["", "keys.*", "experimental.*", "network.*", "fields.*", "Search"] {
            assert_eq!(unknown.parse::<Action>(), Err(UnknownActionError), "{unknown}");
        }
    }

    #[test]
    fn a_star_allows_everything_and_wildcards_their_members() {
        for &action in Action::ALL_ACTIONS {
            assert!(Action::All.includes(action), "{action}");
            let group = action.name().strip_suffix(".*").filter(|group| *group != "*");
            let Some(group) = group else { continue };
            for &member in Action::ALL_ACTIONS.iter().filter(|member| !member.name().contains('*'))
            {
                let is_member = member.name().split('.').next() == Some(group);
                assert_eq!(action.includes(member), is_member, "{action} {member}");
            }
            // The wildcard itself is more than its members.
            assert!(!action.includes(action), "{action}");
        }
    }

    #[test]
    fn an_action_is_covered_by_itself_or_by_all_it_stands_for() {
        use Action::*;
        for (wanted, held, expected) in [
            (Search, &[Search][..], true),
            (Search, &[AllGet], true),
            (Search, &[All], true),
            (Search, &[DocumentsAll], false),
            (DocumentsAll, &[DocumentsAll], true),
            (DocumentsAll, &[DocumentsAdd, DocumentsGet, DocumentsDelete], true),
            (DocumentsAll, &[DocumentsAdd, DocumentsGet], false),
            (AllGet, &[AllGet], true),
            (All, &[All], true),
            (All, &[AllGet, KeysGet], false),
            (Export, &[AllGet], false),
        ] {
            assert_eq!(wanted.is_covered_by(held), expected, "{wanted} {held:?}");
        }
    }

    #[test]
    fn reading_everything_leaves_keys_and_chats_out() {
        let read: Vec<&str> = Action::ALL_ACTIONS
            .iter()
            .filter(|action| Action::AllGet.includes(**action))
            .map(|action| action.name())
            .collect();
        assert_eq!(
            read,
            [
                "search",
                "documents.get",
                "indexes.get",
                "tasks.get",
                "settings.get",
                "stats.get",
                "metrics.get",
                "version",
                "experimental.get",
                "network.get",
                "chats.get",
                "chatsSettings.get",
                "webhooks.get",
                "fields.post",
                "dynamicSearchRules.get",
            ]
        );
    }
}
