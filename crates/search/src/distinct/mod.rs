//! At most one document per value of an attribute. Documents come in their final order; one is kept
//! unless it shares a value with one kept before. Documents without a value are always kept.

mod contenders;
mod table;

use std::hash::{Hash, Hasher};
use std::ops::Bound;

use roaring::RoaringBitmap;
use segment::DocId;
use segment::columns::{Column, ValueCursor};
use serde::{Deserialize, Serialize};
use settings::{FilterFeatures, Settings};

use self::table::first_of_each;
use crate::attributes::listed;
use crate::context::Context;
use crate::error::SearchError;
use crate::exact;

pub use self::contenders::{Contenders, choose};

/// Merging this many values takes as long as looking up one in every segment.
const WORTH_A_TABLE: u64 = 4;

/// Documents processed between two checks for cancellation.
const DOCUMENTS_AT_A_TIME: usize = 4096;

/// Returns the distinct attribute of the request, or else of the settings.
pub(crate) fn attribute<'q>(
    settings: &'q Settings,
    requested: Option<&'q str>,
) -> Result<Option<&'q str>, SearchError> {
    let Some(requested) = requested else {
        return Ok(settings.distinct_attribute.as_deref());
    };
    match settings.filterable_rule(requested) {
        Some((_, rule)) if rule.features().filters() => Ok(Some(requested)),
        rule => Err(not_filterable(settings, requested, rule.map(|(place, _)| place))),
    }
}

fn not_filterable(settings: &Settings, name: &str, rule: Option<usize>) -> SearchError {
    let patterns = settings.filterable_patterns(FilterFeatures::filters);
    let hint = match rule {
        Some(rule) => format!(
            "Note: this attribute matches rule #{rule} in filterableAttributes, but this rule does \
             not enable filtering.\nHint: enable filtering in rule #{rule} by adding appropriate \
             filter features.\nHint: prepend another rule matching {name} with filter features \
             before rule #{rule}"
        ),
        None if patterns.is_empty() => {
            "This index does not have configured filterable attributes.".to_owned()
        }
        None => {
            let available = listed(settings, patterns.into_iter());
            format!("Available filterable attributes patterns are: `{available}`.")
        }
    };
    SearchError::NotFilterableDistinct(format!(
        "Attribute `{name}` is not filterable and thus, cannot be used as distinct attribute. \
         {hint}"
    ))
}

pub(crate) struct Distinct<'s> {
    /// The segments that have the attribute.
    segments: Vec<SeenValues<'s>>,
    kept: RoaringBitmap,
    /// All documents with a value of a kept document, except for new values.
    with_seen_value: RoaringBitmap,
}

/// The values that were seen, by their numbers in one segment.
struct SeenValues<'s> {
    column: &'s Column,
    deleted: &'s RoaringBitmap,
    cursor: ValueCursor<'s>,
    seen: Vec<u64>,
    /// Seen values whose documents were not read yet.
    new: Vec<u32>,
}

/// A value in normal form, comparable across segments and indexes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DistinctValue {
    Number(#[serde(with = "exact::number")] f64),
    /// The normal form of a text.
    Text(String),
}

impl PartialEq for DistinctValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => left == right,
            (Self::Text(left), Self::Text(right)) => left == right,
            _ => false,
        }
    }
}

// Values are finite numbers.
impl Eq for DistinctValue {}

impl Hash for DistinctValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            // 0.0 and -0.0 are equal.
            Self::Number(number) => (number + 0.0).to_bits().hash(state),
            Self::Text(text) => text.hash(state),
        }
    }
}

impl<'s> Distinct<'s> {
    pub fn new(context: &Context<'s>, attribute: &str) -> Result<Self, SearchError> {
        let mut segments = Vec::new();
        for view in &context.segments {
            if let Some(column) = view.segment.column(attribute)? {
                segments.push(SeenValues {
                    column,
                    deleted: view.deleted,
                    cursor: column.values(),
                    seen: vec![0; (column.value_count() as usize).div_ceil(64)],
                    new: Vec::new(),
                });
            }
        }
        let (kept, with_seen_value) = Default::default();
        Ok(Self { segments, kept, with_seen_value })
    }

    /// Returns whether to keep the next document.
    pub fn keep(&mut self, doc_id: DocId) -> Result<bool, SearchError> {
        let home = self.segments.iter().position(|segment| segment.has(doc_id));
        if let Some(home) = home {
            let segment = &mut self.segments[home];
            let values = segment.cursor.seek(doc_id)?;
            if values.clone().any(|ordinal| segment.is_seen(ordinal)) {
                return Ok(false);
            }
            for ordinal in values {
                self.see(home, ordinal)?;
            }
        }
        self.kept.insert(doc_id);
        Ok(true)
    }

