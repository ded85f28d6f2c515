//! The work a task asks for, as given when it was enqueued. It knows which indexes each kind of
//! work names, and nothing about how the work is done.

use model::Format;
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::payload_id::PayloadId;
use super::task_type::TaskType;

/// Pseudo-index of the dynamic search rules, not an index of the user.
pub const RULES_INDEX_UID: &str = ".meili_dsr";

/// How an addition treats an existing document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Method {
    Replace,
    Update,
}

/// Two indexes that exchange their names, or one that takes a free name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swap {
    pub indexes: (String, String),
    pub rename: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Content {
    DocumentAdditionOrUpdate {
        index_uid: String,
        primary_key: Option<String>,
        method: Method,
        #[serde(with = "crate::task::format_as_text")]
        format: Format,
        payload: PayloadId,
        documents: u64,
        may_create_index: bool,
        skip_creation: bool,
    },
    DocumentDeletion {
        index_uid: String,
        ids: Vec<String>,
    },
    DocumentDeletionByFilter {
        index_uid: String,
        filter: Value,
    },
    DocumentClear {
        index_uid: String,
    },
    DocumentEdition {
        index_uid: String,
        filter: Option<Value>,
        context: Option<Map<String, Value>>,
        function: String,
    },
    SettingsUpdate {
        index_uid: String,
        /// The settings to apply, secrets in clear; dropped when the task finishes.
        settings: Value,
        /// The settings as shown: resets as null, secrets masked.
        details: Map<String, Value>,
        may_create_index: bool,
    },
    IndexCreation {
        index_uid: String,
        primary_key: Option<String>,
    },
    IndexDeletion {
        index_uid: String,
    },
    IndexUpdate {
        index_uid: String,
        primary_key: Option<String>,
        new_uid: Option<String>,
    },
    IndexSwap {
        swaps: Vec<Swap>,
    },
    TaskCancelation {
        /// The query string as sent, with its leading `?`.
        query: String,
        #[serde(with = "crate::task::uid_ranges")]
        tasks: RoaringBitmap,
    },
    TaskDeletion {
        query: String,
        #[serde(with = "crate::task::uid_ranges")]
        tasks: RoaringBitmap,
    },
    DumpCreation {
        instance_uid: Option<String>,
    },
    SnapshotCreation,
    Export {
        url: String,
        api_key: Option<String>,
        payload_size: Option<u64>,
        /// Pattern → `{"filter": …, "overrideSettings": …}`.
        indexes: Map<String, Value>,
    },
    UpgradeDatabase {
        from: String,
        to: String,
    },
    IndexCompaction {
        index_uid: String,
    },
    NetworkTopologyChange {
        change: Value,
    },
    DsrUpdate {
        rule_uid: String,
        /// The change of the rule; absent when it is deleted.
        rule: Option<Value>,
    },
    DsrClear,
}

impl Content {
    pub fn task_type(&self) -> TaskType {
        match self {
            Content::DocumentAdditionOrUpdate { .. } => TaskType::DocumentAdditionOrUpdate,
            Content::DocumentDeletion { .. }
            | Content::DocumentDeletionByFilter { .. }
            | Content::DocumentClear { .. } => TaskType::DocumentDeletion,
            Content::DocumentEdition { .. } => TaskType::DocumentEdition,
            Content::SettingsUpdate { .. } => TaskType::SettingsUpdate,
            Content::IndexCreation { .. } => TaskType::IndexCreation,
            Content::IndexDeletion { .. } => TaskType::IndexDeletion,
            Content::IndexUpdate { .. } => TaskType::IndexUpdate,
            Content::IndexSwap { .. } => TaskType::IndexSwap,
            Content::TaskCancelation { .. } => TaskType::TaskCancelation,
            Content::TaskDeletion { .. } => TaskType::TaskDeletion,
            Content::DumpCreation { .. } => TaskType::DumpCreation,
            Content::SnapshotCreation => TaskType::SnapshotCreation,
            Content::Export { .. } => TaskType::Export,
            Content::UpgradeDatabase { .. } => TaskType::UpgradeDatabase,
            Content::IndexCompaction { .. } => TaskType::IndexCompaction,
            Content::NetworkTopologyChange { .. } => TaskType::NetworkTopologyChange,
            Content::DsrUpdate { .. } => TaskType::DsrUpdate,
            Content::DsrClear => TaskType::DsrClear,
        }
    }

