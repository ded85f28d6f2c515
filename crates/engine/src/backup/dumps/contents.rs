//! Contents of a dump besides documents and tasks: index records, and the tables of the instance.

use std::collections::BTreeMap;

use auth::Key;
use index::Snapshot;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;
use vectors::StoreOptions;

use crate::chats::ChatSettings;
use crate::search_rules::Rule;
use crate::webhooks::Webhook;

/// An index without its documents.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexRecord {
    pub uid: String,
    pub primary_key: Option<String>,
    /// True if documents begin with the primary key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leads_with_key: bool,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// Stored settings: those that differ from the defaults, with keys of providers in clear.
    pub settings: Value,
    /// All fields that documents have or had.
    pub fields: Vec<String>,
    pub embedders: BTreeMap<String, StoreOptions>,
    /// The lowest free document number, where numbers are shared with other instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_doc_id: Option<u64>,
    pub documents: u64,
}

impl IndexRecord {
    pub fn of(uid: &str, snapshot: &Snapshot, shares_numbers: bool) -> Self {
        let options = |vectors: &index::EmbedderVectors| *vectors.store().options();
        let embedders = snapshot.embedders();
        Self {
            uid: uid.to_owned(),
            primary_key: snapshot.primary_key().map(str::to_owned),
            leads_with_key: snapshot.leads_with_key(),
            created_at: snapshot.created_at(),
            updated_at: snapshot.updated_at(),
            settings: snapshot.settings().clone(),
            fields: snapshot.field_names().map(str::to_owned).collect(),
            embedders: embedders.map(|(name, of)| (name.to_owned(), options(of))).collect(),
            next_doc_id: shares_numbers.then(|| snapshot.next_doc_id()),
            documents: snapshot.number_of_documents(),
        }
    }
}

/// Everything that is neither an index nor a task. Holds keys in clear.
#[derive(Default)]
pub(super) struct InstanceRecords {
    pub instance_uid: Option<Uuid>,
    /// Features, network and similar records as stored, by name.
    pub instance: Map<String, Value>,
    /// None if the dump has no keys: default keys are then created as in a new instance.
    pub keys: Option<Vec<Key>>,
    pub webhooks: BTreeMap<Uuid, Webhook>,
    pub chats: BTreeMap<String, ChatSettings>,
    pub rules: Vec<Rule>,
}

/// A line of the list of webhooks.
#[derive(Serialize, Deserialize)]
pub(super) struct WebhookLine {
    pub uuid: Uuid,
    #[serde(flatten)]
    pub webhook: Webhook,
}

/// A line of the list of chat workspaces.
#[derive(Serialize, Deserialize)]
pub(super) struct ChatLine {
    pub uid: String,
    pub settings: ChatSettings,
}
