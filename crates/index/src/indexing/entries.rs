//! Plain attribute names as listed in settings: each covers itself and everything inside it. Lists
//! may be long, so lookups do not scan them.

use std::collections::BTreeSet;
use std::ops::Bound;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entries(BTreeSet<String>);

impl Entries {
    pub fn insert(&mut self, entry: &str) {
        self.0.insert(entry.to_owned());
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Returns whether one of the entries covers an attribute.
    pub fn cover(&self, attribute: &str) -> bool {
        self.contains(attribute) || self.cover_from_outside(attribute)
    }

    fn cover_from_outside(&self, attribute: &str) -> bool {
        attribute.match_indices('.').any(|(end, _)| self.contains(&attribute[..end]))
    }

    /// Returns the entries that name something inside an attribute.
    pub fn inside(&self, attribute: &str) -> impl Iterator<Item = &str> {
        let start = format!("{attribute}.");
        let from_start =
            self.0.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
        from_start.map(String::as_str).take_while(move |entry| entry.starts_with(&start))
    }

    /// Returns the entries that no other entry covers.
    pub fn without_covered(&self) -> Self {
        let counts = |entry: &&String| !self.cover_from_outside(entry);
        Self(self.0.iter().filter(counts).cloned().collect())
    }

    /// Returns the entries that are not in another list.
    pub fn beyond(&self, others: &Self) -> Self {
        Self(&self.0 - &others.0)
    }
}

impl<'n> FromIterator<&'n String> for Entries {
    fn from_iter<I: IntoIterator<Item = &'n String>>(entries: I) -> Self {
        Self(entries.into_iter().cloned().collect())
    }
}

impl<'n> Extend<&'n String> for Entries {
    fn extend<I: IntoIterator<Item = &'n String>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use settings::pattern::covers;

    use super::*;

    fn name() -> impl Strategy<Value = String> {
        prop::collection::vec("[ab]{0,2}", 1..4).prop_map(|parts| parts.join("."))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn they_say_what_each_of_them_says(
            names in prop::collection::vec(name(), 0..4),
            attribute in name(),
        ) {
            let entries: Entries = names.iter().collect();
            prop_assert_eq!(
                entries.cover(&attribute),
                names.iter().any(|entry| covers(entry, &attribute))
            );
            let inside: Vec<&str> = entries.inside(&attribute).collect();
            let is_inside = |name: &&String| **name != attribute && covers(&attribute, name);
            let expected: BTreeSet<&String> = names.iter().filter(is_inside).collect();
            prop_assert_eq!(inside, expected.into_iter().collect::<Vec<_>>());
            let fewer = entries.without_covered();
            prop_assert_eq!(fewer.cover(&attribute), entries.cover(&attribute));
            let alone = |entry: &String| !fewer.0.iter().any(|other| other != entry && covers(other, entry));
            prop_assert!(fewer.0.iter().all(alone));
        }
    }
}
