//! Where the matches of a hit stand: `_matchesPosition`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Object;
use super::matcher::Match;

#[derive(Debug, Default)]
pub struct Positions(BTreeMap<String, Vec<Value>>);

impl Positions {
    /// Notes the matches of one value. Of several values of an attribute (in an array) the last
    /// one with matches is reported, as the reference does.
    pub fn note(&mut self, attribute: &str, indices: &[usize], matches: &[Match]) {
        if matches.is_empty() {
            return;
        }
        let entries = matches.iter().map(|found| {
            let (start, length) = (found.bytes.start, found.bytes.len());
            if indices.is_empty() {
                json!({ "start": start, "length": length })
            } else {
                json!({ "start": start, "length": length, "indices": indices })
            }
        });
        self.0.insert(attribute.to_owned(), entries.collect());
    }

    pub fn into_map(self) -> Object {
        self.0.into_iter().map(|(name, entries)| (name, Value::Array(entries))).collect()
    }
}
