//! The values of an attribute in one segment, in sort order.
//!
//! A segment numbers its values: numbers first, then strings, both ascending. The *place* of a
//! value is its index in the sort. In descending order each kind is reversed by itself, so that the
//! same function converts places to ordinals and back.

use filter::Order;
use roaring::RoaringBitmap;
use segment::DocId;
use segment::columns::Column;
use serde_json::Value;
use std::rc::Rc;

use crate::context::Context;
use crate::error::SearchError;
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum SortedValue {
    Number(f64),
    /// A string in its normal form.
    String(Rc<str>),
    /// No value, or one that was not read.
    Nothing,
}

impl SortedValue {
    pub fn into_json(self) -> Value {
        match self {
            Self::Number(number) => number.into(),
            Self::String(text) => (*text).into(),
            Self::Nothing => Value::Null,
        }
    }
}

pub(super) struct ValueSource<'s> {
    column: &'s Column,
    deleted: &'s RoaringBitmap,
    order: Order,
    ahead: ValueQueue,
    /// The next value, once it was read.
    value: SortedValue,
}

/// The values to come.
enum ValueQueue {
    /// All values from this place on.
    Values(u32),
    /// These documents with the places of their values, the next one last.
    Documents(Vec<(u32, DocId)>),
}

impl<'s> ValueSource<'s> {
    pub fn new(column: &'s Column, deleted: &'s RoaringBitmap, order: Order) -> Self {
        Self { column, deleted, order, ahead: ValueQueue::Values(0), value: SortedValue::Nothing }
    }

    pub fn is_done(&self) -> bool {
        self.next_place().is_none()
    }

    fn next_place(&self) -> Option<u32> {
        match &self.ahead {
            ValueQueue::Values(place) => (*place < self.column.value_count()).then_some(*place),
            ValueQueue::Documents(documents) => documents.last().map(|(place, _)| *place),
        }
    }

    /// Converts a place to an ordinal, and back.
    fn turn(&self, number: u32) -> u32 {
        let (numbers, all) = (self.column.number_count(), self.column.value_count());
        match self.order {
            Order::Asc => number,
            Order::Desc if number < numbers => numbers - 1 - number,
            // A damaged file may have numbers beyond the last.
            Order::Desc => all.saturating_sub(number - numbers).saturating_sub(1),
        }
    }

    /// Returns the number of documents of the next value.
    pub fn next_count(&self) -> Result<u64, SearchError> {
        match self.next_place() {
            Some(place) => Ok(u64::from(self.column.document_count(self.turn(place))?)),
            None => Ok(0),
        }
    }

    /// Returns the next value, if it was read.
    pub fn value(&self) -> &SortedValue {
        &self.value
    }

    pub fn read_value(&mut self) -> Result<(), SearchError> {
        if self.value == SortedValue::Nothing
            && let Some(place) = self.next_place()
        {
            let ordinal = self.turn(place);
            self.value = if ordinal < self.column.number_count() {
                SortedValue::Number(self.column.number(ordinal)?)
            } else {
                SortedValue::String(self.column.string(ordinal)?.into())
            };
        }
        Ok(())
    }

    /// Returns the remaining documents of the next value.
    pub fn take(&mut self, remaining: &RoaringBitmap) -> Result<RoaringBitmap, SearchError> {
        let Some(place) = self.next_place() else {
            return Ok(RoaringBitmap::new());
        };
        self.value = SortedValue::Nothing;
        let ordinal = self.turn(place);
        match &mut self.ahead {
            ValueQueue::Values(next) => {
                *next += 1;
                let mut documents = self.column.documents_of(ordinal)?;
                if !self.deleted.is_empty() {
                    documents -= self.deleted;
                }
                documents &= remaining;
                Ok(documents)
            }
            ValueQueue::Documents(documents) => {
                let start = documents.partition_point(|(other, _)| *other > place);
                let of_place = documents.drain(start..).rev().map(|(_, doc_id)| doc_id);
                Ok(of_place.filter(|doc_id| remaining.contains(*doc_id)).collect())
            }
        }
    }

    /// Switches to listing the remaining documents by value; false if the time for ranking is over.
    pub fn list(
        &mut self,
        context: &Context<'_>,
        remaining: &RoaringBitmap,
    ) -> Result<bool, SearchError> {
        let mut here = remaining & self.column.exists();
        if !self.deleted.is_empty() {
            here -= self.deleted;
        }
        let mut listed = Vec::with_capacity(here.len() as usize);
        let mut cursor = self.column.values();
        for (count, doc_id) in here.iter().enumerate() {
            if count % DOCUMENTS_BETWEEN_CHECKS == DOCUMENTS_BETWEEN_CHECKS - 1 {
                context.check_cancelled()?;
                if context.is_late() {
                    return Ok(false);
                }
            }
            let best = cursor.seek(doc_id)?.map(|ordinal| self.turn(ordinal)).min();
            listed.extend(best.map(|place| (place, doc_id)));
        }
        listed.sort_unstable_by(|a, b| b.cmp(a));
        self.ahead = ValueQueue::Documents(listed);
        self.value = SortedValue::Nothing;
        Ok(true)
    }
}
