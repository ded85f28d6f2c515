//! The values of the requested attributes, each with the number of candidates that have it.

use std::collections::HashMap;
use std::ops::ControlFlow;

use index::Snapshot;
use model::Cancel;
use roaring::RoaringBitmap;
use settings::FacetOrder;

use super::found::FacetDisplay;
use super::frequent::{Frequent, frequent_strings};
use super::merge::{Number, extremes, first_strings, numbers};
use super::patterns::{check, selected};
use super::spelling::{Speller, spelled};
use super::tally::{ReadHint, Tally, parts, tallies};
use crate::error::SearchError;

/// Up to this many candidates, numbers are sorted as text under alphabetical order, as clients of
/// the reference expect.
pub(super) const NUMBERS_AS_TEXT: u64 = 3000;

/// Attributes in byte order.
#[derive(Debug, Default, PartialEq)]
pub struct Facets {
    /// The values of each attribute as they are shown, and how many documents have them.
    pub distribution: Vec<(String, Vec<(String, u64)>)>,
    /// The least and the greatest number of each attribute that has numbers.
    pub stats: Vec<(String, (f64, f64))>,
}

/// Counts the values of all attributes that the patterns select. An attribute that some document
/// once had is included, even without values. It is cancelled when the client has gone away.
pub fn distribution(
    snapshot: &Snapshot,
    candidates: &RoaringBitmap,
    patterns: &[String],
    cancel: &Cancel,
) -> Result<Facets, SearchError> {
    counted(snapshot, candidates, patterns, None, cancel)
}

/// Like `distribution`, with all values: one part of what several instances count.
pub fn complete_distribution(
    snapshot: &Snapshot,
    candidates: &RoaringBitmap,
    patterns: &[String],
    cancel: &Cancel,
) -> Result<Facets, SearchError> {
    counted(snapshot, candidates, patterns, Some(usize::MAX), cancel)
}

/// Counts the selected attributes; `most` overrides the maximum number of values of the settings.
fn counted(
    snapshot: &Snapshot,
    candidates: &RoaringBitmap,
    patterns: &[String],
    most: Option<usize>,
    cancel: &Cancel,
) -> Result<Facets, SearchError> {
    check(snapshot, patterns)?;
    let parts = parts(snapshot, candidates);
    let mut facets = Facets::default();
    for attribute in selected(snapshot, patterns) {
        cancel.check()?;
        let facet = Facet::new(snapshot, candidates, attribute, most);
        let mut tallies = tallies(&parts, attribute, facet.read_hint())?;
        facets.distribution.push((attribute.to_owned(), facet.values(&mut tallies)?));
        let stats = extremes(&mut tallies)?.map(|extremes| (attribute.to_owned(), extremes));
        facets.stats.extend(stats);
    }
    Ok(facets)
}

/// Returns the most frequent values among the candidates, at most `most` for each filterable
/// attribute.
pub fn frequent(
    snapshot: &Snapshot,
    candidates: &RoaringBitmap,
    most: usize,
    cancel: &Cancel,
) -> Result<Vec<(String, Vec<String>)>, SearchError> {
    let parts = parts(snapshot, candidates);
    let mut found = Vec::new();
    for attribute in selected(snapshot, &["*".to_owned()]) {
        cancel.check()?;
        let facet = Facet { snapshot, attribute, order: Order::Count, most };
        let mut tallies = tallies(&parts, attribute, facet.read_hint())?;
        let values = facet.values(&mut tallies)?.into_iter().map(|(value, _)| value).collect();
        found.push((attribute.to_owned(), values));
    }
    Ok(found)
}

/// The state of counting one attribute.
struct Facet<'s> {
    snapshot: &'s Snapshot,
    attribute: &'s str,
    order: Order,
    most: usize,
}

enum Order {
    Count,
    Value,
    /// Alphabetical, with numbers as text.
    Text,
}

impl<'s> Facet<'s> {
    fn new(
        snapshot: &'s Snapshot,
        candidates: &RoaringBitmap,
        attribute: &'s str,
        most: Option<usize>,
    ) -> Self {
        let shown = FacetDisplay::of(snapshot, attribute);
        let order = match shown.order {
            FacetOrder::Count => Order::Count,
            FacetOrder::Alpha if candidates.len() > NUMBERS_AS_TEXT => Order::Value,
            FacetOrder::Alpha => Order::Text,
        };
        Self { snapshot, attribute, order, most: most.unwrap_or(shown.most) }
    }

    fn read_hint(&self) -> ReadHint {
        match self.order {
            Order::Value => ReadHint::First(self.most),
            Order::Count | Order::Text => ReadHint::All,
        }
    }

    /// Returns the values, numbers first. A string that is spelled like a number replaces it: the
    /// answer is an object, in which names are unique.
    fn values(&self, tallies: &mut [Tally<'_>]) -> Result<Vec<(String, u64)>, SearchError> {
        let mut values = self.numbers(tallies)?;
        let left = self.most - values.len();
        let groups = match self.order {
            Order::Count => frequent_strings(tallies, left)?,
            Order::Value | Order::Text => first_strings(tallies, left)?,
        };
        let numbers = values.len();
        let strings = spelled(self.snapshot, self.attribute, tallies, groups, Speller::Counted)?;
        let places: HashMap<String, usize> = if strings.is_empty() {
            HashMap::new()
        } else {
            (0..numbers).map(|place| (values[place].0.clone(), place)).collect()
        };
        for (string, count) in strings {
            match places.get(&string) {
                Some(&place) => values[place].1 = count,
                None => values.push((string, count)),
            }
        }
        Ok(values)
    }

    fn numbers(&self, tallies: &mut [Tally<'_>]) -> Result<Vec<(String, u64)>, SearchError> {
        let mut values = Vec::new();
        if self.most == 0 {
            return Ok(values);
        }
        match self.order {
            Order::Value => numbers(tallies, |number, count| {
                values.push((number.text(), count));
                if values.len() < self.most {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })?,
            Order::Text => {
                numbers(tallies, |number, count| {
                    values.push((number.text(), count));
                    ControlFlow::Continue(())
                })?;
                values.sort_unstable();
                values.truncate(self.most);
            }
            Order::Count => {
                let mut frequent = Frequent::new(self.most);
                numbers(tallies, |number, count| {
                    frequent.offer(count, number, || ());
                    ControlFlow::Continue(())
                })?;
                let shown = |(count, number, ()): (u64, Number, ())| (number.text(), count);
                values.extend(frequent.into_sorted().map(shown));
            }
        }
        Ok(values)
    }
}
