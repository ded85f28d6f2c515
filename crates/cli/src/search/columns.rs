//! Chooses the columns of the hit table and formats its cells.

use serde_json::Value;

use crate::table::{Align, Cell};

const SCORE: &str = "_rankingScore";

#[derive(Debug)]
pub(super) struct Columns(Vec<String>);

impl Columns {
    /// Uses every field, in the order of the hits.
    pub(super) fn of(hits: &Value) -> Self {
        let mut names: Vec<String> = Vec::new();
        for (name, _) in
            hits.as_array().into_iter().flatten().filter_map(Value::as_object).flatten()
        {
            let is_shown =
                !name.starts_with('_') || matches!(name.as_str(), "_geo" | "_geoDistance");
            if is_shown && !names.contains(name) {
                names.push(name.clone());
            }
        }
        Self(names)
    }

    pub(super) fn named(names: Vec<String>) -> Self {
        Self(names)
    }

    pub(super) fn with_score(mut self, with_score: bool) -> Self {
        if with_score {
            self.0.insert(0, SCORE.to_owned());
        }
        self
    }

    pub(super) fn name(&self, place: usize) -> &str {
        self.0.get(place).map_or("", String::as_str)
    }

    /// Returns titles and alignments; columns of numbers are right-aligned.
    pub(super) fn titles(&self, hits: &[Value]) -> Vec<(&str, Align)> {
        let align = |name: &str| {
            let mut values = hits
                .iter()
                .filter_map(|hit| hit.get(name))
                .filter(|value| !value.is_null())
                .peekable();
            let is_number = values.peek().is_some() && values.all(Value::is_number);
            if is_number { Align::Right } else { Align::Left }
        };
        self.0
            .iter()
            .map(|name| (if name == SCORE { "score" } else { name.as_str() }, align(name)))
            .collect()
    }

    pub(super) fn cells(&self, hit: &Value) -> Vec<Cell> {
        self.0.iter().map(|name| self.cell(hit, name)).collect()
    }

    fn cell(&self, hit: &Value, name: &str) -> Cell {
        if name == SCORE {
            let score = hit[SCORE].as_f64().map(|score| format!("{score:.4}"));
            return Cell::new(&score.unwrap_or_default());
        }
        // The formatted value has marks around matches.
        let marked = at(&hit["_formatted"], name);
        let value = marked.or_else(|| at(hit, name)).unwrap_or(&Value::Null);
        Cell::new(&cell_text(value))
    }
}

/// Returns a field, or a nested one by its dotted name.
fn at<'a>(document: &'a Value, name: &str) -> Option<&'a Value> {
    if let Some(value) = document.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    at(document.get(first)?, rest)
}

/// Formats a value without JSON syntax.
pub(super) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(inner_text).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{name}: {}", inner_text(value)))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    }
}

fn inner_text(value: &Value) -> String {
    match value {
        Value::Object(_) => format!("{{{}}}", cell_text(value)),
        _ => cell_text(value),
    }
}
