//! Dumps of Meilisearch from v1.0 on (dump version 6): their entries, and the records whose form is
//! fixed. Entries come in any order. See FORMAT.md.

use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;

/// The kind of an entry, by its name; index folders are identified by their name in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum V6Entry<'n> {
    Metadata,
    InstanceUid,
    Keys,
    Features,
    Network,
    Webhooks,
    /// The settings of a chat workspace.
    Chat(&'n str),
    IndexMetadata(&'n str),
    Settings(&'n str),
    Documents(&'n str),
    Tasks,
    /// The documents of a waiting addition, by the uid of its task.
    UpdateFile(u32),
    Batches,
    Unknown,
}

impl<'n> V6Entry<'n> {
    pub fn named(name: &'n str) -> Self {
        match name.split('/').collect::<Vec<_>>()[..] {
            [crate::Metadata::ENTRY] => V6Entry::Metadata,
            ["instance_uid.uuid" | "instance-uid.uuid"] => V6Entry::InstanceUid,
            ["keys.jsonl"] => V6Entry::Keys,
            ["experimental-features.json"] => V6Entry::Features,
            ["network.json"] => V6Entry::Network,
            ["webhooks.json"] => V6Entry::Webhooks,
            ["chat-completions-settings", file] => match file.strip_suffix(".json") {
                Some(workspace) => V6Entry::Chat(workspace),
                None => V6Entry::Unknown,
            },
            ["indexes", folder, "metadata.json"] => V6Entry::IndexMetadata(folder),
            ["indexes", folder, "settings.json"] => V6Entry::Settings(folder),
            ["indexes", folder, "documents.jsonl"] => V6Entry::Documents(folder),
            ["tasks", "queue.jsonl"] => V6Entry::Tasks,
            ["tasks", "update_files", file] => {
                let uid = file.strip_suffix(".jsonl").and_then(|uid| uid.parse().ok());
                uid.map_or(V6Entry::Unknown, V6Entry::UpdateFile)
            }
            ["batches", "queue.jsonl"] => V6Entry::Batches,
            _ => V6Entry::Unknown,
        }
    }
}

/// Uid, primary key and dates of an index.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexMetadata {
    pub uid: String,
    pub primary_key: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// A line of `tasks/queue.jsonl`. Its content and details depend on its type.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub uid: u32,
    pub batch_uid: Option<u32>,
    pub index_uid: Option<String>,
    pub status: String,
    /// A name, or an object with one member of that name.
    #[serde(rename = "type")]
    pub kind: Value,
    pub canceled_by: Option<u32>,
    pub details: Option<Value>,
    pub error: Option<Value>,
    #[serde(with = "time::serde::rfc3339")]
    pub enqueued_at: OffsetDateTime,
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub started_at: Option<OffsetDateTime>,
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub finished_at: Option<OffsetDateTime>,
    pub custom_metadata: Option<String>,
}

impl Task {
    /// Returns the name of its type with the members.
    pub fn kind(&self) -> (&str, Members<'_>) {
        named(&self.kind)
    }

    /// Returns the name and the members of its details.
    pub fn details(&self) -> Option<(&str, Members<'_>)> {
        self.details.as_ref().filter(|details| !details.is_null()).map(named)
    }
}

/// Reads an enum variant: `"name"` or `{"name": {…}}`.
fn named(value: &Value) -> (&str, Members<'_>) {
    match value {
        Value::String(name) => (name, Members(&Value::Null)),
        Value::Object(object) => match object.iter().next() {
            Some((name, members)) => (name, Members(members)),
            None => ("", Members(&Value::Null)),
        },
        _ => ("", Members(&Value::Null)),
    }
}

/// A line of `batches/queue.jsonl`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    pub uid: u32,
    #[serde(default)]
    pub details: serde_json::Map<String, Value>,
    pub stats: Value,
    #[serde(with = "time::serde::rfc3339")]
    pub started_at: OffsetDateTime,
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub finished_at: Option<OffsetDateTime>,
    #[serde(default, alias = "batchStrategy")]
    pub stop_reason: Option<String>,
}

/// The members of an object, with names in snake case or camel case.
#[derive(Debug, Clone, Copy)]
pub struct Members<'v>(pub &'v Value);

impl<'v> Members<'v> {
    /// Returns a member by its name in snake case; null counts as absent.
    pub fn get(self, name: &str) -> Option<&'v Value> {
        let found = self.0.get(name).or_else(|| self.0.get(camel(name)));
        found.filter(|value| !value.is_null())
    }

    pub fn text(self, name: &str) -> Option<String> {
        self.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    pub fn number(self, name: &str) -> Option<u64> {
        self.get(name).and_then(Value::as_u64)
    }

    pub fn flag(self, name: &str) -> Option<bool> {
        self.get(name).and_then(Value::as_bool)
    }
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_are_known_by_their_names() {
        for (name, part) in [
            ("metadata.json", V6Entry::Metadata),
            ("indexes/movies/metadata.json", V6Entry::IndexMetadata("movies")),
            ("indexes/movies/documents.jsonl", V6Entry::Documents("movies")),
            ("tasks/update_files/12.jsonl", V6Entry::UpdateFile(12)),
            ("tasks/update_files/x.jsonl", V6Entry::Unknown),
            ("chat-completions-settings/desk.json", V6Entry::Chat("desk")),
            ("deeper/indexes/movies/settings.json", V6Entry::Unknown),
        ] {
            assert_eq!(V6Entry::named(name), part, "{name}");
        }
    }

    #[test]
    fn kinds_have_members_or_none() {
        let task = |kind: Value| -> Task {
            let date = "2024-01-02T03:04:05.6Z";
            serde_json::from_value(
                json!({"uid": 1, "status": "enqueued", "type": kind, "enqueuedAt": date}),
            )
            .unwrap()
        };
        let clear = task(json!("documentClear"));
        assert_eq!(clear.kind().0, "documentClear");
        let import = task(json!({"documentImport": {"primary_key": "id", "documentsCount": 3}}));
        let (name, members) = import.kind();
        assert_eq!(name, "documentImport");
        assert_eq!(members.text("primary_key").as_deref(), Some("id"));
        assert_eq!(members.number("documents_count"), Some(3));
        assert_eq!(members.flag("allow_index_creation"), None);
    }
}
