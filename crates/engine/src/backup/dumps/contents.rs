//! What is in a dump besides documents and tasks: an index apart from its documents, and the
//! lists of small things.

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

/// An index apart from its documents.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexRecord {
    pub uid: String,
    pub primary_key: Option<String>,
    /// Whether documents begin with the primary key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leads_with_key: bool,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// As they are stored: what differs from the defaults, keys of providers in clear.
    pub settings: Value,
    /// Every field that a document ever had.
    pub fields: Vec<String>,
    pub embedders: BTreeMap<String, StoreOptions>,
    /// Where numbers of documents are shared with other instances: the lowest that is free.
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

/// Everything that is neither an index nor a task. It holds keys in clear.
#[derive(Default)]
pub(super) struct InstanceRecords {
    pub instance_uid: Option<Uuid>,
    /// Features, network and the like, by name, as they are stored.
    pub instance: Map<String, Value>,
    /// Nothing where the dump says nothing of keys: then they are made as for a new instance.
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
