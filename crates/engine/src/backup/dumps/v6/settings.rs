//! Settings of an index, which a dump has in full, with keys of providers in clear.

use serde_json::{Map, Value};
use settings::{Change, Setting};

use crate::backup::dumps::error::ImportError;

/// Converts settings to the form stored here.
pub(super) fn stored(uid: &str, settings: Option<Value>) -> Result<Value, ImportError> {
    let known = known(uid, settings.unwrap_or_default());
    let change = Change::of_many(Value::Object(known))?;
    Ok(change.apply(&Value::Object(Map::new()))?)
}

/// Returns the settings known here.
pub(super) fn known(uid: &str, settings: Value) -> Map<String, Value> {
    let Value::Object(mut settings) = settings else { return Map::new() };
    settings.retain(|name, value| {
        let is_known = Setting::named(name).is_some();
        if !is_known && !value.is_null() {
            tracing::warn!("the setting `{name}` of index `{uid}` is not known and is left out");
        }
        is_known
    });
    if let Some(Value::Object(embedders)) = settings.get_mut("embedders") {
        embedders.values_mut().for_each(complete);
    }
    settings
}

/// Adds the pooling of versions before 1.14, which had only one and did not say so.
fn complete(embedder: &mut Value) {
    let Value::Object(embedder) = embedder else { return };
    let is_local = embedder.get("source").and_then(Value::as_str) == Some("huggingFace");
    if is_local && embedder.get("pooling").is_none_or(Value::is_null) {
        embedder.insert("pooling".to_owned(), "forceMean".into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_settings_are_left_out_and_bad_ones_refused() {
        let settings = json!({
            "stopWords": ["the"],
            "ofTheFuture": {"a": 1},
            "distinctAttribute": null,
            "embedders": {"local": {"source": "huggingFace", "model": "a/b"}},
        });
        let stored = stored("movies", Some(settings)).unwrap();
        assert_eq!(stored["stopWords"], json!(["the"]));
        assert_eq!(stored["embedders"]["local"]["pooling"], "forceMean");
        assert!(stored.get("ofTheFuture").is_none() && stored.get("distinctAttribute").is_none());
        assert!(super::stored("movies", Some(json!({"stopWords": 3}))).is_err());
        assert_eq!(super::stored("movies", None).unwrap(), json!({}));
    }
}
