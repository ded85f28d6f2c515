//! A change of settings: checked as far as the request alone allows, carried by a task, and
//! applied to what is stored.

use model::features::Features;
use model::{Code, ServiceError};
use serde_json::{Map, Value};

use crate::checks::check_attribute_rules;
use crate::refusal::{Place, Refusal};
use crate::shape::members_of;
use crate::table::{ChangeKind, Keep, Setting};

/// New values by name, in the order of the table; null resets.
#[derive(Debug, Clone, PartialEq)]
pub struct Change(Map<String, Value>);

impl Change {
    /// From an object of settings. Members are looked at in the order they were sent.
    pub fn of_many(body: Value) -> Result<Self, ServiceError> {
        let at = Place::Origin;
        let bad_request = |refusal: Refusal| ServiceError::new(Code::BadRequest, refusal.0);
        let mut values = Map::new();
        for (name, value) in members_of(body, at).map_err(bad_request)? {
            let Some(setting) = Setting::named(&name) else {
                let accepted: Vec<&str> = Setting::ALL.iter().map(|s| s.name).collect();
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
        for (setting, value) in self.set() {
            if let Some(feature) = setting.feature {
                let tried = format!("setting `{}` in the index settings", setting.name);
                features.check(feature, &tried)?;
            }
            if !setting.is_built && !is_empty(value) {
                let message = format!("`{}` cannot be set in this version of Sonde.", setting.name);
                return Err(ServiceError::new(setting.code, message));
            }
        }
        if let Some(rules) = self.0.get("rankingRules") {
            check_attribute_rules(rules)
                .map_err(|reason| ServiceError::new(Code::InvalidSettingsRankingRules, reason))?;
        }
        Ok(())
    }

    /// What the task shows of it.
    pub fn details(&self) -> Map<String, Value> {
        let mut details = self.0.clone();
        for name in ["displayedAttributes", "searchableAttributes"] {
            if let Some(value @ Value::Null) = details.get_mut(name) {
                *value = Value::from(vec!["*"]);
            }
        }
        details
    }

    /// The form a task carries.
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

    /// The settings that get a value.
    fn set(&self) -> impl Iterator<Item = (&'static Setting, &Value)> {
        let known = self.0.iter().filter_map(|(name, value)| Some((Setting::named(name)?, value)));
        known.filter(|(_, value)| !value.is_null())
    }
}

fn check(setting: &Setting, value: Value, at: Place<'_>) -> Result<Value, ServiceError> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    (setting.check)(value, at).map_err(|refusal| ServiceError::new(setting.code, refusal.0))
}

/// Whether it sets nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(Value::is_null),
        _ => false,
    }
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
    }
}

/// Members of `over` take the place of those of `base`; null takes them away.
fn lay_over(base: &mut Value, over: Value, levels: usize) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) if levels > 0 => {
            for (name, value) in over {
                if value.is_null() {
                    base.shift_remove(&name);
                    continue;
                }
                let member = base.entry(name).or_insert_with(|| Value::Object(Map::new()));
                lay_over(member, value, levels - 1);
            }
        }
        (base, over) => *base = over,
    }
}

impl Setting {
    /// What the setting is, as it is shown.
    pub fn read(&self, stored: &Value) -> Value {
        let mut value = (self.default)();
        if let Some(stored) = stored.get(self.name) {
            match self.change {
                ChangeKind::Replace => value = stored.clone(),
                ChangeKind::Merge => lay_over(&mut value, stored.clone(), usize::MAX),
            }
        }
        value
    }

    /// All settings, as they are shown; those of features that are off are not.
    pub fn read_all(stored: &Value, features: &Features) -> Map<String, Value> {
        let visible = Self::ALL.iter().filter(|s| s.feature.is_none_or(|f| features.is_on(f)));
        visible.map(|setting| (setting.name.to_owned(), setting.read(stored))).collect()
    }
}
