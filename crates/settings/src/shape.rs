//! Building blocks for the checks in the table of settings. A check takes what was sent and returns
//! it normalised (sets sorted, members in order), or an error with its position.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use deserr::ValueKind;
use serde_json::{Map, Value};

use crate::error::{JsonPath, SettingError, take};

pub(crate) type CheckResult = Result<Value, SettingError>;
pub(crate) type CheckFn = fn(Value, JsonPath<'_>) -> CheckResult;

pub(crate) fn text(value: Value, at: JsonPath<'_>) -> CheckResult {
    take::<String>(value, at).map(Value::String)
}

pub(crate) fn flag(value: Value, at: JsonPath<'_>) -> CheckResult {
    take::<bool>(value, at).map(Value::Bool)
}

pub(crate) fn integer(value: Value, at: JsonPath<'_>) -> CheckResult {
    take::<u64>(value, at).map(Value::from)
}

pub(crate) fn byte(value: Value, at: JsonPath<'_>) -> CheckResult {
    take::<u8>(value, at).map(Value::from)
}

pub(crate) fn positive(value: Value, at: JsonPath<'_>) -> CheckResult {
    take::<NonZeroU64>(value, at).map(|number| Value::from(number.get()))
}

/// Checks for one of these words.
pub(crate) fn word(value: Value, at: JsonPath<'_>, accepted: &[&str]) -> CheckResult {
    let word = take::<String>(value, at)?;
    if accepted.contains(&word.as_str()) {
        return Ok(Value::String(word));
    }
    Err(SettingError::unknown_word(&word, accepted, at))
}

/// Checks an array of values of one kind; their number and order stay.
pub(crate) fn list(value: Value, at: JsonPath<'_>, item: CheckFn) -> CheckResult {
    let Value::Array(items) = value else {
        return Err(SettingError::wrong_kind(value, &[ValueKind::Sequence], at));
    };
    let checked = items.into_iter().enumerate().map(|(i, value)| item(value, at.push_index(i)));
    checked.collect::<Result<Vec<_>, _>>().map(Value::Array)
}

pub(crate) fn texts(value: Value, at: JsonPath<'_>) -> CheckResult {
    list(value, at, text)
}

/// Checks an array of strings and returns it sorted, without duplicates.
pub(crate) fn set(value: Value, at: JsonPath<'_>) -> CheckResult {
    texts(value, at).map(|list| sorted(strings(list)))
}

/// Checks an object with arbitrary member names and returns it sorted by them.
pub(crate) fn dictionary(value: Value, at: JsonPath<'_>, member: CheckFn) -> CheckResult {
    let mut checked = BTreeMap::new();
    for (name, value) in members_of(value, at)? {
        let value = member(value, at.push_key(&name))?;
        checked.insert(name, value);
    }
    Ok(Value::Object(checked.into_iter().collect()))
}

/// A member that an object may have.
pub(crate) struct Member {
    pub name: &'static str,
    pub check: CheckFn,
    pub absence: Absence,
}

pub(crate) enum Absence {
    /// Optional; null resets it and is kept as null.
    Reset,
    /// Optional with this default; null is not a valid value.
    Default(fn() -> Value),
    Required,
}

impl Member {
    pub const fn resettable(name: &'static str, check: CheckFn) -> Self {
        Self { name, check, absence: Absence::Reset }
    }

    pub const fn or_default(name: &'static str, check: CheckFn, default: fn() -> Value) -> Self {
        Self { name, check, absence: Absence::Default(default) }
    }

    pub const fn mandatory(name: &'static str, check: CheckFn) -> Self {
        Self { name, check, absence: Absence::Required }
    }
}

/// Checks an object of known members and returns them in the order listed here. They are checked in
/// the order they were sent, then missing ones are reported.
pub(crate) fn object(value: Value, at: JsonPath<'_>, members: &[Member]) -> CheckResult {
    let mut checked: Map<String, Value> = Map::new();
    for (name, value) in members_of(value, at)? {
        let Some(member) = members.iter().find(|member| member.name == name) else {
            let accepted: Vec<&str> = members.iter().map(|member| member.name).collect();
            return Err(SettingError::unknown_member(&name, &accepted, at));
        };
        let is_reset = value.is_null() && matches!(member.absence, Absence::Reset);
        let value = if is_reset { value } else { (member.check)(value, at.push_key(&name))? };
        checked.insert(name, value);
    }
    let mut ordered = Map::new();
    for member in members {
        let value = match (checked.remove(member.name), &member.absence) {
            (Some(value), _) => value,
            (None, Absence::Reset) => continue,
            (None, Absence::Default(default)) => default(),
            (None, Absence::Required) => return Err(SettingError::missing(member.name, at)),
        };
        ordered.insert(member.name.to_owned(), value);
    }
    Ok(Value::Object(ordered))
}

pub(crate) fn members_of(
    value: Value,
    at: JsonPath<'_>,
) -> Result<Map<String, Value>, SettingError> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(SettingError::wrong_kind(other, &[ValueKind::Map], at)),
    }
}

/// Returns the strings of an array.
pub(crate) fn strings(list: Value) -> impl Iterator<Item = String> {
    let items = match list {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    items.into_iter().filter_map(|item| match item {
        Value::String(text) => Some(text),
        _ => None,
    })
}

pub(crate) fn sorted(strings: impl Iterator<Item = String>) -> Value {
    let set: BTreeSet<String> = strings.collect();
    Value::Array(set.into_iter().map(Value::String).collect())
}
