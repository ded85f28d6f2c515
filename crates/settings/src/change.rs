//! A change of settings: checked as far as the request alone allows, carried by a task, and applied
//! to what is stored. Invalid values are refused at once (`of_many`, `of_one`, `check_whole`);
//! conflicts with the stored settings fail the task (`apply`). Checks against other indexes,
//! documents or providers are made elsewhere.

use std::fmt;

use model::features::Features;
use model::{Code, ServiceError};
use serde_json::{Map, Value};

use crate::checks::check_attribute_rules;
use crate::embedder;
use crate::error::{JsonPath, SettingError};
use crate::normalise::merge_members;
use crate::reranker;
use crate::shape::members_of;
use crate::table::{ChangeKind, Setting, StorePolicy};

/// New values by name, in the order of the table; null resets.
#[derive(Clone, PartialEq)]
pub struct Change(Map<String, Value>);

/// Shows the change without secrets.
impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Change").field(&self.details()).finish()
    }
}

impl Change {
    /// Validates an object of settings. Members are checked in the order they were sent.
    pub fn of_many(body: Value) -> Result<Self, ServiceError> {
        let at = JsonPath::Origin;
        let bad_request = |error: SettingError| ServiceError::new(Code::BadRequest, error.0);
        let mut values = Map::new();
        for (name, value) in members_of(body, at).map_err(bad_request)? {
            let Some(setting) = Setting::named(&name) else {
                let accepted: Vec<&str> =
                    Setting::ALL.iter().filter(|s| !s.is_own).map(|s| s.name).collect();
                return Err(bad_request(SettingError::unknown_member(&name, &accepted, at)));
            };
            values.insert(name, check(setting, value, at.push_key(setting.name))?);
        }
        Ok(Self::in_order(values))
    }

    /// Validates the bare value of one setting.
    pub fn of_one(setting: &Setting, value: Value) -> Result<Self, ServiceError> {
        let value = check(setting, value, JsonPath::Origin)?;
        Ok(Self([(setting.name.to_owned(), value)].into_iter().collect()))
    }

    pub fn reset(setting: &Setting) -> Self {
        Self([(setting.name.to_owned(), Value::Null)].into_iter().collect())
    }

    pub fn reset_all() -> Self {
        Self(Setting::ALL.iter().map(|s| (s.name.to_owned(), Value::Null)).collect())
    }

    fn in_order(mut values: Map<String, Value>) -> Self {
        let taken = Setting::ALL.iter().filter_map(|s| values.remove_entry(s.name));
        Self(taken.collect())
    }

    /// Makes the checks that need the whole change: whether its features are on, and whether values
    /// are consistent with each other.
    pub fn check_whole(&self, features: &Features) -> Result<(), ServiceError> {
        for (setting, _) in self.set() {
            if let Some(feature) = setting.feature {
                let tried = format!("setting `{}` in the index settings", setting.name);
                features.check(feature, &tried)?;
            }
        }
        if let Some(rules) = self.0.get("rankingRules") {
            check_attribute_rules(rules)
                .map_err(|reason| ServiceError::new(Code::InvalidSettingsRankingRules, reason))?;
        }
        if let Some(embedders) = self.0.get("embedders") {
            embedder::check_features(embedders, features)?;
            embedder::check_change(embedders)?;
        }
        if let Some(rerankers) = self.0.get("rerankers") {
            reranker::check_change(rerankers)?;
        }
        Ok(())
    }

    /// Returns the details that the task shows: as sent, without secrets.
    pub fn details(&self) -> Map<String, Value> {
        let mut details = self.0.clone();
        if self.0.len() == Setting::ALL.len() {
            // A full reset is shown like that of the reference.
            let is_own = |name: &str| Setting::named(name).is_some_and(|setting| setting.is_own);
            details.retain(|name, value| !value.is_null() || !is_own(name));
        }
        hide_secrets(&mut details);
        for name in ["displayedAttributes", "searchableAttributes"] {
            if let Some(value @ Value::Null) = details.get_mut(name) {
                *value = Value::from(vec!["*"]);
            }
        }
        details
    }

