//! The shapes of settings. A shape checks what was sent and returns it normalised (sets sorted,
//! members in order), or an error with its position; and it describes itself to the OpenAPI document
//! and to the dashboard.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use deserr::ValueKind;
use serde_json::{Map, Value};

use crate::error::{JsonPath, SettingError, take};

pub(crate) type CheckResult = Result<Value, SettingError>;
pub(crate) type CheckFn = fn(Value, JsonPath<'_>) -> CheckResult;

/// The shape of a value.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Anything,
    Text,
    Flag,
    /// An integer that is not negative.
    Integer,
    Byte,
    /// An integer above 0.
    Positive,
    Number,
    /// A number with bounds, which only a function checks.
    NumberBetween(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// An array of values of one shape; their number and order stay.
    List(&'static Shape),
    /// An array of strings that is stored sorted, without duplicates.
    Set,
    /// An object with arbitrary member names, which is stored sorted by them.
    Dictionary(&'static Shape),
    /// An object of known members.
    Object(&'static [Member]),
    /// An object of known members, described as one that may get further members.
    OpenObject(&'static [Member]),
    OrNull(&'static Shape),
    /// One of two shapes, between which only a function decides.
    Either(&'static Shape, &'static Shape),
    /// A shape that the OpenAPI document describes under a name of its own.
    Component(&'static str, &'static Shape),
    /// A shape that is described as another one, and checked by a function.
    Checked(&'static Shape, CheckFn),
}

/// A list of strings.
pub(crate) const TEXTS: Shape = Shape::List(&Shape::Text);

impl Shape {
    /// Returns a shape without a description of its own.
    pub(crate) const fn custom(check: CheckFn) -> Self {
        Self::Checked(&Self::Anything, check)
    }

    pub(crate) fn check(&self, value: Value, at: JsonPath<'_>) -> CheckResult {
        match self {
            Self::Anything | Self::Either(..) => Ok(value),
            Self::Text => take::<String>(value, at).map(Value::String),
            Self::Flag => take::<bool>(value, at).map(Value::Bool),
            Self::Integer => take::<u64>(value, at).map(Value::from),
            Self::Byte => take::<u8>(value, at).map(Value::from),
            Self::Positive => take::<NonZeroU64>(value, at).map(|number| number.get().into()),
            Self::Number | Self::NumberBetween(..) => take::<f64>(value, at).map(Value::from),
            Self::Word(accepted) => word(value, at, accepted),
            Self::List(item) => list(value, at, item),
            Self::Set => TEXTS.check(value, at).map(|list| sorted(strings(list))),
            Self::Dictionary(member) => dictionary(value, at, member),
            Self::Object(members) | Self::OpenObject(members) => object(value, at, members),
            Self::OrNull(_) if value.is_null() => Ok(value),
            Self::OrNull(shape) | Self::Component(_, shape) => shape.check(value, at),
            Self::Checked(_, check) => check(value, at),
        }
    }
}

/// Checks for one of these words.
pub(crate) fn word(value: Value, at: JsonPath<'_>, accepted: &[&str]) -> CheckResult {
    let word = take::<String>(value, at)?;
    if accepted.contains(&word.as_str()) {
        return Ok(Value::String(word));
    }
    Err(SettingError::unknown_word(&word, accepted, at))
}

fn list(value: Value, at: JsonPath<'_>, item: &Shape) -> CheckResult {
    let Value::Array(items) = value else {
        return Err(SettingError::wrong_kind(value, &[ValueKind::Sequence], at));
    };
    let items = items.into_iter().enumerate();
    let checked = items.map(|(i, value)| item.check(value, at.push_index(i)));
    checked.collect::<Result<Vec<_>, _>>().map(Value::Array)
}

fn dictionary(value: Value, at: JsonPath<'_>, member: &Shape) -> CheckResult {
    let mut checked = BTreeMap::new();
    for (name, value) in members_of(value, at)? {
        let value = member.check(value, at.push_key(&name))?;
        checked.insert(name, value);
    }
    Ok(Value::Object(checked.into_iter().collect()))
}

/// A member that an object may have.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub name: &'static str,
    pub shape: Shape,
    pub absence: Absence,
    /// A line of help; may be empty.
    pub help: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub enum Absence {
    /// Optional; null resets it and is kept as null.
    Reset,
    /// Optional; null counts as absent.
    Optional,
    /// Optional with this default; null is not a valid value.
    Default(fn() -> Value),
    Required,
}

impl Member {
    pub(crate) const fn resettable(name: &'static str, shape: Shape) -> Self {
        Self { name, shape, absence: Absence::Reset, help: "" }
    }

    pub(crate) const fn optional(name: &'static str, shape: Shape) -> Self {
        Self { absence: Absence::Optional, ..Self::resettable(name, shape) }
    }

    pub(crate) const fn or_default(
        name: &'static str,
        shape: Shape,
        default: fn() -> Value,
    ) -> Self {
        Self { absence: Absence::Default(default), ..Self::resettable(name, shape) }
    }

    pub(crate) const fn mandatory(name: &'static str, shape: Shape) -> Self {
        Self { absence: Absence::Required, ..Self::resettable(name, shape) }
    }

    pub(crate) const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}

/// Checks an object of known members and returns them in the order listed here. They are checked in
/// the order they were sent, then missing ones are reported.
fn object(value: Value, at: JsonPath<'_>, members: &[Member]) -> CheckResult {
    let mut checked: Map<String, Value> = Map::new();
    for (name, value) in members_of(value, at)? {
        let Some(member) = members.iter().find(|member| member.name == name) else {
            let accepted: Vec<&str> = members.iter().map(|member| member.name).collect();
            return Err(SettingError::unknown_member(&name, &accepted, at));
        };
        let value = match member.absence {
            Absence::Optional if value.is_null() => continue,
            Absence::Reset if value.is_null() => value,
            _ => member.shape.check(value, at.push_key(&name))?,
        };
        checked.insert(name, value);
    }
    let mut ordered = Map::new();
    for member in members {
        let value = match (checked.remove(member.name), &member.absence) {
            (Some(value), _) => value,
            (None, Absence::Reset | Absence::Optional) => continue,
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
