//! The settings of a client's index, as far as they change.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::Random;

use super::documents::{DIMENSIONS, EMBEDDER, random_word, synonym_key};

#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub searched: Vec<&'static str>,
    pub are_tags_filterable: bool,
    /// After `words`, documents come by their number, highest first.
    pub is_by_number: bool,
    /// Word → what it is found by too.
    pub synonyms: BTreeMap<String, String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            searched: vec!["title", "text"],
            are_tags_filterable: true,
            is_by_number: false,
            synonyms: BTreeMap::new(),
        }
    }
}

impl Settings {
    pub fn changed(&self, random: &mut Random) -> Self {
        let mut changed = self.clone();
        match random.below(4) {
            0 => {
                let choices: [&[&str]; 3] = [&["title", "text"], &["text", "title"], &["text"]];
                changed.searched = choices[random.below(3) as usize].to_vec();
            }
            1 => changed.are_tags_filterable = !self.are_tags_filterable,
            2 => changed.is_by_number = !self.is_by_number,
            _ => {
                let word = random_word(random);
                changed.synonyms = BTreeMap::from([(synonym_key(random), word)]);
            }
        }
        changed
    }

    pub fn body(&self) -> Value {
        let mut filterable = vec!["group", "number"];
        filterable.extend(self.are_tags_filterable.then_some("tags"));
        let rules: &[&str] = match self.is_by_number {
            true => &["words", "sort", "number:desc"],
            false => &["words", "typo", "proximity", "attribute", "sort", "exactness"],
        };
        let synonyms: BTreeMap<&String, [&String; 1]> =
            self.synonyms.iter().map(|(key, word)| (key, [word])).collect();
        json!({
            "searchableAttributes": self.searched,
            "filterableAttributes": filterable,
            "sortableAttributes": ["number"],
            "rankingRules": rules,
            "synonyms": synonyms,
            "pagination": {"maxTotalHits": 1_000_000},
            // However slow the machine is.
            "searchCutoffMs": 600_000,
            "embedders": {EMBEDDER: {"source": "userProvided", "dimensions": DIMENSIONS}},
        })
    }
}
