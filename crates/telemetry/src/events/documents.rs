//! Writes of documents: additions, updates, edits, deletions.

use super::Names;
use crate::event_totals::Tally;
use crate::fields::Fields;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addition {
    /// The Content-Type, even a refused one.
    pub payload_type: Option<Box<str>>,
    /// The name of the field, if the request has one.
    pub primary_key: Option<Box<str>>,
    /// True if the index does not exist yet.
    pub index_creation: bool,
}

#[derive(Debug, Default)]
pub(crate) struct AdditionTally {
    payload_types: Names,
    primary_keys: Names,
    index_creation: bool,
}

impl Tally for AdditionTally {
    type Event = Addition;

    fn add(&mut self, addition: Addition) {
        if let Some(payload_type) = addition.payload_type {
            self.payload_types.add(&payload_type);
        }
        if let Some(primary_key) = addition.primary_key {
            self.primary_keys.add(&primary_key);
        }
        self.index_creation |= addition.index_creation;
    }

    fn report(&self, fields: &mut Fields) {
        fields.put(
            "payload_type",
            &self.payload_types,
            "The different values of `Content-Type`, also those that were refused.",
        );
        fields.put(
            "primary_key",
            &self.primary_keys,
            "The different names of primary keys that requests set.",
        );
        fields.put("index_creation", self.index_creation, "Whether an index was made by that.");
    }

    fn text_bytes(&self) -> usize {
        self.payload_types.bytes() + self.primary_keys.bytes()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Edition {
    pub per_filter: bool,
    pub index_creation: bool,
}

#[derive(Debug, Default)]
pub(crate) struct EditionTally(Edition);

impl Tally for EditionTally {
    type Event = Edition;

    fn add(&mut self, edition: Edition) {
        self.0.per_filter |= edition.per_filter;
        self.0.index_creation |= edition.index_creation;
    }

    fn report(&self, fields: &mut Fields) {
        fields.put("per_filter", self.0.per_filter, "Whether a filter chose the documents.");
        fields.put("index_creation", self.0.index_creation, "Whether there was no such index.");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletion {
    One,
    Batch,
    Filter,
    All,
}

#[derive(Debug, Default)]
pub(crate) struct DeletionTally([bool; 4]);

impl Tally for DeletionTally {
    type Event = Deletion;

    fn add(&mut self, deletion: Deletion) {
        self.0[deletion as usize] = true;
    }

    fn report(&self, fields: &mut Fields) {
        let [one, batch, filter, all] = self.0;
        fields.put("per_document_id", one, "Whether one was deleted by its id.");
        fields.put("per_batch", batch, "Whether a list of them was.");
        fields.put("per_filter", filter, "Whether those of a filter were.");
        fields.put("clear_all", all, "Whether all were.");
    }
}
