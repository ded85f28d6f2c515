//! Order by the value of a field, and at most one document per value.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::doc_set::DocSet;
use super::index::ModelIndex;
use super::ranking::Answer;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion {
    pub field: String,
    pub descending: bool,
}

impl Criterion {
    /// `field:asc` or `field:desc`.
    pub fn parse(text: &str) -> Option<Self> {
        let (field, direction) = text.rsplit_once(':')?;
        let descending = match direction {
            "asc" => false,
            "desc" => true,
            _ => return None,
        };
        Some(Self { field: field.to_owned(), descending })
    }

    pub fn name(&self) -> String {
        format!("{}:{}", self.field, if self.descending { "desc" } else { "asc" })
    }

    /// The documents by value, with the value that counts.
    pub fn split(&self, index: &ModelIndex, documents: DocSet) -> Vec<(Value, DocSet)> {
        let mut groups: Vec<(SortValue, DocSet)> = Vec::new();
        for document in documents.iter() {
            let value = self.value_of(&index.documents[document].source);
            match groups.iter_mut().find(|(other, _)| *other == value) {
                Some((_, group)) => group.insert(document),
                None => groups.push((value, DocSet::single(document))),
            }
        }
        groups.sort_by(|(a, _), (b, _)| self.compare(a, b));
        groups.into_iter().map(|(value, group)| (value.into_json(), group)).collect()
    }

    fn value_of(&self, document: &Map<String, Value>) -> SortValue {
        let values = field_values(document, &self.field);
        let best = values.into_iter().min_by(|a, b| self.compare(a, b));
        best.unwrap_or(SortValue::Nothing)
    }

    /// The direction turns numbers and texts round, each among themselves.
    fn compare(&self, a: &SortValue, b: &SortValue) -> Ordering {
        let order = match (a, b) {
            (SortValue::Number(a), SortValue::Number(b)) => a.total_cmp(b),
            (SortValue::Text(a), SortValue::Text(b)) => a.cmp(b),
            _ => return a.class().cmp(&b.class()),
        };
        if self.descending { order.reverse() } else { order }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum SortValue {
    Number(f64),
    Text(String),
    Nothing,
}

impl SortValue {
    fn class(&self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Text(_) => 1,
            Self::Nothing => 2,
        }
    }

    fn into_json(self) -> Value {
        match self {
            Self::Number(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::Nothing => Value::Null,
        }
    }
}

fn field_values(document: &Map<String, Value>, field: &str) -> Vec<SortValue> {
    let value = document.get(field).unwrap_or(&Value::Null);
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let values = items.iter().filter_map(|item| match item {
        Value::Number(number) => number.as_f64().map(SortValue::Number),
        Value::String(text) if !text.is_empty() => {
            Some(SortValue::Text(text.trim().to_lowercase()))
        }
        Value::Bool(boolean) => Some(SortValue::Text(boolean.to_string())),
        _ => None,
    });
    values.collect()
}

impl ModelIndex {
    /// The answers that share no value with an earlier one.
    pub fn distinct(&self, answers: &[Answer], field: &str) -> Vec<Answer> {
        let mut seen = BTreeSet::new();
        let mut kept = Vec::new();
        for answer in answers {
            let values = self.values_of(answer, field);
            if values.is_disjoint(&seen) {
                seen.extend(values);
                kept.push(answer.clone());
            }
        }
        kept
    }

    /// The values by which answers are compared.
    pub fn values_of(&self, answer: &Answer, field: &str) -> BTreeSet<String> {
        let values = field_values(&self.documents[answer.document].source, field);
        values.iter().map(|value| format!("{value:?}")).collect()
    }
}
