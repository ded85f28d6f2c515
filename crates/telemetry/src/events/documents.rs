//! Writing documents: added, updated, edited, deleted.

use super::Names;
use crate::entry::Tally;
use crate::sheet::Sheet;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addition {
    /// The Content-Type, also one that is refused.
    pub payload_type: Option<Box<str>>,
    /// The name of the field, where the request says one.
    pub primary_key: Option<Box<str>>,
    /// There is no such index yet.
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

    fn tell(&self, sheet: &mut Sheet) {
        sheet.put(
            "payload_type",
            &self.payload_types,
            "The different values of `Content-Type`, also those that were refused.",
        );
        sheet.put(
            "primary_key",
            &self.primary_keys,
            "The different names of primary keys that requests set.",
        );
        sheet.put("index_creation", self.index_creation, "Whether an index was made by that.");
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

    fn tell(&self, sheet: &mut Sheet) {
        sheet.put("per_filter", self.0.per_filter, "Whether a filter chose the documents.");
        sheet.put("index_creation", self.0.index_creation, "Whether there was no such index.");
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

    fn tell(&self, sheet: &mut Sheet) {
        let [one, batch, filter, all] = self.0;
        sheet.put("per_document_id", one, "Whether one was deleted by its id.");
        sheet.put("per_batch", batch, "Whether a list of them was.");
        sheet.put("per_filter", filter, "Whether those of a filter were.");
        sheet.put("clear_all", all, "Whether all were.");
    }
}
