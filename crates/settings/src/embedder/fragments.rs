//! Document fragments, which get a vector each, in order of creation. The vectors of a document are
//! stored in that order, so lists in different order are not equal.

use serde_json::Value;

/// Names of fragments and their templates under `value`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fragments(Vec<(String, Value)>);

impl Fragments {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// Returns the names in byte order, as messages list them.
    pub fn sorted_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }
}

impl FromIterator<(String, Value)> for Fragments {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(fragments: I) -> Self {
        Self(fragments.into_iter().collect())
    }
}
