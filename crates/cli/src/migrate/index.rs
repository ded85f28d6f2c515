//! Copies one index: creates it if missing, then settings and documents.

use outbound::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Migration, documents};
use crate::error::CliError;
use crate::server::{Server, segment};
use crate::tasks::{EnqueuedTask, wait_for};

/// A copied index with its number of documents on both servers.
#[derive(Debug)]
pub(super) struct CopiedIndex {
    pub(super) uid: String,
    pub(super) there: u64,
    pub(super) here: u64,
}

impl CopiedIndex {
    pub(super) fn is_equal(&self) -> bool {
        self.there == self.here
    }
}

pub(super) fn copy(migration: &mut Migration, index: &Value) -> Result<CopiedIndex, CliError> {
    let uid = index["uid"].as_str().unwrap_or_default().to_owned();
    match copy_contents(migration, &uid, index) {
        Ok(()) => {}
        Err(failure) => migration.record_failure(&uid, &failure)?,
    }
    let there = number_of_documents(&migration.from, &uid)?;
    let here = number_of_documents(&migration.to, &uid)?;
    Ok(CopiedIndex { uid, there, here })
}

fn copy_contents(migration: &mut Migration, uid: &str, index: &Value) -> Result<(), CliError> {
    let was_there = make(&migration.to, uid, index["primaryKey"].as_str())?;
    if let Err(failure) = settings(migration, uid) {
        // Documents can still be copied; they keep their vectors until the embedder exists.
        migration.record_failure(&format!("{uid}: settings"), &failure)?;
    }
    let updated_at = index["updatedAt"].as_str().unwrap_or_default();
    documents::copy(migration, uid, updated_at, was_there)
}

/// Creates the index if it is missing; returns whether it existed.
fn make(to: &Server, uid: &str, primary_key: Option<&str>) -> Result<bool, CliError> {
    let path = format!("/indexes/{}", segment(uid));
    let there: Value = match to.get(&path) {
        Ok(there) => there,
        Err(failure) if failure.code() == "index_not_found" => {
            let body = json!({ "uid": uid, "primaryKey": primary_key });
            let task: EnqueuedTask = to.send(Method::Post, "/indexes", &body)?;
            wait_for(to, &task)?;
            return Ok(false);
        }
        Err(failure) => return Err(failure),
    };
    match (there["primaryKey"].as_str(), primary_key) {
        (Some(theirs), Some(ours)) if theirs != ours => Err(CliError::Failed(format!(
            "the index already exists, with the primary key `{theirs}` instead of `{ours}`"
        ))),
        (None, Some(ours)) => {
            let task: EnqueuedTask =
                to.send(Method::Patch, &path, &json!({ "primaryKey": ours }))?;
            wait_for(to, &task)?;
            Ok(true)
        }
        _ => Ok(true),
    }
}

fn settings(migration: &mut Migration, uid: &str) -> Result<(), CliError> {
    let path = format!("/indexes/{}/settings", segment(uid));
    let mut settings: Value = migration.from.get(&path)?;
    for name in without_secrets(&mut settings) {
        eprintln!(
            "{uid}: the API key of {name} cannot be read from the source; set it here if needed"
        );
    }
    loop {
        let refused = match migration.to.send::<EnqueuedTask>(Method::Patch, &path, &settings) {
            Ok(task) => return wait_for(&migration.to, &task).map(drop),
            Err(refused) => refused,
        };
        // A newer server may have settings unknown to an older one.
        let unknown = unknown_field(&refused).map(str::to_owned);
        let removed = unknown.filter(|name| {
            settings.as_object_mut().is_some_and(|fields| fields.shift_remove(name).is_some())
        });
        let Some(name) = removed else { return Err(refused) };
        eprintln!("{uid}: the setting {name} is not supported here; skipped");
    }
}

/// Removes masked API keys; returns the paths of their owners.
pub(crate) fn without_secrets(value: &mut Value) -> Vec<String> {
    fn visit(value: &mut Value, path: &str, found: &mut Vec<String>) {
        let Some(fields) = value.as_object_mut() else { return };
        let is_masked = |key: &Value| key.as_str().is_some_and(|key| key.ends_with("X..."));
        if fields.get("apiKey").is_some_and(is_masked) {
            fields.shift_remove("apiKey");
            found.push(path.to_owned());
        }
        for (name, inner) in fields {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            visit(inner, &path, found);
        }
    }
    let mut found = Vec::new();
    visit(value, "", &mut found);
    found
}

/// ``Unknown field `chat`: expected one of …``
fn unknown_field(failure: &CliError) -> Option<&str> {
    let CliError::Refused { code, message, .. } = failure else { return None };
    let (_, rest) = message.split_once("Unknown field `").filter(|_| code == "bad_request")?;
    rest.split_once('`').map(|(name, _)| name)
}

fn number_of_documents(server: &Server, uid: &str) -> Result<u64, CliError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Stats {
        number_of_documents: u64,
    }
    match server.get::<Stats>(&format!("/indexes/{}/stats", segment(uid))) {
        Ok(stats) => Ok(stats.number_of_documents),
        Err(failure) if failure.code() == "index_not_found" => Ok(0),
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_keys_are_left_out_and_named() {
        let mut settings = json!({
            "embedders": {
                "a": {"source": "openAi", "apiKey": "skXXXX...", "model": "m"},
                "b": {"source": "composite", "searchEmbedder": {"apiKey": "XXX..."}},
                "c": {"apiKey": "given in clear"}
            }
        });
        let named = without_secrets(&mut settings);
        assert_eq!(named, ["embedders.a", "embedders.b.searchEmbedder"]);
        assert_eq!(settings["embedders"]["a"], json!({"source": "openAi", "model": "m"}));
        assert_eq!(settings["embedders"]["c"]["apiKey"], "given in clear");
    }

    #[test]
    fn an_unknown_setting_is_told_from_other_mistakes() {
        let refused = |code: &str, message: &str| CliError::Refused {
            status: 400,
            code: code.to_owned(),
            message: message.to_owned(),
        };
        let unknown = refused("bad_request", "Unknown field `chat`: expected one of `a`");
        assert_eq!(unknown_field(&unknown), Some("chat"));
        assert_eq!(unknown_field(&refused("invalid_settings_chat", "Unknown field `x`")), None);
    }
}
