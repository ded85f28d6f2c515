//! The current network: in memory for lock-free readers, and on disk.

use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard};
use redb::WriteTransaction;
use tasks::instance_table;

use super::network::Network;

const NETWORK: &str = "network";

#[derive(Debug)]
pub struct NetworkStore {
    current: ArcSwap<Network>,
    changing: Mutex<()>,
}

impl NetworkStore {
    /// Reads the stored network. Damage is an error, since an instance that forgets its network
    /// would accept writes it must refuse.
    pub fn load(db: &redb::Database) -> Result<Self, String> {
        let stored = instance_table::get(db, NETWORK).map_err(|error| error.to_string())?;
        let network = match stored {
            Some(text) => serde_json::from_str(&text)
                .map_err(|error| format!("the stored network cannot be read: {error}"))?,
            None => Network::default(),
        };
        Ok(Self { current: ArcSwap::from_pointee(network), changing: Mutex::default() })
    }

    pub fn current(&self) -> Arc<Network> {
        self.current.load_full()
    }

    /// Locks the network for a change: `write` within a transaction, then `publish` once that is
    /// durable. Readers never wait for the disk.
    pub fn lock(&self) -> MutexGuard<'_, ()> {
        self.changing.lock()
    }

    pub fn write(network: &Network, transaction: &WriteTransaction) -> Result<(), redb::Error> {
        // Maps of strings always serialize.
        let text = serde_json::to_string(network).unwrap_or_default();
        instance_table::put(transaction, NETWORK, &text)
    }

    pub fn publish(&self, network: Arc<Network>) {
        self.current.store(network);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_network_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let database = redb::Database::create(folder.path().join("meta.redb")).unwrap();
        let store = |text: &str| {
            let write = database.begin_write().unwrap();
            instance_table::put(&write, NETWORK, text).unwrap();
            write.commit().unwrap();
        };
        store("{\"self\":");
        assert!(NetworkStore::load(&database).unwrap_err().contains("network cannot be read"));
        store(&serde_json::to_string(&Network::default()).unwrap());
        assert_eq!(*NetworkStore::load(&database).unwrap().current(), Network::default());
    }
}
