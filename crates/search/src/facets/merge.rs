//! Merges the values of an attribute over all segments, in order: equal values become one.

use std::ops::{ControlFlow, Range};

use segment::columns::Column;

use super::tally::Tally;
use crate::error::SearchError;

/// The location of a value: its tally and its ordinal there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ValueLocation {
    pub tally: usize,
    pub ordinal: u32,
}

/// A string that is shown.
#[derive(Debug)]
pub(super) struct Group {
    pub normal: String,
    pub count: u64,
    pub places: Vec<ValueLocation>,
}

/// A number, ordered by its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number(pub f64);

impl Number {
    /// Returns the shortest decimal text of the number, never with an exponent.
    pub fn text(self) -> String {
        // Adding zero removes the sign of a zero.
        (self.0 + 0.0).to_string()
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

/// Returns the least and the greatest number that counts.
pub(super) fn extremes(tallies: &mut [Tally<'_>]) -> Result<Option<(f64, f64)>, SearchError> {
    let mut extremes: Option<(f64, f64)> = None;
    for tally in tallies {
        let (Some((first, _)), Some(last)) =
            (tally.first(tally.numbers())?, tally.last(tally.numbers())?)
        else {
            continue;
        };
        let (least, greatest) = (tally.column.number(first)?, tally.column.number(last)?);
        let (min, max) = extremes.unwrap_or((least, greatest));
        extremes = Some((min.min(least), max.max(greatest)));
    }
    Ok(extremes)
}

/// Visits every number that counts, in order.
pub(super) fn numbers(
    tallies: &mut [Tally<'_>],
    mut each: impl FnMut(Number, u64) -> ControlFlow<()>,
) -> Result<(), SearchError> {
    let columns = columns(tallies);
    let key = |place: ValueLocation| Ok(Number(columns[place.tally].number(place.ordinal)?));
    in_order(tallies, Tally::numbers, key, |number, count, _| each(number, count))
}

/// Returns the first strings that count.
pub(super) fn first_strings(
    tallies: &mut [Tally<'_>],
    most: usize,
) -> Result<Vec<Group>, SearchError> {
    let mut groups = Vec::new();
    if most == 0 {
        return Ok(groups);
    }
    let columns = columns(tallies);
    let key = |place: ValueLocation| Ok(columns[place.tally].string(place.ordinal)?);
    in_order(tallies, Tally::strings, key, |normal, count, places| {
        groups.push(Group { normal, count, places: places.to_vec() });
        if groups.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(groups)
}

/// Visits the values that count, equal ones of several segments at once.
pub(super) fn in_order<'p, K: Ord>(
    tallies: &mut [Tally<'p>],
    range: fn(&Tally<'p>) -> Range<u32>,
    mut key: impl FnMut(ValueLocation) -> Result<K, SearchError>,
    mut each: impl FnMut(K, u64, &[ValueLocation]) -> ControlFlow<()>,
) -> Result<(), SearchError> {
    struct Head<K> {
        key: K,
        place: ValueLocation,
        count: u32,
    }
    let mut next = |tally: &mut Tally<'p>, number: usize, from: u32| {
        let end = range(tally).end;
        let Some((ordinal, count)) = tally.first(from..end)? else {
            return Ok(None);
        };
        let place = ValueLocation { tally: number, ordinal };
        Ok::<_, SearchError>(Some(Head { key: key(place)?, place, count }))
    };
    let mut heads = Vec::with_capacity(tallies.len());
    for (number, tally) in tallies.iter_mut().enumerate() {
        let from = range(tally).start;
        heads.extend(next(tally, number, from)?);
    }

    let mut places = Vec::with_capacity(heads.len());
    while let Some(least) = (0..heads.len()).min_by(|a, b| heads[*a].key.cmp(&heads[*b].key)) {
        places.clear();
        let mut count = 0;
        // The key is moved out of the least head; heads equal to it come after it.
        let mut at = least;
        let mut value = None;
        while at < heads.len() {
            let is_equal = value.as_ref().is_none_or(|value| heads[at].key == *value);
            if !is_equal {
                at += 1;
                continue;
            }
            let ValueLocation { tally, ordinal } = heads[at].place;
            places.push(heads[at].place);
            count += u64::from(heads[at].count);
            match next(&mut tallies[tally], tally, ordinal + 1)? {
                Some(head) => {
                    let old = std::mem::replace(&mut heads[at], head);
                    value.get_or_insert(old.key);
                    at += 1;
                }
                None => {
                    let old = heads.remove(at);
                    value.get_or_insert(old.key);
                }
            }
        }
        if let Some(value) = value
            && each(value, count, &places).is_break()
        {
            break;
        }
    }
    Ok(())
}

fn columns<'p>(tallies: &[Tally<'p>]) -> Vec<&'p Column> {
    tallies.iter().map(|tally| tally.column).collect()
}
