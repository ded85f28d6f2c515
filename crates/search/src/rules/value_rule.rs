//! `<attribute>:asc` and `<attribute>:desc`: walks the values of an attribute in order, through all
//! segments at once, each with its documents.
//!
//! Values are walked as long as that finds documents; once it took more work than reading the
//! documents themselves, the rule lists these by value instead. So a few hits of a million cost a
//! few values, and a small set costs its own size.

use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use filter::Order;
use roaring::RoaringBitmap;

use super::value_source::{SortedValue, ValueSource};
use super::{Bucket, Rule, direction, remove_bucket};
use crate::attributes::is_displayed;
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::score::Score;

/// Cost of reading a value, in listed documents.
const COST_OF_VALUE: u64 = 16;
/// Number of a value's documents that are read in the time of listing one.
const READ_PER_LISTED: u64 = 8;

pub(crate) struct ValueRule<'s> {
    /// `None`: the attribute is not displayed.
    name: Option<Arc<str>>,
    order: Order,
    paths: Rc<Vec<Path>>,
    /// Segments with the attribute and remaining values.
    sources: Vec<ValueSource<'s>>,
    remaining: RoaringBitmap,
    /// Work spent on values, in listed documents.
    spent: u64,
    is_listed: bool,
    with_values: bool,
}

impl<'s> ValueRule<'s> {
    pub fn new(
        context: &Context<'s>,
        attribute: &str,
        order: Order,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
        with_values: bool,
    ) -> Result<Self, SearchError> {
        let mut sources = Vec::new();
        for view in &context.segments {
            if let Some(column) = view.segment.column(attribute)? {
                sources.push(ValueSource::new(column, view.deleted, order));
            }
        }
        let is_displayed = is_displayed(context.settings, attribute);
        Ok(Self {
            name: is_displayed.then(|| format!("{attribute}:{}", direction(order)).into()),
            order,
            paths,
            sources,
            remaining: universe,
            spent: 0,
            is_listed: false,
            with_values,
        })
    }

    /// Returns the next value and its documents; `None` if no remaining document has a value.
    fn next_value(
        &mut self,
        context: &Context<'_>,
    ) -> Result<Option<(SortedValue, RoaringBitmap)>, SearchError> {
        loop {
            if !self.is_listed && self.is_listing_cheaper()? && !self.list(context)? {
                return Ok(None);
            }
            self.sources.retain(|source| !source.is_done());
            let Some(first) = self.first()? else {
                return Ok(None);
            };
            let (value, documents) = self.take(first)?;
            if !documents.is_empty() {
                return Ok(Some((value, documents)));
            }
        }
    }

    fn is_listing_cheaper(&self) -> Result<bool, SearchError> {
        let mut next = 0;
        for source in &self.sources {
            next += COST_OF_VALUE + source.next_count()? / READ_PER_LISTED;
        }
        Ok(self.spent + next > self.remaining.len())
    }

    /// Lists documents by value; false if the time is over.
    fn list(&mut self, context: &Context<'_>) -> Result<bool, SearchError> {
        self.is_listed = true;
        for source in &mut self.sources {
            if !source.list(context, &self.remaining)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the index of the source whose next value comes first.
    fn first(&mut self) -> Result<Option<usize>, SearchError> {
        // Values are only read if there is something to compare them with.
        if self.sources.len() > 1 {
            for source in &mut self.sources {
                source.read_value()?;
            }
        }
        let mut first: Option<usize> = None;
        for (number, source) in self.sources.iter().enumerate() {
            let is_before = |other: usize| {
                let other = self.sources[other].value();
                compare(source.value(), other, self.order) == Ordering::Less
            };
            if first.is_none_or(is_before) {
                first = Some(number);
            }
        }
        Ok(first)
    }

    /// Takes a value from every source that has it next.
    fn take(&mut self, first: usize) -> Result<(SortedValue, RoaringBitmap), SearchError> {
        if self.with_values {
            self.sources[first].read_value()?;
        }
        let value = self.sources[first].value().clone();
        let has_one = self.sources.len() == 1;
        let mut documents = RoaringBitmap::new();
        for source in &mut self.sources {
            if has_one || *source.value() == value {
                self.spent += COST_OF_VALUE + source.next_count()? / READ_PER_LISTED;
                let of_source = source.take(&self.remaining)?;
                if documents.is_empty() {
                    documents = of_source;
                } else {
                    documents |= of_source;
                }
            }
        }
        Ok((value, documents))
    }
}

/// Compares numbers before strings; the direction reverses each kind.
fn compare(a: &SortedValue, b: &SortedValue, order: Order) -> Ordering {
    let ascending = match (a, b) {
        (SortedValue::Number(a), SortedValue::Number(b)) => a.total_cmp(b),
        (SortedValue::String(a), SortedValue::String(b)) => a.cmp(b),
        (SortedValue::Number(_), _) => return Ordering::Less,
        (_, SortedValue::Number(_)) => return Ordering::Greater,
        _ => Ordering::Equal,
    };
    match order {
        Order::Asc => ascending,
        Order::Desc => ascending.reverse(),
    }
}

impl Rule for ValueRule<'_> {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        if self.remaining.is_empty() {
            return Ok(None);
        }
        let (value, documents) = match self.next_value(context)? {
            Some((value, documents)) => {
                remove_bucket(&mut self.remaining, &documents);
                (value, documents)
            }
            None if context.is_late() => return Ok(None),
            None => (SortedValue::Nothing, std::mem::take(&mut self.remaining)),
        };
        let score =
            Score::Value { name: self.name.clone(), order: self.order, value: value.into_json() };
        Ok(Some(Bucket { documents, paths: Rc::clone(&self.paths), score }))
    }

    fn forget(&mut self, documents: &RoaringBitmap) {
        self.remaining -= documents;
    }
}
