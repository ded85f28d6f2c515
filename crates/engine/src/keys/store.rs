//! Store of keys: in memory for requests, and on disk without their values.

use std::sync::Arc;

use auth::{Key, Keyring, MasterKey};
use model::{ServiceError, timestamp};
use parking_lot::{Mutex, RwLock};
use redb::{
    ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition,
    WriteTransaction,
};
use tasks::{Queue, RegistryUpdate};
use uuid::Uuid;

/// Uid → key as JSON, with a checksum of both.
const KEYS: TableDefinition<u128, (&str, u64)> = TableDefinition::new("keys");

#[derive(Debug)]
pub(crate) struct KeyStore {
    ring: RwLock<Keyring>,
    /// Serializes changes; readers do not wait for the disk.
    changing: Mutex<()>,
}

impl KeyStore {
    /// Reads the keys, and creates the default ones if there is none. Damage is an error: an
    /// altered key could open what it should not.
    pub fn load(db: &redb::Database, master_key: Option<MasterKey>) -> Result<Self, redb::Error> {
        let write = db.begin_write()?;
        if write.open_table(KEYS)?.is_empty()? {
            for key in auth::default_keys(timestamp::now()) {
                insert(&write, &key)?;
            }
        }
        write.commit()?;
        let mut keys = Vec::new();
        for entry in db.begin_read()?.open_table(KEYS)?.iter()? {
            let (uid, value) = entry?;
            let (uid, (json, sum)) = (uid.value(), value.value());
            let key = serde_json::from_str::<Key>(json).ok();
            let key = key.filter(|key| sum == checksum(uid, json) && key.uid.as_u128() == uid);
            keys.push(key.ok_or_else(|| {
                let uid = Uuid::from_u128(uid);
                redb::Error::Corrupted(format!("the API key `{uid}` is damaged"))
            })?);
        }
        let ring = RwLock::new(Keyring::new(master_key, keys));
        Ok(Self { ring, changing: Mutex::default() })
    }

    /// Copies the table as `from` sees it.
    pub fn copy(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
        tasks::copy_table(KEYS, from, into)
    }

    pub fn read<T>(&self, look: impl FnOnce(&Keyring) -> T) -> T {
        look(&self.ring.read())
    }

    /// Stores the key that `change` makes, in place of the one of its uid if there is one.
    pub fn change(
        &self,
        queue: &Queue,
        change: impl FnOnce(&Keyring) -> Result<Key, ServiceError>,
    ) -> Result<Arc<Key>, ServiceError> {
        let _one_at_a_time = self.changing.lock();
        let key = Arc::new(self.read(change)?);
        let stored = Arc::clone(&key);
        queue.transact(RegistryUpdate::new(move |transaction| insert(transaction, &stored)))?;
        self.ring.write().insert(Arc::clone(&key));
        Ok(key)
    }

    /// Deletes the key that `choose` names.
    pub fn remove(
        &self,
        queue: &Queue,
        choose: impl FnOnce(&Keyring) -> Result<Uuid, ServiceError>,
    ) -> Result<(), ServiceError> {
        let _one_at_a_time = self.changing.lock();
        let uid = self.read(choose)?;
        queue.transact(RegistryUpdate::new(move |transaction| {
            transaction.open_table(KEYS)?.remove(uid.as_u128())?;
            Ok(())
        }))?;
        self.ring.write().remove(uid);
        Ok(())
    }

    /// Replaces all keys.
    pub fn replace(&self, queue: &Queue, keys: Vec<Key>) -> Result<(), ServiceError> {
        let _one_at_a_time = self.changing.lock();
        let keys: Vec<Arc<Key>> = keys.into_iter().map(Arc::new).collect();
        let stored = keys.clone();
        queue.transact(RegistryUpdate::new(move |transaction| {
            transaction.delete_table(KEYS)?;
            stored.iter().try_for_each(|key| insert(transaction, key))
        }))?;
        let mut ring = self.ring.write();
        ring.clear();
        for key in keys {
            ring.insert(key);
        }
        Ok(())
    }
}

fn insert(transaction: &WriteTransaction, key: &Key) -> Result<(), redb::Error> {
    let json = serde_json::to_string(key)
        .map_err(|error| redb::Error::Io(std::io::Error::other(error)))?;
    let uid = key.uid.as_u128();
    let sum = checksum(uid, &json);
    transaction.open_table(KEYS)?.insert(uid, (json.as_str(), sum))?;
    Ok(())
}

fn checksum(uid: u128, json: &str) -> u64 {
    tasks::checksum(&uid.to_le_bytes(), json.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> redb::Database {
        let backend = redb::backends::InMemoryBackend::new();
        redb::Database::builder().create_with_backend(backend).unwrap()
    }

    #[test]
    fn default_keys_are_made_once_and_kept_under_another_master_key() {
        let db = database();
        let uids = |master: Option<&str>| {
            let store = KeyStore::load(&db, master.map(MasterKey::new)).unwrap();
            store.read(|ring| {
                let mut keys: Vec<_> = ring
                    .keys()
                    .map(|key| {
                        (key.created_at, key.uid, ring.value_of(key.uid).map(|v| v.to_text()))
                    })
                    .collect();
                keys.sort();
                keys
            })
        };
        let (open, one, other) = (uids(None), uids(Some("one")), uids(Some("other")));
        assert_eq!(open.len(), 4);
        for ((open, one), other) in open.iter().zip(&one).zip(&other) {
            assert_eq!((open.1, one.1), (one.1, other.1));
            assert_eq!(open.2, None);
            assert!(one.2.is_some() && one.2 != other.2);
        }
    }

    #[test]
    fn a_damaged_key_is_reported() {
        let db = database();
        KeyStore::load(&db, None).unwrap();
        let (uid, json, sum) = {
            let read = db.begin_read().unwrap();
            let table = read.open_table(KEYS).unwrap();
            let (uid, value) = table.iter().unwrap().next().unwrap().unwrap();
            (uid.value(), value.value().0.to_owned(), value.value().1)
        };
        let another = uid ^ 1;
        for (uid, json, sum) in [
            (uid, json.replace("[\"*\"]", "[\"a\"]"), sum),
            (uid, "{".to_owned(), checksum(uid, "{")),
            (another, json.clone(), checksum(another, &json)),
        ] {
            let write = db.begin_write().unwrap();
            write.open_table(KEYS).unwrap().insert(uid, (json.as_str(), sum)).unwrap();
            write.commit().unwrap();
            let error = KeyStore::load(&db, None).unwrap_err().to_string();
            assert!(error.contains("is damaged"), "{error}");
            let write = db.begin_write().unwrap();
            write.open_table(KEYS).unwrap().remove(uid).unwrap();
            write.commit().unwrap();
        }
    }
}
