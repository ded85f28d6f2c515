//! The shapes values of settings have, from which the checks of the table are put together. A
//! check takes what was sent and gives it back tidied up (sets sorted, members in their order),
//! or says what is wrong with it and where.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use deserr::ValueKind;
use serde_json::{Map, Value};

use crate::refusal::{Place, Refusal, take};

pub(crate) type Checked = Result<Value, Refusal>;
pub(crate) type Check = fn(Value, Place<'_>) -> Checked;

pub(crate) fn text(value: Value, at: Place<'_>) -> Checked {
    take::<String>(value, at).map(Value::String)
}

pub(crate) fn flag(value: Value, at: Place<'_>) -> Checked {
    take::<bool>(value, at).map(Value::Bool)
}

pub(crate) fn integer(value: Value, at: Place<'_>) -> Checked {
    take::<u64>(value, at).map(Value::from)
}

pub(crate) fn byte(value: Value, at: Place<'_>) -> Checked {
    take::<u8>(value, at).map(Value::from)
}

pub(crate) fn positive(value: Value, at: Place<'_>) -> Checked {
    take::<NonZeroU64>(value, at).map(|number| Value::from(number.get()))
}

/// One of these words.
pub(crate) fn word(value: Value, at: Place<'_>, accepted: &[&str]) -> Checked {
    let word = take::<String>(value, at)?;
    if accepted.contains(&word.as_str()) {
        return Ok(Value::String(word));
    }
    Err(Refusal::unknown_word(&word, accepted, at))
}

/// An array of values of one kind, as many and in the order given.
pub(crate) fn list(value: Value, at: Place<'_>, item: Check) -> Checked {
    let Value::Array(items) = value else {
        return Err(Refusal::wrong_kind(value, &[ValueKind::Sequence], at));
    };
    let checked = items.into_iter().enumerate().map(|(i, value)| item(value, at.push_index(i)));
    checked.collect::<Result<Vec<_>, _>>().map(Value::Array)
}

pub(crate) fn texts(value: Value, at: Place<'_>) -> Checked {
    list(value, at, text)
}

/// Strings in byte order, each once.
pub(crate) fn set(value: Value, at: Place<'_>) -> Checked {
    texts(value, at).map(|list| sorted(strings(list)))
}

/// An object whose members have names of the user's choice, in byte order of these.
pub(crate) fn dictionary(value: Value, at: Place<'_>, member: Check) -> Checked {
    let mut checked = BTreeMap::new();
    for (name, value) in members_of(value, at)? {
        let value = member(value, at.push_key(&name))?;
        checked.insert(name, value);
    }
    Ok(Value::Object(checked.into_iter().collect()))
}

/// What an object may hold.
pub(crate) struct Member {
    pub name: &'static str,
    pub check: Check,
    pub absence: Absence,
}

pub(crate) enum Absence {
    /// It may be left out; null resets it and is kept as null.
    Reset,
    /// It may be left out, and is then this; null is no value.
    Default(fn() -> Value),
    Refused,
}

impl Member {
    pub const fn resettable(name: &'static str, check: Check) -> Self {
        Self { name, check, absence: Absence::Reset }
    }

    pub const fn or_default(name: &'static str, check: Check, default: fn() -> Value) -> Self {
        Self { name, check, absence: Absence::Default(default) }
    }

    pub const fn mandatory(name: &'static str, check: Check) -> Self {
        Self { name, check, absence: Absence::Refused }
    }
}

/// An object of known members, given back in the order they are listed here. They are checked
/// in the order they were sent; what is missing comes last.
pub(crate) fn object(value: Value, at: Place<'_>, members: &[Member]) -> Checked {
    let mut checked: Map<String, Value> = Map::new();
    for (name, value) in members_of(value, at)? {
        let Some(member) = members.iter().find(|member| member.name == name) else {
            let accepted: Vec<&str> = members.iter().map(|member| member.name).collect();
            return Err(Refusal::unknown_member(&name, &accepted, at));
        };
        let is_reset = value.is_null() && matches!(member.absence, Absence::Reset);
        let value = match is_reset {
            true => Value::Null,
            false => (member.check)(value, at.push_key(&name))?,
        };
        checked.insert(name, value);
    }
    let mut ordered = Map::new();
    for member in members {
        let value = match (checked.remove(member.name), &member.absence) {
            (Some(value), _) => value,
            (None, Absence::Reset) => continue,
            (None, Absence::Default(default)) => default(),
            (None, Absence::Refused) => return Err(Refusal::missing(member.name, at)),
        };
        ordered.insert(member.name.to_owned(), value);
    }
    Ok(Value::Object(ordered))
}

pub(crate) fn members_of(value: Value, at: Place<'_>) -> Result<Map<String, Value>, Refusal> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(Refusal::wrong_kind(other, &[ValueKind::Map], at)),
    }
}

/// The strings of an array.
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
