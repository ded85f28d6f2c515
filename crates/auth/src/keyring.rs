//! All keys of an instance, found by what clients send for them.
//!
//! With a master key, values are looked up by their digest: the timing of a look-up may reveal how
//! digests compare, but not the value.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::tenant_token::{Grant, TenantToken};
use crate::{Access, Action, AuthError, Key, KeyValue, MasterKey};

type ValueDigest = [u8; 32];

#[derive(Debug, Default)]
pub struct Keyring {
    master_key: Option<MasterKey>,
    keys: HashMap<Uuid, Arc<Key>>,
    by_value: HashMap<ValueDigest, (KeyValue, Uuid)>,
}

impl Keyring {
    pub fn new(master_key: Option<MasterKey>, keys: impl IntoIterator<Item = Key>) -> Self {
        let mut ring = Self { master_key, ..Self::default() };
        for key in keys {
            ring.insert(Arc::new(key));
        }
        ring
    }

    pub fn master_key(&self) -> Option<&MasterKey> {
        self.master_key.as_ref()
    }

    /// Adds a key, or replaces the one of the same uid.
    pub fn insert(&mut self, key: Arc<Key>) {
        if let Some(value) = self.value_of(key.uid) {
            self.by_value.insert(digest(&value), (value, key.uid));
        }
        self.keys.insert(key.uid, key);
    }

    pub fn remove(&mut self, uid: Uuid) {
        if self.keys.remove(&uid).is_some()
            && let Some(value) = self.value_of(uid)
        {
            self.by_value.remove(&digest(&value));
        }
    }

    pub fn clear(&mut self) {
        self.keys.clear();
        self.by_value.clear();
    }

    pub fn get(&self, uid: Uuid) -> Option<&Arc<Key>> {
        self.keys.get(&uid)
    }

    /// Returns the key with this value, spelled in either case.
    pub fn with_value(&self, text: &str) -> Option<&Arc<Key>> {
        let sent = KeyValue::parse(text)?;
        let (value, uid) = self.by_value.get(&digest(&sent))?;
        if value.is(&sent) { self.keys.get(uid) } else { None }
    }

    /// Returns the value of a key, which exists under a master key only.
    pub fn value_of(&self, uid: Uuid) -> Option<KeyValue> {
        Some(self.master_key.as_ref()?.value_of(uid))
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns all keys in no particular order.
    pub fn keys(&self) -> impl Iterator<Item = &Arc<Key>> {
        self.keys.values()
    }

    /// Checks that the holder of `token` may do all of `actions`, on `index` if the request names
    /// one, and returns the rights of the request. An absent token is the empty one.
    pub fn authorize(
        &self,
        token: Option<&str>,
        actions: &[Action],
        index: Option<&str>,
        now: OffsetDateTime,
    ) -> Result<Access, AuthError> {
        let Some(master_key) = &self.master_key else {
            let about_keys = actions.iter().any(|action| action.is_about_keys());
            return if about_keys { Err(AuthError::MissingMasterKey) } else { Ok(Access::full()) };
        };
        if master_key.is(token.unwrap_or_default()) {
            return Ok(Access::full());
        }
        let token = token.ok_or(AuthError::MissingHeader)?;
        let is_for_tenants = actions.iter().all(|action| action.is_open_to_tenants());
        if is_for_tenants && let Some(tenant) = TenantToken::read(token) {
            let tenant = tenant?;
            // Derived whether or not the key exists, so that only its holder learns that.
            let grant = tenant_grant(tenant, master_key, now)?;
            return self.authorize_tenant(grant, actions, index, now);
        }
        let key = self.with_value(token).ok_or(AuthError::Invalid)?;
        if key.is_expired(now) {
            return Err(AuthError::Invalid);
        }
        if let Some(index) = index.filter(|index| !key.has_index(index)) {
            return Err(AuthError::key_without_index(index, &key.listed_indexes()));
        }
        check_actions(key, actions)?;
        Ok(Access::of_key(Arc::clone(key)))
    }

    fn authorize_tenant(
        &self,
        Grant { rules, parent }: Grant,
        actions: &[Action],
        index: Option<&str>,
        now: OffsetDateTime,
    ) -> Result<Access, AuthError> {
        if let Some(index) = index.filter(|index| !rules.allow(index)) {
            return Err(AuthError::token_without_index(index, &rules.listed()));
        }
        let key = self.get(parent).filter(|key| !key.is_expired(now)).ok_or(AuthError::Invalid)?;
        if let Some(index) = index.filter(|index| !key.has_index(index)) {
            return Err(AuthError::ParentWithoutIndex { index: index.to_owned() });
        }
        check_actions(key, actions)?;
        Ok(Access::of_token(Arc::clone(key), rules))
    }
}

fn tenant_grant(
    tenant: TenantToken<'_>,
    master_key: &MasterKey,
    now: OffsetDateTime,
) -> Result<Grant, AuthError> {
    let value = master_key.value_of(tenant.parent());
    tenant.verified(&value, now)
}

fn check_actions(key: &Key, actions: &[Action]) -> Result<(), AuthError> {
    if actions.iter().all(|&action| key.allows(action)) { Ok(()) } else { Err(AuthError::Invalid) }
}

fn digest(value: &KeyValue) -> ValueDigest {
    Sha256::digest(value.bytes()).into()
}

#[cfg(test)]
#[path = "keyring_tests.rs"]
mod tests;
