//! Finds field names that are new to the index, quickly: documents of a batch mostly have the same
//! fields in the same order, so a name is first compared with the one at the same position of the
//! previous document.

use std::collections::HashSet;

use crate::field_names::FieldNames;

#[derive(Debug, Default)]
pub(crate) struct NewFieldFinder {
    /// The names of the previous document, in order.
    before: Vec<String>,
    seen: HashSet<Box<str>>,
}

impl NewFieldFinder {
    /// Adds the new ones among `names` to `fields`.
    pub fn note<'n>(&mut self, fields: &mut FieldNames, names: impl IntoIterator<Item = &'n str>) {
        for (place, name) in names.into_iter().enumerate() {
            if self.before.get(place).is_some_and(|before| before == name) {
                continue;
            }
            if !self.seen.contains(name) {
                self.seen.insert(name.into());
                if !fields.contains(name) {
                    fields.insert(name);
                }
            }
            match self.before.get_mut(place) {
                Some(before) => name.clone_into(before),
                None => self.before.push(name.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_noted_once_whatever_their_order() {
        let mut fields = FieldNames::default();
        fields.insert("id");
        let mut known = NewFieldFinder::default();
        for document in [&["id", "a"][..], &["id", "a"], &["a", "id", "b"], &[], &["b"]] {
            known.note(&mut fields, document.iter().copied());
        }
        assert_eq!(fields.iter().collect::<Vec<_>>(), ["a", "b", "id"]);
    }
}
