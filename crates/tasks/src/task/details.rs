//! The `details` of a task: known in part when it is enqueued, completed by the work, and put in
//! their failure form when the work fails or is canceled.

use model::{redacted, shown_url, size};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::content::{Content, Swap};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Details {
    DocumentAdditionOrUpdate {
        received_documents: u64,
        indexed_documents: Option<u64>,
    },
    DocumentEdition {
        edited_documents: Option<u64>,
        deleted_documents: Option<u64>,
        context: Option<Map<String, Value>>,
        function: String,
        original_filter: Option<String>,
    },
    /// By ids or by filter.
    DocumentDeletion {
        provided_ids: u64,
        deleted_documents: Option<u64>,
        original_filter: Option<String>,
    },
    /// Deletes everything: all documents of an index, an index, all rules.
    ClearAll {
        deleted_documents: Option<u64>,
    },
    SettingsUpdate {
        settings: Map<String, Value>,
    },
    IndexCreation {
        primary_key: Option<String>,
    },
    IndexUpdate {
        primary_key: Option<String>,
        old_index_uid: Option<String>,
        new_index_uid: Option<String>,
    },
    IndexSwap {
        swaps: Vec<Swap>,
    },
    TaskCancelation {
        matched_tasks: u64,
        canceled_tasks: Option<u64>,
        original_filter: String,
    },
    TaskDeletion {
        matched_tasks: u64,
        deleted_tasks: Option<u64>,
        original_filter: String,
    },
    DumpCreation {
        dump_uid: Option<String>,
    },
    SnapshotCreation,
    Export {
        url: String,
        /// Masked.
        api_key: Option<String>,
        payload_size: Option<String>,
        indexes: Map<String, Value>,
    },
    UpgradeDatabase {
        upgrade_from: String,
        upgrade_to: String,
    },
    IndexCompaction {
        pre_compaction_size: Option<String>,
        post_compaction_size: Option<String>,
    },
    NetworkTopologyChange {
        moved_documents: u64,
        message: String,
    },
    DsrUpdate {
        rule: Option<Value>,
        updated_rules: u64,
    },
}

impl Details {
    /// Returns the details known before any work.
    pub fn of(content: &Content) -> Self {
        match content {
            Content::DocumentAdditionOrUpdate { documents, .. } => {
                Details::DocumentAdditionOrUpdate {
                    received_documents: *documents,
                    indexed_documents: None,
                }
            }
            Content::DocumentDeletion { ids, .. } => Details::DocumentDeletion {
                provided_ids: ids.len() as u64,
                deleted_documents: None,
                original_filter: None,
            },
            Content::DocumentDeletionByFilter { filter, .. } => Details::DocumentDeletion {
                provided_ids: 0,
                deleted_documents: None,
                original_filter: Some(filter.to_string()),
            },
            Content::DocumentClear { .. } | Content::IndexDeletion { .. } | Content::DsrClear => {
                Details::ClearAll { deleted_documents: None }
            }
            Content::DocumentEdition { filter, context, function, .. } => {
                Details::DocumentEdition {
                    edited_documents: None,
                    deleted_documents: None,
                    context: context.clone(),
                    function: function.clone(),
                    original_filter: filter.as_ref().map(Value::to_string),
                }
            }
            Content::SettingsUpdate { details, .. } => {
                Details::SettingsUpdate { settings: details.clone() }
            }
            Content::IndexCreation { primary_key, .. } => {
                Details::IndexCreation { primary_key: primary_key.clone() }
            }
            Content::IndexUpdate { index_uid, primary_key, new_uid } => Details::IndexUpdate {
                primary_key: primary_key.clone(),
                old_index_uid: new_uid.as_ref().map(|_| index_uid.clone()),
                new_index_uid: new_uid.clone(),
            },
            Content::IndexSwap { swaps } => Details::IndexSwap { swaps: swaps.clone() },
            Content::TaskCancelation { query, tasks } => Details::TaskCancelation {
                matched_tasks: tasks.len(),
                canceled_tasks: None,
                original_filter: query.clone(),
            },
            Content::TaskDeletion { query, tasks } => Details::TaskDeletion {
                matched_tasks: tasks.len(),
                deleted_tasks: None,
                original_filter: query.clone(),
            },
            Content::DumpCreation { .. } => Details::DumpCreation { dump_uid: None },
            Content::SnapshotCreation => Details::SnapshotCreation,
            Content::Export { url, api_key, payload_size, indexes } => Details::Export {
                url: shown_url(url),
                api_key: api_key.as_deref().map(redacted),
                payload_size: payload_size.map(size::human_limit),
                indexes: indexes.clone(),
            },
            Content::UpgradeDatabase { from, to } => {
                Details::UpgradeDatabase { upgrade_from: from.clone(), upgrade_to: to.clone() }
            }
            Content::IndexCompaction { .. } => {
                Details::IndexCompaction { pre_compaction_size: None, post_compaction_size: None }
            }
            Content::NetworkTopologyChange { .. } => {
                Details::NetworkTopologyChange { moved_documents: 0, message: String::new() }
            }
            Content::DsrUpdate { rule, .. } => {
                Details::DsrUpdate { rule: rule.clone(), updated_rules: 1 }
            }
        }
    }