    /// Returns the index shown as the task's `indexUid`; none for global work.
    pub fn index_uid(&self) -> Option<&str> {
        match self {
            Content::DocumentAdditionOrUpdate { index_uid, .. }
            | Content::DocumentDeletion { index_uid, .. }
            | Content::DocumentDeletionByFilter { index_uid, .. }
            | Content::DocumentClear { index_uid }
            | Content::DocumentEdition { index_uid, .. }
            | Content::SettingsUpdate { index_uid, .. }
            | Content::IndexCreation { index_uid, .. }
            | Content::IndexDeletion { index_uid }
            | Content::IndexUpdate { index_uid, .. }
            | Content::IndexCompaction { index_uid } => Some(index_uid),
            Content::DsrUpdate { .. } | Content::DsrClear => Some(RULES_INDEX_UID),
            _ => None,
        }
    }

    /// Returns every index the task is found under and waits for: a rename has two names, a swap
    /// many.
    pub fn index_uids(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.index_uid().into_iter().collect();
        match self {
            Content::IndexUpdate { new_uid: Some(new_uid), .. } => names.push(new_uid),
            Content::IndexSwap { swaps } => {
                for Swap { indexes: (left, right), .. } in swaps {
                    names.extend([left.as_str(), right.as_str()]);
                }
            }
            _ => {}
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    pub fn payload(&self) -> Option<&PayloadId> {
        match self {
            Content::DocumentAdditionOrUpdate { payload, .. } => Some(payload),
            _ => None,
        }
    }

    /// Returns the targets of a cancelation or deletion.
    pub(crate) fn targets(&self) -> Option<&RoaringBitmap> {
        match self {
            Content::TaskCancelation { tasks, .. } | Content::TaskDeletion { tasks, .. } => {
                Some(tasks)
            }
            _ => None,
        }
    }

    /// Returns whether the work frees disk space, so that it is accepted on a full disk.
    pub(crate) fn frees_space(&self) -> bool {
        match self {
            Content::IndexDeletion { .. }
            | Content::DocumentClear { .. }
            | Content::DocumentDeletion { .. }
            | Content::DocumentDeletionByFilter { .. } => true,
            _ => self.targets().is_some_and(|targets| !targets.is_empty()),
        }
    }

    /// Replaces every index name by the result of `renamed`.
    pub(crate) fn rename_indexes(&mut self, renamed: &dyn Fn(&str) -> Option<String>) {
        let apply = |name: &mut String| {
            if let Some(new_name) = renamed(name) {
                *name = new_name;
            }
        };
        match self {
            Content::DocumentAdditionOrUpdate { index_uid, .. }
            | Content::DocumentDeletion { index_uid, .. }
            | Content::DocumentDeletionByFilter { index_uid, .. }
            | Content::DocumentClear { index_uid }
            | Content::DocumentEdition { index_uid, .. }
            | Content::SettingsUpdate { index_uid, .. }
            | Content::IndexCreation { index_uid, .. }
            | Content::IndexDeletion { index_uid }
            | Content::IndexCompaction { index_uid } => apply(index_uid),
            Content::IndexUpdate { index_uid, new_uid, .. } => {
                apply(index_uid);
                if let Some(new_uid) = new_uid {
                    apply(new_uid);
                }
            }
            Content::IndexSwap { swaps } => {
                for Swap { indexes: (left, right), .. } in swaps {
                    apply(left);
                    apply(right);
                }
            }
            _ => {}
        }
    }

    /// Drops what only processing needs: long lists, secrets, targets.
    pub(crate) fn forget_work(&mut self) {
        match self {
            Content::DocumentDeletion { ids, .. } => *ids = Vec::new(),
            Content::SettingsUpdate { settings, details, .. } => {
                *settings = Value::Null;
                *details = Map::new();
            }
            Content::TaskCancelation { tasks, .. } | Content::TaskDeletion { tasks, .. } => {
                tasks.clear();
            }
            Content::Export { api_key, .. } => *api_key = None,
            Content::NetworkTopologyChange { change } => *change = Value::Null,
            _ => {}
        }
    }
}
