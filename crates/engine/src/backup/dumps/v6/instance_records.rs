//! Imports keys, webhooks, features, network and chat workspaces.

use auth::{Action, Key};
use dump::Archive;
use dump::v6::{Members, V6Entry};
use model::features::Feature;
use network::Network;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::backup::dumps::contents::InstanceRecords;
use crate::backup::dumps::error::ImportError;

pub(super) fn take(
    part: V6Entry<'_>,
    archive: &mut Archive,
    records: &mut InstanceRecords,
) -> Result<(), ImportError> {
    let wrong = |archive: &Archive, what: String| ImportError::from(archive.wrong(what));
    match part {
        V6Entry::InstanceUid => {
            let text = archive.text()?;
            let uid = Uuid::parse_str(&text).map_err(|error| wrong(archive, error.to_string()))?;
            records.instance_uid = Some(uid);
        }
        V6Entry::Keys => {
            let keys = records.keys.get_or_insert_default();
            archive.for_each_json(|stored: Value| {
                keys.push(key(&stored)?);
                Ok::<(), ImportError>(())
            })?;
        }
        V6Entry::Features => {
            let stored: Map<String, Value> = archive.json()?;
            records.instance.insert("features".to_owned(), Value::Object(features(stored)));
        }
        V6Entry::Network => {
            if let Some(network) = network(&archive.json()?)? {
                records.instance.insert("network".to_owned(), network);
            }
        }
        V6Entry::Webhooks => {
            let stored: Value = archive.json()?;
            let webhooks = Members(&stored).get("webhooks").and_then(Value::as_object);
            for (uuid, webhook) in webhooks.into_iter().flatten() {
                let uuid = Uuid::parse_str(uuid).map_err(|error| ImportError(error.to_string()))?;
                let members = Members(webhook);
                let headers = members.get("headers").cloned().unwrap_or_else(|| json!({}));
                let read = json!({ "url": members.get("url"), "headers": headers });
                let webhook = serde_json::from_value(read)
                    .map_err(|error| wrong(archive, error.to_string()))?;
                records.webhooks.insert(uuid, webhook);
            }
        }
        V6Entry::Chat(workspace) => {
            records.chats.insert(workspace.to_owned(), archive.json()?);
        }
        _ => {}
    }
    Ok(())
}

/// Converts a key. Its value follows from its uid and the master key, so it stays the same.
fn key(stored: &Value) -> Result<Key, ImportError> {
    let members = Members(stored);
    let uid = members.text("uid").unwrap_or_default();
    let known = |action: &&Value| {
        let is_known = serde_json::from_value::<Action>((*action).clone()).is_ok();
        if !is_known {
            tracing::warn!("the action {action} of API key `{uid}` is not known and is left out");
        }
        is_known
    };
    let actions = members.get("actions").and_then(Value::as_array);
    let actions: Vec<&Value> = actions.into_iter().flatten().filter(known).collect();
    let key = json!({
        "uid": members.get("uid"),
        "name": members.get("name"),
        "description": members.get("description"),
        "actions": actions,
        "indexes": members.get("indexes"),
        "expiresAt": members.get("expires_at"),
        "createdAt": members.get("created_at"),
        "updatedAt": members.get("updated_at"),
    });
    serde_json::from_value(key)
        .map_err(|error| ImportError(format!("the API key `{uid}`: {error}")))
}

fn features(mut stored: Map<String, Value>) -> Map<String, Value> {
    stored.retain(|name, value| {
        let is_known = Feature::ALL.iter().any(|feature| feature.wire_name() == name);
        if !is_known && *value == Value::Bool(true) {
            tracing::warn!("the experimental feature `{name}` is not known and is left out");
        }
        is_known && value.is_boolean()
    });
    // Like in the exporting instance, searches may still follow the launch option.
    stored.entry(Feature::legacy_search.wire_name()).or_insert(Value::Null);
    stored
}

/// Converts names and addresses. The leader is left out: documents are sharded by another rule
/// here.
fn network(stored: &Value) -> Result<Option<Value>, ImportError> {
    let members = Members(stored);
    let empty = Map::new();
    let remotes = members.get("remotes").and_then(Value::as_object).unwrap_or(&empty);
    let name = members.get("self").or_else(|| members.get("local"));
    if members.get("leader").is_some() || members.flag("sharding") == Some(true) {
        tracing::warn!(
            "the dump is of an instance that shares its documents with others; their addresses are \
             imported, and they share nothing before a leader is set again"
        );
    }
    if name.is_none() && remotes.is_empty() {
        return Ok(None);
    }
    let remote = |(name, remote): (&String, &Value)| {
        let members = Members(remote);
        let remote = json!({
            "url": members.get("url"),
            "searchApiKey": members.get("search_api_key"),
            "writeApiKey": members.get("write_api_key"),
        });
        (name.clone(), remote)
    };
    let network = json!({
        "self": name,
        "leader": null,
        "remotes": remotes.iter().map(remote).collect::<Map<String, Value>>(),
        "shards": {},
        "version": model::time_ordered_uuid(),
    });
    match serde_json::from_value::<Network>(network.clone()) {
        Ok(_) => Ok(Some(network)),
        Err(error) => Err(ImportError(format!("its network.json cannot be read: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_uids_and_what_they_allow() {
        let stored = json!({
            "name": "a", "uid": "9f8a34da-b6b2-42f0-939b-dbd4c3448655",
            "actions": ["search", "of.tomorrow"], "indexes": ["movies", "books*"],
            "expires_at": null, "created_at": "2022-11-15T00:00:00Z",
            "updated_at": "2022-11-16T00:00:00.5Z",
        });
        let key = key(&stored).unwrap();
        assert_eq!(key.uid.to_string(), "9f8a34da-b6b2-42f0-939b-dbd4c3448655");
        assert_eq!((key.actions.len(), key.indexes.len(), key.expires_at), (1, 2, None));
        assert!(super::key(&json!({"uid": "x"})).is_err());
    }

    #[test]
    fn features_and_networks_are_read_as_far_as_they_are_known() {
        let Value::Object(stored) = json!({"metrics": true, "vectorStore": true, "network": null})
        else {
            panic!("an object")
        };
        assert_eq!(Value::Object(features(stored)), json!({"metrics": true, "legacySearch": null}));
        let Value::Object(stored) = json!({"legacySearch": true}) else { panic!("an object") };
        assert_eq!(Value::Object(features(stored)), json!({"legacySearch": true}));
        assert!(network(&json!({"self": null, "remotes": {}})).unwrap().is_none());
        let found = network(&json!({
            "self": "a", "leader": "a",
            "remotes": {"b": {"url": "http://b.example", "searchApiKey": "key"}},
        }));
        let found = found.unwrap().unwrap();
        assert_eq!(found["remotes"]["b"]["searchApiKey"], "key");
        assert_eq!(found["leader"], Value::Null);
    }
}