    fn see(&mut self, home: usize, ordinal: u32) -> Result<(), SearchError> {
        self.segments[home].see(ordinal);
        if self.segments.len() == 1 {
            return Ok(());
        }
        let value = self.segments[home].value(ordinal)?;
        for (number, segment) in self.segments.iter_mut().enumerate() {
            if number != home
                && let Some(ordinal) = segment.find(&value)?
            {
                segment.see(ordinal);
            }
        }
        Ok(())
    }

    /// Returns the distinct values of a document, for comparison with other indexes.
    pub fn values(&mut self, doc_id: DocId) -> Result<Vec<DistinctValue>, SearchError> {
        let Some(home) = self.segments.iter_mut().find(|segment| segment.has(doc_id)) else {
            return Ok(Vec::new());
        };
        let values = home.cursor.seek(doc_id)?;
        values.map(|ordinal| home.value(ordinal)).collect()
    }

    /// Marks a value as seen, because a document of another index has it.
    pub fn see_value(&mut self, value: &DistinctValue) -> Result<(), SearchError> {
        for segment in &mut self.segments {
            if let Some(ordinal) = segment.find(value)? {
                segment.see(ordinal);
            }
        }
        Ok(())
    }

    /// Marks documents with seen values as kept.
    pub fn hold(&mut self, documents: &RoaringBitmap) {
        self.kept |= documents;
    }

    /// Returns every document with a value of a kept document: the kept ones, and those that can no
    /// longer be kept.
    pub fn with_seen_value(&mut self) -> Result<&RoaringBitmap, SearchError> {
        for segment in &mut self.segments {
            if !segment.new.is_empty() {
                let mut documents = segment.column.documents_of_many(&segment.new)?;
                documents -= segment.deleted;
                self.with_seen_value |= documents;
                segment.new.clear();
            }
        }
        Ok(&self.with_seen_value)
    }

    /// Removes duplicates from the candidates: the known ones or, if `all` is set, all of them, so
    /// that the first document of each value remains.
    pub fn apply(
        mut self,
        context: &Context<'_>,
        mut candidates: RoaringBitmap,
        all: bool,
    ) -> Result<RoaringBitmap, SearchError> {
        candidates -= self.with_seen_value()?;
        if !all {
            return Ok(candidates | self.kept);
        }
        candidates -= &self.kept;
        if candidates.len() * WORTH_A_TABLE > self.value_count() {
            let columns = self.segments.iter().map(|segment| (segment.column, segment.deleted));
            return Ok(
                first_of_each(context, &columns.collect::<Vec<_>>(), &candidates)? | self.kept
            );
        }
        for (number, doc_id) in candidates.iter().enumerate() {
            if number.is_multiple_of(DOCUMENTS_AT_A_TIME) {
                context.check_cancelled()?;
            }
            self.keep(doc_id)?;
        }
        Ok(self.kept)
    }

    fn value_count(&self) -> u64 {
        self.segments.iter().map(|segment| u64::from(segment.column.value_count())).sum()
    }
}

impl SeenValues<'_> {
    fn has(&self, doc_id: DocId) -> bool {
        self.column.exists().contains(doc_id) && !self.deleted.contains(doc_id)
    }

    fn is_seen(&self, ordinal: u32) -> bool {
        let bits = self.seen.get(ordinal as usize / 64);
        bits.is_some_and(|bits| bits >> (ordinal % 64) & 1 != 0)
    }

    fn see(&mut self, ordinal: u32) {
        // A damaged file may lack them.
        if let Some(bits) = self.seen.get_mut(ordinal as usize / 64) {
            *bits |= 1 << (ordinal % 64);
            self.new.push(ordinal);
        }
    }

    fn value(&self, ordinal: u32) -> Result<DistinctValue, SearchError> {
        Ok(if ordinal < self.column.number_count() {
            DistinctValue::Number(self.column.number(ordinal)?)
        } else {
            DistinctValue::Text(self.column.string(ordinal)?)
        })
    }

    fn find(&self, value: &DistinctValue) -> Result<Option<u32>, SearchError> {
        Ok(match value {
            DistinctValue::Number(number) => {
                let (from, to) = (Bound::Included(*number), Bound::Included(*number));
                self.column.numbers_between(from, to)?.next()
            }
            DistinctValue::Text(text) => self.column.string_ordinal(text.as_bytes())?,
        })
    }
}

#[cfg(test)]
mod tests;
