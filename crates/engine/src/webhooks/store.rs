//! Store of webhooks: in memory for lock-free readers, and on disk. That of the launch options is
//! in memory only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use model::ServiceError;
use parking_lot::Mutex;
use redb::{
    ReadTransaction, ReadableDatabase, ReadableTable, Table, TableDefinition, WriteTransaction,
};
use tasks::{Queue, RegistryUpdate};
use uuid::Uuid;

use super::LAUNCH_WEBHOOK;
use super::options::LaunchWebhook;
use super::webhook::Webhook;

/// Uuid → webhook as JSON, with a checksum of both.
const WEBHOOKS: TableDefinition<u128, (&str, u64)> = TableDefinition::new("webhooks");

/// Webhooks in the order in which they are listed and called.
pub(crate) type Webhooks = BTreeMap<Uuid, Arc<Webhook>>;

#[derive(Debug)]
pub(crate) struct WebhookStore {
    current: ArcSwap<Webhooks>,
    changing: Mutex<()>,
    /// True if there is any webhook, for the queue.
    has_some: Arc<AtomicBool>,
}

impl WebhookStore {
    /// Reads the webhooks. Damage is an error: an altered webhook could send its key elsewhere.
    pub fn load(db: &redb::Database, launch: Option<LaunchWebhook>) -> Result<Self, redb::Error> {
        let write = db.begin_write()?;
        write.open_table(WEBHOOKS)?;
        write.commit()?;
        let mut webhooks = Webhooks::new();
        for entry in db.begin_read()?.open_table(WEBHOOKS)?.iter()? {
            let (key, value) = entry?;
            let (uuid, (json, sum)) = (Uuid::from_u128(key.value()), value.value());
            let webhook: Option<Webhook> =
                serde_json::from_str(json).ok().filter(|_| sum == checksum(uuid, json));
            let webhook = webhook.ok_or_else(|| {
                redb::Error::Corrupted(format!("the webhook `{uuid}` is damaged"))
            })?;
            webhooks.insert(uuid, Arc::new(webhook));
        }
        if let Some(launch) = launch {
            webhooks.insert(LAUNCH_WEBHOOK, Arc::new(Webhook::of_launch(launch)));
        }
        Ok(Self {
            has_some: Arc::new(AtomicBool::new(!webhooks.is_empty())),
            current: ArcSwap::from_pointee(webhooks),
            changing: Mutex::default(),
        })
    }

    /// Copies the table as `from` sees it.
    pub fn copy(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
        tasks::copy_table(WEBHOOKS, from, into)
    }

    pub fn current(&self) -> Arc<Webhooks> {
        self.current.load_full()
    }

    pub fn has_some(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.has_some)
    }

    /// Returns the stored webhooks, for a dump.
    pub fn all(&self) -> BTreeMap<Uuid, Webhook> {
        let stored = |(uuid, _): &(&Uuid, &Arc<Webhook>)| **uuid != LAUNCH_WEBHOOK;
        let owned = |(uuid, webhook): (&Uuid, &Arc<Webhook>)| (*uuid, Webhook::clone(webhook));
        self.current().iter().filter(stored).map(owned).collect()
    }

    /// Replaces all stored webhooks.
    pub fn replace_all(
        &self,
        queue: &Queue,
        webhooks: BTreeMap<Uuid, Webhook>,
    ) -> Result<(), ServiceError> {
        let _one_at_a_time = self.changing.lock();
        let mut entries = Vec::new();
        let mut after = Webhooks::new();
        for (uuid, webhook) in webhooks {
            if uuid != LAUNCH_WEBHOOK {
                entries.push((uuid, json(&webhook)?));
                after.insert(uuid, Arc::new(webhook));
            }
        }
        queue.transact(RegistryUpdate::new(move |transaction| {
            let mut table = transaction.open_table(WEBHOOKS)?;
            table.retain(|_, _| false)?;
            for (uuid, json) in &entries {
                put(&mut table, *uuid, json)?;
            }
            Ok(())
        }))?;
        if let Some(launch) = self.current().get(&LAUNCH_WEBHOOK) {
            after.insert(LAUNCH_WEBHOOK, Arc::clone(launch));
        }
        self.publish(after);
        Ok(())
    }

    /// Stores the webhook that `change` makes from the existing ones.
    pub fn update(
        &self,
        queue: &Queue,
        change: impl FnOnce(&Webhooks) -> Result<(Uuid, Webhook), ServiceError>,
    ) -> Result<Arc<Webhook>, ServiceError> {
        let _one_at_a_time = self.changing.lock();
        let mut webhooks = Webhooks::clone(&self.current());
        let (uuid, webhook) = change(&webhooks)?;
        let json = json(&webhook)?;
        queue.transact(RegistryUpdate::new(move |transaction| {
            put(&mut transaction.open_table(WEBHOOKS)?, uuid, &json)
        }))?;
        let webhook = Arc::new(webhook);
        webhooks.insert(uuid, Arc::clone(&webhook));
        self.publish(webhooks);
        Ok(webhook)
    }

    /// Removes a webhook. Returns false if there was none.
    pub fn remove(&self, queue: &Queue, uuid: Uuid) -> Result<bool, ServiceError> {
        let _one_at_a_time = self.changing.lock();
        let mut webhooks = Webhooks::clone(&self.current());
        if webhooks.remove(&uuid).is_none() {
            return Ok(false);
        }
        queue.transact(RegistryUpdate::new(move |transaction| {
            transaction.open_table(WEBHOOKS)?.remove(uuid.as_u128())?;
            Ok(())
        }))?;
        self.publish(webhooks);
        Ok(true)
    }

    fn publish(&self, webhooks: Webhooks) {
        self.has_some.store(!webhooks.is_empty(), Ordering::Release);
        self.current.store(Arc::new(webhooks));
    }
}

fn json(webhook: &Webhook) -> Result<String, ServiceError> {
    serde_json::to_string(webhook).map_err(ServiceError::internal)
}

fn put(
    table: &mut Table<'_, u128, (&'static str, u64)>,
    uuid: Uuid,
    json: &str,
) -> Result<(), redb::Error> {
    table.insert(uuid.as_u128(), (json, checksum(uuid, json)))?;
    Ok(())
}

fn checksum(uuid: Uuid, json: &str) -> u64 {
    tasks::checksum(&uuid.as_u128().to_le_bytes(), json.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_webhook_is_reported() {
        let backend = redb::backends::InMemoryBackend::new();
        let db = redb::Database::builder().create_with_backend(backend).unwrap();
        let uuid = Uuid::from_u128(7);
        let store = |json: &str, sum: u64| {
            let write = db.begin_write().unwrap();
            write.open_table(WEBHOOKS).unwrap().insert(7, (json, sum)).unwrap();
            write.commit().unwrap();
            WebhookStore::load(&db, None).map(|store| store.current().len())
        };
        let json = r#"{"url":"http://a.example","headers":{"A":"b"}}"#;
        let sum = checksum(uuid, json);
        assert_eq!(store(json, sum).unwrap(), 1);
        for (json, sum) in [(json.replace("a.ex", "b.ex"), sum), ("{".into(), checksum(uuid, "{"))]
        {
            let error = store(&json, sum).unwrap_err().to_string();
            assert!(error.contains(&format!("the webhook `{uuid}` is damaged")), "{error}");
        }
    }
}
