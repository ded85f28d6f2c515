//! Workspaces, in memory for lock-free readers and on disk for the next start.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use model::ServiceError;
use parking_lot::Mutex;
use redb::{ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use tasks::{Queue, RegistryUpdate};

use super::settings::ChatSettings;

/// Name → settings as JSON, with a checksum of both.
const CHATS: TableDefinition<&str, (&str, u64)> = TableDefinition::new("chats");

/// Workspaces by name, in byte order.
pub(crate) type Workspaces = BTreeMap<String, Arc<ChatSettings>>;

#[derive(Debug)]
pub(crate) struct ChatStore {
    current: ArcSwap<Workspaces>,
    changing: Mutex<()>,
}

impl ChatStore {
    /// Reads the workspaces. Damage is an error: altered settings could send a key elsewhere.
    pub fn load(db: &redb::Database) -> Result<Self, redb::Error> {
        let write = db.begin_write()?;
        write.open_table(CHATS)?;
        write.commit()?;
        let mut workspaces = Workspaces::new();
        for entry in db.begin_read()?.open_table(CHATS)?.iter()? {
            let (uid, value) = entry?;
            let (uid, (json, sum)) = (uid.value(), value.value());
            let settings = serde_json::from_str(json).ok().filter(|_| sum == checksum(uid, json));
            let settings = settings.ok_or_else(|| {
                redb::Error::Corrupted(format!("the chat workspace `{uid}` is damaged"))
            })?;
            workspaces.insert(uid.to_owned(), Arc::new(settings));
        }
        Ok(Self { current: ArcSwap::from_pointee(workspaces), changing: Mutex::default() })
    }

    /// Copies the table as `from` sees it.
    pub fn copy(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
        tasks::copy_table(CHATS, from, into)
    }

    pub fn current(&self) -> Arc<Workspaces> {
        self.current.load_full()
    }

    /// Replaces the settings of a workspace, if any, with the result of `change`.
    pub fn update(
        &self,
        queue: &Queue,
        uid: &str,
        change: impl FnOnce(Option<&ChatSettings>) -> Result<ChatSettings, ServiceError>,
    ) -> Result<Arc<ChatSettings>, ServiceError> {
        let _one_at_a_time = self.changing.lock();
        let mut workspaces = Workspaces::clone(&self.current());
        let settings = Arc::new(change(workspaces.get(uid).map(Arc::as_ref))?);
        let json = serde_json::to_string(&*settings).map_err(ServiceError::internal)?;
        let key = uid.to_owned();
        queue.transact(RegistryUpdate::new(move |transaction| {
            let value = (json.as_str(), checksum(&key, &json));
            transaction.open_table(CHATS)?.insert(key.as_str(), value)?;
            Ok(())
        }))?;
        workspaces.insert(uid.to_owned(), Arc::clone(&settings));
        self.current.store(Arc::new(workspaces));
        Ok(settings)
    }

    /// Removes a workspace. Returns false if there was none.
    pub fn remove(&self, queue: &Queue, uid: &str) -> Result<bool, ServiceError> {
        let _one_at_a_time = self.changing.lock();
        let mut workspaces = Workspaces::clone(&self.current());
        if workspaces.remove(uid).is_none() {
            return Ok(false);
        }
        let key = uid.to_owned();
        queue.transact(RegistryUpdate::new(move |transaction| {
            transaction.open_table(CHATS)?.remove(key.as_str())?;
            Ok(())
        }))?;
        self.current.store(Arc::new(workspaces));
        Ok(true)
    }
}

fn checksum(uid: &str, json: &str) -> u64 {
    tasks::checksum(uid.as_bytes(), json.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_workspace_is_reported() {
        let backend = redb::backends::InMemoryBackend::new();
        let db = redb::Database::builder().create_with_backend(backend).unwrap();
        let store = |json: &str, sum: u64| {
            let write = db.begin_write().unwrap();
            write.open_table(CHATS).unwrap().insert("desk", (json, sum)).unwrap();
            write.commit().unwrap();
            ChatStore::load(&db).map(|store| store.current().len())
        };
        let json = serde_json::to_string(&ChatSettings::default()).unwrap();
        let sum = checksum("desk", &json);
        assert_eq!(store(&json, sum).unwrap(), 1);
        for (json, sum) in
            [(json.replace("openAi", "mistral"), sum), ("{".to_owned(), checksum("desk", "{"))]
        {
            let error = store(&json, sum).unwrap_err().to_string();
            assert!(error.contains("the chat workspace `desk` is damaged"), "{error}");
        }
    }
}