    /// Converts to the form of a failed or canceled task: counters set by the work become 0.
    #[must_use]
    pub fn into_failed(mut self) -> Self {
        match &mut self {
            Details::DocumentAdditionOrUpdate { indexed_documents: counter, .. }
            // An edition's deletedDocuments stays unknown.
            | Details::DocumentEdition { edited_documents: counter, .. }
            | Details::DocumentDeletion { deleted_documents: counter, .. }
            | Details::ClearAll { deleted_documents: counter }
            | Details::TaskCancelation { canceled_tasks: counter, .. }
            | Details::TaskDeletion { deleted_tasks: counter, .. } => *counter = Some(0),
            _ => {}
        }
        self
    }

    /// Shows swaps with the current names of their indexes.
    pub(crate) fn rename_indexes(&mut self, renamed: &dyn Fn(&str) -> Option<String>) {
        let Details::IndexSwap { swaps } = self else { return };
        for Swap { indexes: (left, right), .. } in swaps {
            *left = renamed(left).unwrap_or_else(|| left.clone());
            *right = renamed(right).unwrap_or_else(|| right.clone());
        }
    }

    /// Returns the wire object; none for a type without details.
    pub fn to_json(&self) -> Option<Map<String, Value>> {
        let object = match self {
            Details::DocumentAdditionOrUpdate { received_documents, indexed_documents } => json!({
                "receivedDocuments": received_documents,
                "indexedDocuments": indexed_documents,
            }),
            Details::DocumentEdition {
                edited_documents,
                deleted_documents,
                context,
                function,
                original_filter,
            } => json!({
                "editedDocuments": edited_documents,
                "deletedDocuments": deleted_documents,
                "context": context,
                "function": function,
                "originalFilter": original_filter,
            }),
            Details::DocumentDeletion { provided_ids, deleted_documents, original_filter } => {
                json!({
                    "providedIds": provided_ids,
                    "deletedDocuments": deleted_documents,
                    "originalFilter": original_filter,
                })
            }
            Details::ClearAll { deleted_documents } => {
                json!({ "deletedDocuments": deleted_documents })
            }
            Details::SettingsUpdate { settings } => return Some(settings.clone()),
            Details::IndexCreation { primary_key } => json!({ "primaryKey": primary_key }),
            Details::IndexUpdate { primary_key, old_index_uid, new_index_uid } => {
                let mut object = json!({ "primaryKey": primary_key });
                insert_some(&mut object, "oldIndexUid", old_index_uid.as_ref());
                insert_some(&mut object, "newIndexUid", new_index_uid.as_ref());
                object
            }
            Details::IndexSwap { swaps } => json!({ "swaps": swaps }),
            Details::TaskCancelation { matched_tasks, canceled_tasks, original_filter } => json!({
                "matchedTasks": matched_tasks,
                "canceledTasks": canceled_tasks,
                "originalFilter": original_filter,
            }),
            Details::TaskDeletion { matched_tasks, deleted_tasks, original_filter } => json!({
                "matchedTasks": matched_tasks,
                "deletedTasks": deleted_tasks,
                "originalFilter": original_filter,
            }),
            Details::DumpCreation { dump_uid } => json!({ "dumpUid": dump_uid }),
            Details::SnapshotCreation => return None,
            Details::Export { url, api_key, payload_size, indexes } => {
                let mut object = json!({ "url": url });
                insert_some(&mut object, "apiKey", api_key.as_ref());
                insert_some(&mut object, "payloadSize", payload_size.as_ref());
                insert_some(&mut object, "indexes", Some(indexes));
                object
            }
            Details::UpgradeDatabase { upgrade_from, upgrade_to } => {
                json!({ "upgradeFrom": upgrade_from, "upgradeTo": upgrade_to })
            }
            Details::IndexCompaction { pre_compaction_size, post_compaction_size } => {
                let mut object = json!({});
                insert_some(&mut object, "preCompactionSize", pre_compaction_size.as_ref());
                insert_some(&mut object, "postCompactionSize", post_compaction_size.as_ref());
                object
            }
            Details::NetworkTopologyChange { moved_documents, message } => {
                json!({ "movedDocuments": moved_documents, "message": message })
            }
            Details::DsrUpdate { rule, updated_rules } => {
                let mut object = json!({});
                insert_some(&mut object, "rule", rule.as_ref());
                insert_some(&mut object, "updatedRules", Some(updated_rules));
                object
            }
        };
        match object {
            Value::Object(map) => Some(map),
            _ => None,
        }
    }
}

fn insert_some(object: &mut Value, name: &str, value: Option<&impl Serialize>) {
    if let (Some(map), Some(value)) = (object.as_object_mut(), value) {
        map.insert(name.to_owned(), json!(value));
    }
}
