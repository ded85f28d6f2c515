//! Sends indexes to another instance, as a client would: a missing index is created, then come its
//! settings and its documents with their vectors, in bodies that the receiver accepts. Each request
//! waits to be accepted, not to be processed.

mod documents;
mod target;

use std::collections::BTreeMap;
use std::sync::Arc;

use index::Snapshot;
use model::{Cancel, Code, ServiceError};
use outbound::{Client, Method};
use roaring::RoaringBitmap;
use serde_json::{Map, Value, json};
use settings::Setting;
use tasks::{Content, Details, Progress, RunError, Task};

use self::documents::DocumentUpload;
use self::target::{Request, Target};
use crate::common::documents_failure;
use crate::documents::filters::{parse_filter, refuse_foreign, resolved};
use crate::documents::foreign::Snapshots;
use crate::indexes::catalog::Indexes;
use crate::storage::feature_store::FeatureStore;

#[derive(Debug)]
pub(crate) struct Exporter {
    pub indexes: Arc<Indexes>,
    pub features: Arc<FeatureStore>,
    pub client: Client,
    /// Bytes of documents per request if the task does not say.
    pub payload_bytes: u64,
}

/// Settings of the export of one index.
struct ExportOptions<'t> {
    filter: Option<&'t Value>,
    override_settings: bool,
}

impl Exporter {
    /// Runs the export and returns the details of the task, completed with the indexes sent.
    pub fn export(
        &self,
        task: &Task,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Details, RunError> {
        let Content::Export { url, api_key, payload_size, indexes } = &task.content else {
            return Err(ServiceError::internal("an export of another kind").into());
        };
        let Details::Export { url: shown_url, api_key: masked, payload_size: shown_size, .. } =
            task.details.clone()
        else {
            return Err(ServiceError::internal("an export with the details of other work").into());
        };
        let target = Target::new(&self.client, url, api_key.as_deref(), cancel);
        let payload_bytes = payload_size.unwrap_or(self.payload_bytes);
        let chosen = self.chosen(indexes);
        let step = progress.enter("exporting the indexes", chosen.len() as u32);
        let mut sent = Map::new();
        for (uid, choice) in chosen {
            cancel.check()?;
            let run = ExportRun { exporter: self, target: &target, payload_bytes, progress };
            let matched = run.index(&uid, &choice).map_err(|error| match error {
                RunError::Failed(error) => RunError::Failed(error.in_index(&uid)),
                RunError::Stopped => RunError::Stopped,
            })?;
            let shown = json!({
                "filter": choice.filter,
                "overrideSettings": choice.override_settings,
                "matched_documents": matched,
            });
            sent.insert(uid, shown);
            step.add(1);
        }
        Ok(Details::Export {
            url: shown_url,
            api_key: masked,
            payload_size: shown_size,
            indexes: sent,
        })
    }

    /// Returns the indexes that patterns select; of several patterns the first in byte order
    /// counts.
    fn chosen<'t>(&self, patterns: &'t Map<String, Value>) -> Vec<(String, ExportOptions<'t>)> {
        let patterns: BTreeMap<&String, &Value> = patterns.iter().collect();
        let all = self.indexes.registry.all().into_iter();
        let chosen = all.filter_map(|(uid, _)| {
            let (_, said) = patterns.iter().find(|(pattern, _)| is_meant(pattern, &uid))?;
            let filter = said.get("filter").filter(|filter| !filter.is_null());
            let override_settings = said.get("overrideSettings") == Some(&Value::Bool(true));
            Some((uid, ExportOptions { filter, override_settings }))
        });
        chosen.collect()
    }
}

/// Returns whether a pattern such as `books`, `books*` or `*` selects the index.
fn is_meant(pattern: &str, uid: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => uid.starts_with(prefix),
        None => pattern == uid,
    }
}

/// A running export.
struct ExportRun<'c> {
    exporter: &'c Exporter,
    target: &'c Target<'c>,
    payload_bytes: u64,
    progress: &'c Progress,
}

impl ExportRun<'_> {
    /// Sends an index and returns the number of its documents.
    fn index(&self, uid: &str, choice: &ExportOptions<'_>) -> Result<u64, RunError> {
        let mut snapshots = Snapshots::new(&self.exporter.indexes);
        let snapshot = snapshots.of(uid)?;
        let matching = self.matching(uid, &snapshot, &mut snapshots, choice.filter)?;
        let path = format!("/indexes/{uid}");
        let exists = self.target.has(&path)?;
        if !exists {
            let body = json!({ "uid": uid, "primaryKey": snapshot.primary_key() });
            self.target.send(&Request::json(Method::Post, "/indexes", &body))?;
        } else if let Some(key) = snapshot.primary_key().filter(|_| choice.override_settings) {
            let body = json!({ "primaryKey": key });
            self.target.send(&Request::json(Method::Patch, &path, &body))?;
        }
        if !exists || choice.override_settings {
            let body = sent_settings(&snapshot, exists);
            if !body.is_empty() {
                self.send_settings(&format!("{path}/settings"), body)?;
            }
        }
        let total = u32::try_from(matching.len()).unwrap_or(u32::MAX);
        let step = self.progress.enter("exporting the documents", total);
        let mut upload =
            DocumentUpload::new(self.target, uid, &snapshot, self.payload_bytes, &step);
        upload.send(&matching)?;
        Ok(matching.len())
    }

    /// Sends the settings, or only those of the reference if the receiver refuses the others.
    fn send_settings(&self, path: &str, body: Map<String, Value>) -> Result<(), RunError> {
        let portable = settings::portable(&body);
        let is_portable = portable == body;
        let request = Request::json(Method::Patch, path, &body.into());
        if is_portable {
            return self.target.send(&request);
        }
        if !self.target.accepts(&request)? {
            self.target.send(&Request::json(Method::Patch, path, &portable.into()))?;
        }
        Ok(())
    }

    fn matching(
        &self,
        uid: &str,
        snapshot: &Snapshot,
        snapshots: &mut Snapshots<'_>,
        filter: Option<&Value>,
    ) -> Result<RoaringBitmap, ServiceError> {
        let features = self.exporter.features.current();
        let filter = parse_filter(filter, &features, Code::InvalidDocumentFilter)?;
        let Some(filter) = filter else { return Ok(snapshot.live().clone()) };
        // Tasks of older versions were enqueued without this check.
        refuse_foreign(&filter)?;
        let cancel = Cancel::default();
        let filter = resolved(filter, uid, snapshots, &cancel)?;
        search::filtering::matching(snapshot, &filter, &cancel).map_err(documents_failure)
    }
}

/// Returns the settings as a change, with keys of providers in clear, without which they are
/// worthless. If the other index has settings of its own, those with default values here are reset.
fn sent_settings(snapshot: &Snapshot, resets_others: bool) -> Map<String, Value> {
    let stored = snapshot.settings();
    let mut sent = Map::new();
    for setting in Setting::ALL {
        match stored.get(setting.name) {
            Some(value) => drop(sent.insert(setting.name.to_owned(), value.clone())),
            // Instances without the feature, and the reference, do not know the setting.
            None if resets_others && setting.feature.is_none() && !setting.is_own => {
                sent.insert(setting.name.to_owned(), Value::Null);
            }
            None => {}
        }
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::is_meant;

    #[test]
    fn patterns_name_indexes() {
        for (pattern, uid, expected) in [
            ("*", "books", true),
            ("bo*", "books", true),
            ("books", "books", true),
            ("books", "books2", false),
            ("te*", "books", false),
        ] {
            assert_eq!(is_meant(pattern, uid), expected, "{pattern} {uid}");
        }
    }
}
