//! Experimental features: stored, and switched at run time.

use model::features::Feature;
use model::{Features, ServiceError};
use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use tasks::RegistryUpdate;
use tasks::instance_table;

const FEATURES: &str = "features";
const LEGACY_SEARCH: &str = "legacySearch";

#[derive(Debug)]
pub(crate) struct FeatureStore {
    current: RwLock<(Features, LegacySearch)>,
    /// Serializes changes.
    change: Mutex<()>,
}

/// Source of the value of `legacySearch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LegacySearch {
    /// The launch option, since nothing is stored.
    Launch,
    /// The launch option, after the import of a dump without a value. Shown as null.
    Imported,
    /// A request.
    Request,
}

impl FeatureStore {
    /// Reads the stored features, plus those of the launch options until they are switched off.
    pub fn load(
        db: &redb::Database,
        launch: Features,
        legacy_search_default: bool,
    ) -> Result<Self, redb::Error> {
        instance_table::prepare(db)?;
        let damaged =
            |error| redb::Error::Corrupted(format!("the stored features cannot be read: {error}"));
        let mut stored = match instance_table::get(db, FEATURES)? {
            Some(json) => serde_json::from_str(&json).map_err(damaged)?,
            None => Value::Object(serde_json::Map::new()),
        };
        let legacy_search = match stored.get(LEGACY_SEARCH) {
            None => LegacySearch::Launch,
            Some(Value::Null) => LegacySearch::Imported,
            Some(_) => LegacySearch::Request,
        };
        if let (Some(members), LegacySearch::Imported) = (stored.as_object_mut(), legacy_search) {
            members.shift_remove(LEGACY_SEARCH);
        }
        let mut features: Features = serde_json::from_value(stored).map_err(damaged)?;
        if legacy_search != LegacySearch::Request {
            features.legacy_search = legacy_search_default;
        }
        for &feature in Feature::ALL {
            if launch.is_on(feature) {
                features.set(feature, true);
            }
        }
        Ok(Self { current: RwLock::new((features, legacy_search)), change: Mutex::new(()) })
    }

    pub fn current(&self) -> Features {
        self.current.read().0
    }

    /// Returns the features as clients see them.
    pub fn shown(&self) -> Value {
        let (features, legacy_search) = *self.current.read();
        let features = serde_json::to_value(features).unwrap_or_default();
        match legacy_search {
            LegacySearch::Imported => with_legacy_search(features, Some(Value::Null)),
            LegacySearch::Launch | LegacySearch::Request => features,
        }
    }

    /// Switches features. Readers never wait for the disk.
    pub fn update(
        &self,
        queue: &tasks::Queue,
        changes: &[(Feature, bool)],
    ) -> Result<Features, ServiceError> {
        let _change = self.change.lock();
        let (mut features, legacy_search) = *self.current.read();
        for &(feature, on) in changes {
            features.set(feature, on);
        }
        let is_named = changes.iter().any(|(feature, _)| *feature == Feature::legacy_search);
        let decided = if is_named { LegacySearch::Request } else { legacy_search };
        let stored = serde_json::to_value(features).map_err(ServiceError::internal)?;
        let stored = match decided {
            LegacySearch::Request => stored,
            LegacySearch::Imported => with_legacy_search(stored, Some(Value::Null)),
            LegacySearch::Launch => with_legacy_search(stored, None),
        };
        let text = stored.to_string();
        queue.transact(RegistryUpdate::new(move |transaction| {
            instance_table::put(transaction, FEATURES, &text)
        }))?;
        *self.current.write() = (features, decided);
        Ok(features)
    }
}

/// Returns the features with another value of `legacySearch`, or without it.
fn with_legacy_search(mut features: Value, value: Option<Value>) -> Value {
    if let Some(members) = features.as_object_mut() {
        match value {
            Some(value) => drop(members.insert(LEGACY_SEARCH.to_owned(), value)),
            None => drop(members.shift_remove(LEGACY_SEARCH)),
        }
    }
    features
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn load(db: &redb::Database, legacy_search_default: bool) -> FeatureStore {
        FeatureStore::load(db, Features::default(), legacy_search_default).unwrap()
    }

    #[test]
    fn legacy_search_follows_the_launch_option_until_it_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let db = Arc::new(redb::Database::create(folder.path().join("meta.redb")).unwrap());
        let payloads = folder.path().join("payloads");
        let queue =
            tasks::Queue::open(Arc::clone(&db), payloads, tasks::Options::default()).unwrap();
        let store = load(&db, true);
        assert!(store.current().legacy_search);
        store.update(&queue, &[(Feature::metrics, true)]).unwrap();
        assert!(load(&db, true).current().legacy_search);
        assert!(!load(&db, false).current().legacy_search && load(&db, false).current().metrics);
        store.update(&queue, &[(Feature::legacy_search, false)]).unwrap();
        assert!(!load(&db, true).current().legacy_search);
        store.update(&queue, &[(Feature::legacy_search, true)]).unwrap();
        assert!(load(&db, false).current().legacy_search);
    }

    #[test]
    fn an_imported_null_is_shown_until_a_request_decides() {
        let folder = tempfile::tempdir().unwrap();
        let db = Arc::new(redb::Database::create(folder.path().join("meta.redb")).unwrap());
        let payloads = folder.path().join("payloads");
        let queue =
            tasks::Queue::open(Arc::clone(&db), payloads, tasks::Options::default()).unwrap();
        assert_eq!(load(&db, false).shown()["legacySearch"], false);
        let text = r#"{"metrics":true,"legacySearch":null}"#;
        queue
            .transact(RegistryUpdate::new(move |transaction| {
                instance_table::put(transaction, FEATURES, text)
            }))
            .unwrap();
        let store = load(&db, true);
        assert!(store.current().metrics && store.current().legacy_search);
        assert_eq!(store.shown()["legacySearch"], Value::Null);
        store.update(&queue, &[(Feature::metrics, false)]).unwrap();
        let store = load(&db, false);
        assert_eq!(store.shown()["legacySearch"], Value::Null);
        assert!(!store.current().metrics);
        store.update(&queue, &[(Feature::legacy_search, false)]).unwrap();
        assert_eq!(store.shown()["legacySearch"], false);
        assert!(!load(&db, true).current().legacy_search);
    }

    #[test]
    fn unreadable_features_are_reported_and_not_switched_off() {
        let backend = redb::backends::InMemoryBackend::new();
        let db = redb::Database::builder().create_with_backend(backend).unwrap();
        for json in [r#"{"metrics":"yes"}"#, "7"] {
            let write = db.begin_write().unwrap();
            instance_table::put(&write, FEATURES, json).unwrap();
            write.commit().unwrap();
            let error = FeatureStore::load(&db, Features::default(), false).unwrap_err();
            assert!(error.to_string().contains("the stored features"), "{error}");
        }
    }
}
