//! The experimental features: stored, and switched at run time.

use model::{Features, ServiceError};
use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use tasks::RegistryUpdate;

use crate::instance_table;

const FEATURES: &str = "features";
const LEGACY_SEARCH: &str = "legacySearch";

#[derive(Debug)]
pub(crate) struct FeatureStore {
    current: RwLock<Features>,
    /// Whether somebody has said what becomes of `legacySearch`; until then the launch option does.
    is_legacy_search_set: Mutex<bool>,
}

impl FeatureStore {
    /// What is stored, with those of the launch options on top until they are switched off.
    pub fn load(
        db: &redb::Database,
        launch: Features,
        legacy_search_default: bool,
    ) -> Result<Self, redb::Error> {
        instance_table::prepare(db)?;
        let damaged =
            |error| redb::Error::Corrupted(format!("the stored features cannot be read: {error}"));
        let stored = match instance_table::get(db, FEATURES)? {
            Some(json) => serde_json::from_str(&json).map_err(damaged)?,
            None => Value::Object(serde_json::Map::new()),
        };
        let is_legacy_search_set = stored.get(LEGACY_SEARCH).is_some();
        let mut features: Features = serde_json::from_value(stored).map_err(damaged)?;
        if !is_legacy_search_set {
            features.legacy_search = legacy_search_default;
        }
        for &feature in model::features::Feature::ALL {
            if launch.is_on(feature) {
                features.set(feature, true);
            }
        }
        let is_legacy_search_set = Mutex::new(is_legacy_search_set);
        Ok(Self { current: RwLock::new(features), is_legacy_search_set })
    }

    pub fn current(&self) -> Features {
        *self.current.read()
    }

    /// Changes what `change` changes. Readers never wait for the disk.
    pub fn update(
        &self,
        queue: &tasks::Queue,
        change: impl FnOnce(&mut Features),
    ) -> Result<Features, ServiceError> {
        // Held to the end: one change at a time.
        let mut is_legacy_search_set = self.is_legacy_search_set.lock();
        let before = self.current();
        let mut features = before;
        change(&mut features);
        let is_set = *is_legacy_search_set || features.legacy_search != before.legacy_search;
        let mut stored = serde_json::to_value(features).map_err(ServiceError::internal)?;
        if let (Some(members), false) = (stored.as_object_mut(), is_set) {
            members.shift_remove(LEGACY_SEARCH);
        }
        let text = stored.to_string();
        queue.transact(RegistryUpdate::new(move |transaction| {
            instance_table::put(transaction, FEATURES, &text)
        }))?;
        *self.current.write() = features;
        *is_legacy_search_set = is_set;
        Ok(features)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn load(db: &redb::Database, legacy_search_default: bool) -> FeatureStore {
        FeatureStore::load(db, Features::default(), legacy_search_default).unwrap()
    }

    #[test]
    fn legacy_search_follows_the_launch_option_until_somebody_changes_it() {
        let folder = tempfile::tempdir().unwrap();
        let db = Arc::new(redb::Database::create(folder.path().join("meta.redb")).unwrap());
        let payloads = folder.path().join("payloads");
        let queue =
            tasks::Queue::open(Arc::clone(&db), payloads, tasks::Options::default()).unwrap();
        let store = load(&db, true);
        assert!(store.current().legacy_search);
        store.update(&queue, |features| features.metrics = true).unwrap();
        assert!(load(&db, true).current().legacy_search);
        assert!(!load(&db, false).current().legacy_search && load(&db, false).current().metrics);
        store.update(&queue, |features| features.legacy_search = false).unwrap();
        assert!(!load(&db, true).current().legacy_search);
        store.update(&queue, |features| features.legacy_search = true).unwrap();
        assert!(load(&db, false).current().legacy_search);
    }

    #[test]
    fn features_that_cannot_be_read_are_reported_and_not_switched_off() {
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
