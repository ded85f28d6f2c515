//! A change of settings: checked as far as the request alone allows, carried by a task, and
//! applied to what is stored. What is wrong by itself is refused at once (`of_many`, `of_one`,
//! `check_whole`), what does not go with the stored settings fails the task (`apply`). What
//! depends on other indexes, documents or providers is for others to find out.

use std::fmt;

use model::features::Features;
use model::{Code, ServiceError};
use serde_json::{Map, Value};

use crate::checks::check_attribute_rules;
use crate::embedder;
use crate::keep::lay_over;
use crate::refusal::{Place, Refusal};
use crate::reranker;
use crate::shape::members_of;
use crate::table::{ChangeKind, Keep, Setting};

/// New values by name, in the order of the table; null resets.
#[derive(Clone, PartialEq)]
pub struct Change(Map<String, Value>);

/// Without secrets.
impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Change").field(&self.details()).finish()
    }
}

impl Change {
    /// From an object of settings. Members are looked at in the order they were sent.
    pub fn of_many(body: Value) -> Result<Self, ServiceError> {
        let at = Place::Origin;
        let bad_request = |refusal: Refusal| ServiceError::new(Code::BadRequest, refusal.0);
        let mut values = Map::new();
        for (name, value) in members_of(body, at).map_err(bad_request)? {
            let Some(setting) = Setting::named(&name) else {
                let accepted: Vec<&str> =
                    Setting::ALL.iter().filter(|s| !s.is_own).map(|s| s.name).collect();
                return Err(bad_request(Refusal::unknown_member(&name, &accepted, at)));
            };
            values.insert(name, check(setting, value, at.push_key(setting.name))?);
        }
        Ok(Self::in_order(values))
    }

    /// From the bare value of one setting.
    pub fn of_one(setting: &Setting, value: Value) -> Result<Self, ServiceError> {
        let value = check(setting, value, Place::Origin)?;
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

    /// What can be said only of the whole: whether all of it is available, and whether values
    /// agree with each other.
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
            embedder::at_once(embedders)?;
        }
        if let Some(rerankers) = self.0.get("rerankers") {
            reranker::at_once(rerankers)?;
        }
        Ok(())
    }

    /// What the task shows of it: as sent, without secrets.
    pub fn details(&self) -> Map<String, Value> {
        let mut details = self.0.clone();
        if self.0.len() == Setting::ALL.len() {
            // A reset of everything is told as the reference tells it.
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

    /// The form a task carries, with secrets.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    pub fn from_value(value: &Value) -> Self {
        Self::in_order(value.as_object().cloned().unwrap_or_default())
    }

    /// What is stored after the change. Fails where new values do not agree with stored ones.
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

    /// The same for what a user sends: what is shown of a secret is refused where it stands for
    /// none. Elsewhere it is passed on, so that what was stored once can be moved.
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

    /// The new value of a setting, if it gets one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// The settings that get a value.
    fn set(&self) -> impl Iterator<Item = (&'static Setting, &Value)> {
        let known = self.0.iter().filter_map(|(name, value)| Some((Setting::named(name)?, value)));
        known.filter(|(_, value)| !value.is_null())
    }
}

/// Of settings in any form: stored, sent, or taken from either.
pub fn hide_secrets(settings: &mut Map<String, Value>) {
    for name in ["embedders", "rerankers"] {
        if let Some(with_secrets) = settings.get_mut(name) {
            embedder::hide_secrets(with_secrets);
        }
    }
}

fn check(setting: &Setting, value: Value, at: Place<'_>) -> Result<Value, ServiceError> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    (setting.check)(value, at).map_err(|refusal| ServiceError::new(setting.code, refusal.0))
}

fn after(
    setting: &Setting,
    before: Option<Value>,
    value: Value,
) -> Result<Option<Value>, ServiceError> {
    if value.is_null() {
        return Ok(None);
    }
    match setting.keep {
        Keep::AsGiven => Ok(Some(value)),
        Keep::Tidied(tidy) => Ok(tidy(value)),
        Keep::Merged { levels, tidy, agree } => {
            let mut value = value;
            tidy(&mut value);
            let mut merged = before.unwrap_or_else(|| Value::Object(Map::new()));
            lay_over(&mut merged, value, levels);
            agree(&merged).map_err(|reason| ServiceError::new(setting.code, reason))?;
            Ok(Some(merged))
        }
        Keep::Combined(combine) => combine(before, value).map(Some),
    }
}

/// Below, a value is one whole, and a null in it is a value too.
const DEPTH_OF_DEFAULTS: usize = 2;

impl Setting {
    /// What the setting is, as it is shown: complete, without secrets.
    pub fn read(&self, stored: &Value) -> Value {
        let mut value = (self.default)();
        if let Some(stored) = stored.get(self.name) {
            match self.change {
                ChangeKind::Replace => value = stored.clone(),
                ChangeKind::Merge => lay_over(&mut value, stored.clone(), DEPTH_OF_DEFAULTS),
            }
        }
        (self.show)(value)
    }

    /// All settings, as they are shown; those of features that are off are not.
    pub fn read_all(stored: &Value, features: &Features) -> Map<String, Value> {
        let visible = Self::ALL.iter().filter(|setting| {
            let is_on = setting.feature.is_none_or(|feature| features.is_on(feature));
            is_on && (!setting.is_own || stored.get(setting.name).is_some())
        });
        visible.map(|setting| (setting.name.to_owned(), setting.read(stored))).collect()
    }
}
