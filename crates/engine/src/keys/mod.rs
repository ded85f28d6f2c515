//! API keys of the instance, and their creation, change and deletion. The crate `auth` decides what
//! a key allows.

mod store;

use std::cmp::Reverse;
use std::sync::Arc;

use auth::Keyring;
use model::{Code, Patch, Secret, ServiceError, timestamp};
use tasks::Queue;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::common::page::Page;

pub use auth::{Access, Action, IndexPattern, Key, MIN_MASTER_KEY_BYTES, MasterKey};
pub(crate) use store::KeyStore;

/// A key as its holders see it.
#[derive(Debug, Clone)]
pub struct ShownKey {
    pub key: Arc<Key>,
    /// Value that clients send; empty without a master key.
    pub value: Secret,
}

/// Properties of a new key.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Chosen at random when absent.
    pub uid: Option<Uuid>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub actions: Vec<Action>,
    pub indexes: Vec<IndexPattern>,
    pub expires_at: Option<OffsetDateTime>,
}

/// Changeable properties of a key.
#[derive(Debug, Clone, Default)]
pub struct KeyChange {
    pub name: Patch<String>,
    pub description: Patch<String>,
}

/// API keys of the instance.
#[derive(Debug)]
pub struct Keys {
    pub(crate) store: Arc<KeyStore>,
    pub(crate) queue: Queue,
}

impl Keys {
    /// Checks that the sender of `token` may do all of `actions`, on `index` if given; returns what
    /// they may see.
    pub fn authorize(
        &self,
        token: Option<&str>,
        actions: &[Action],
        index: Option<&str>,
    ) -> Result<Access, ServiceError> {
        let now = timestamp::now();
        self.store.read(|ring| ring.authorize(token, actions, index, now)).map_err(Into::into)
    }

    /// Lists keys, newest first, expired ones too.
    pub fn list(&self, offset: usize, limit: usize) -> Page<ShownKey> {
        self.store.read(|ring| {
            let mut keys: Vec<&Arc<Key>> = ring.keys().collect();
            keys.sort_unstable_by_key(|key| (Reverse(key.created_at), key.uid));
            let results = keys.into_iter().skip(offset).take(limit);
            let results = results.map(|key| shown(ring, key)).collect();
            Page { results, offset, limit, total: ring.len() }
        })
    }

    /// Returns the key of this uid or value.
    pub fn get(&self, name: &str) -> Result<ShownKey, ServiceError> {
        self.store.read(|ring| Ok(shown(ring, named(ring, name)?)))
    }

    pub fn create(&self, new: NewKey) -> Result<ShownKey, ServiceError> {
        let now = timestamp::now();
        let key = Key {
            uid: new.uid.unwrap_or_else(Uuid::new_v4),
            name: new.name,
            description: new.description,
            actions: new.actions,
            indexes: new.indexes,
            expires_at: new.expires_at,
            created_at: now,
            updated_at: now,
        };
        key.check()?;
        let key = self.store.change(&self.queue, |ring| match ring.get(key.uid) {
            None => Ok(key),
            Some(_) => Err(ServiceError::new(
                Code::ApiKeyAlreadyExists,
                format!("`uid` field value `{}` is already an existing API key.", key.uid),
            )),
        })?;
        Ok(self.store.read(|ring| shown(ring, &key)))
    }

    pub fn change(&self, name: &str, change: KeyChange) -> Result<ShownKey, ServiceError> {
        let key = self.store.change(&self.queue, |ring| {
            let mut key = Key::clone(named(ring, name)?);
            key.name = change.name.applied_to(key.name);
            key.description = change.description.applied_to(key.description);
            key.updated_at = timestamp::now();
            Ok(key)
        })?;
        Ok(self.store.read(|ring| shown(ring, &key)))
    }

    pub fn delete(&self, name: &str) -> Result<(), ServiceError> {
        self.store.remove(&self.queue, |ring| Ok(named(ring, name)?.uid))
    }
}

fn shown(ring: &Keyring, key: &Arc<Key>) -> ShownKey {
    let value = ring.value_of(key.uid).map(|value| value.to_text()).unwrap_or_default();
    ShownKey { key: Arc::clone(key), value: Secret::new(value) }
}

/// Finds a key by its uid, in any spelling, or by its value.
fn named<'r>(ring: &'r Keyring, name: &str) -> Result<&'r Arc<Key>, ServiceError> {
    let (found, name) = match Uuid::parse_str(name) {
        Ok(uid) => (ring.get(uid), uid.to_string()),
        Err(_) => (ring.with_value(name), name.to_owned()),
    };
    found.ok_or_else(|| {
        ServiceError::new(Code::ApiKeyNotFound, format!("API key `{name}` not found."))
    })
}
