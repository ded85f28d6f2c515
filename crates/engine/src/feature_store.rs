//! The experimental features: stored, and switched at run time.

use model::{Features, ServiceError};
use parking_lot::{Mutex, RwLock};
use redb::{ReadableDatabase, TableDefinition, WriteTransaction};
use tasks::RegistryUpdate;

/// Small things the instance remembers, by name.
pub(crate) const INSTANCE: TableDefinition<&str, &str> = TableDefinition::new("instance");
const FEATURES: &str = "features";

#[derive(Debug)]
pub(crate) struct FeatureStore {
    current: RwLock<Features>,
    changing: Mutex<()>,
}

impl FeatureStore {
    /// What is stored, with those of the launch options on top until they are switched off.
    pub fn load(db: &redb::Database, launch: Features) -> Result<Self, redb::Error> {
        let write = db.begin_write()?;
        write.open_table(INSTANCE)?;
        write.commit()?;
        let table = db.begin_read()?.open_table(INSTANCE)?;
        let mut features = table
            .get(FEATURES)?
            .and_then(|text| serde_json::from_str::<Features>(text.value()).ok())
            .unwrap_or_default();
        for &feature in model::features::Feature::ALL {
            if launch.is_on(feature) {
                features.set(feature, true);
            }
        }
        Ok(Self { current: RwLock::new(features), changing: Mutex::default() })
    }

    /// Copies what is stored, as `from` sees it.
    pub fn copy(from: &WriteTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
        tasks::copy_table(INSTANCE, from, into)
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
        let _one_at_a_time = self.changing.lock();
        let mut features = self.current();
        change(&mut features);
        let text = serde_json::to_string(&features).map_err(ServiceError::internal)?;
        queue.transact(RegistryUpdate::new(move |transaction| {
            transaction.open_table(INSTANCE)?.insert(FEATURES, text.as_str())?;
            Ok(())
        }))?;
        *self.current.write() = features;
        Ok(features)
    }
}