    /// Returns the form that a task stores, with secrets.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    pub fn from_value(value: &Value) -> Self {
        Self::in_order(value.as_object().cloned().unwrap_or_default())
    }

    /// Applies the change to the stored settings. Fails if new values conflict with stored ones.
    pub fn apply(self, stored: &Value) -> Result<Value, ServiceError> {
        let mut stored = stored.as_object().cloned().unwrap_or_default();
        for (name, value) in self.0 {
            let Some(setting) = Setting::named(&name) else { continue };
            let before = stored.remove(&name);
            if let Some(after) = after(setting, before, value)? {
                stored.insert(name, after);
            }
        }
        let ordered = Self::in_order(stored);
        Ok(Value::Object(ordered.0))
    }

    /// Applies a change sent by a user: unlike [`Self::apply`], it refuses a mask that stands for
    /// no stored secret.
    pub fn apply_checked(self, stored: &Value) -> Result<Value, ServiceError> {
        let change = |name: &str| self.get(name).cloned();
        let (embedders, rerankers) = (change("embedders"), change("rerankers"));
        let after = self.apply(stored)?;
        if let (Some(change), Some(embedders)) = (embedders, after.get("embedders")) {
            embedder::check_masks(stored.get("embedders"), &change, embedders)?;
        }
        if let (Some(change), Some(rerankers)) = (rerankers, after.get("rerankers")) {
            reranker::check_masks(stored.get("rerankers"), &change, rerankers)?;
        }
        Ok(after)
    }

    /// Returns the new value of a setting, if it gets one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Iterates over the settings that get a value.
    fn set(&self) -> impl Iterator<Item = (&'static Setting, &Value)> {
        let known = self.0.iter().filter_map(|(name, value)| Some((Setting::named(name)?, value)));
        known.filter(|(_, value)| !value.is_null())
    }
}

/// Masks the secrets in settings of any form: stored or sent.
pub fn hide_secrets(settings: &mut Map<String, Value>) {
    for name in ["embedders", "rerankers"] {
        if let Some(with_secrets) = settings.get_mut(name) {
            embedder::hide_secrets(with_secrets);
        }
    }
}

fn check(setting: &Setting, value: Value, at: JsonPath<'_>) -> Result<Value, ServiceError> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    setting.shape.check(value, at).map_err(|error| ServiceError::new(setting.code, error.0))
}

fn after(
    setting: &Setting,
    before: Option<Value>,
    value: Value,
) -> Result<Option<Value>, ServiceError> {
    if value.is_null() {
        return Ok(None);
    }
    match setting.store {
        StorePolicy::AsGiven => Ok(Some(value)),
        StorePolicy::Tidied(tidy) => Ok(tidy(value)),
        StorePolicy::Merged { levels, tidy, agree } => {
            let mut value = value;
            tidy(&mut value);
            let mut merged = before.unwrap_or_else(|| Value::Object(Map::new()));
            merge_members(&mut merged, value, levels);
            agree(&setting.complete(Some(&merged)))
                .map_err(|reason| ServiceError::new(setting.code, reason))?;
            Ok(Some(merged))
        }
        StorePolicy::Combined(combine) => combine(before, value).map(Some),
    }
}

/// Defaults are merged down to this level; below, null is an ordinary value.
const DEPTH_OF_DEFAULTS: usize = 2;

impl Setting {
    /// Returns the value of the setting as it is shown: complete, without secrets.
    pub fn read(&self, stored: &Value) -> Value {
        (self.show)(self.complete(stored.get(self.name)))
    }

    /// Returns the stored value, with the defaults of what is not stored.
    fn complete(&self, stored: Option<&Value>) -> Value {
        let mut value = self.default_value();
        if let Some(stored) = stored {
            match self.change {
                ChangeKind::Replace => value = stored.clone(),
                ChangeKind::Merge => merge_members(&mut value, stored.clone(), DEPTH_OF_DEFAULTS),
            }
        }
        value
    }

    /// Returns all settings as they are shown, without those of features that are off.
    pub fn read_all(stored: &Value, features: &Features) -> Map<String, Value> {
        let visible = Self::ALL.iter().filter(|setting| {
            let is_on = setting.feature.is_none_or(|feature| features.is_on(feature));
            is_on && (!setting.is_own || stored.get(setting.name).is_some())
        });
        visible.map(|setting| (setting.name.to_owned(), setting.read(stored))).collect()
    }
}
