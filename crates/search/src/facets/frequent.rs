//! The most frequent values. Only as many as are shown are kept; values whose counts in single
//! segments rule them out are skipped.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use fst::Streamer;
use fst::raw::Stream;
use hashbrown::HashSet;
use segment::columns::Column;

use super::merge::{Group, ValueLocation, in_order};
use super::tally::Tally;
use crate::error::SearchError;

/// Looking a string up in one segment costs about as much as iterating over this many.
const LOOKUP_COST: usize = 4;

/// Counts below this are distinguished when choosing which strings to look up.
const SMALL_COUNTS: usize = 256;

/// Returns the strings of the most documents; of equally frequent ones, the last.
pub(super) fn frequent_strings(
    tallies: &mut [Tally<'_>],
    most: usize,
) -> Result<Vec<Group>, SearchError> {
    if most == 0 {
        return Ok(Vec::new());
    }
    if let [tally] = tallies {
        let frequent = frequent_in(tally, most)?;
        let group = |(count, ordinal): (u32, u32)| {
            let places = vec![ValueLocation { tally: 0, ordinal }];
            Ok(Group { normal: tally.column.string(ordinal)?, count: u64::from(count), places })
        };
        return frequent.into_iter().map(group).collect();
    }

    for tally in tallies.iter_mut() {
        tally.gather()?;
    }
    let mut frequent = Frequent::new(most);
    let in_a_row = |tally: &Tally<'_>| match tally.few_values() {
        Some(few) => few * LOOKUP_COST,
        None => tally.strings().len(),
    };
    let all: usize = tallies.iter().map(in_a_row).sum();
    let is_quicker = |lookups: usize, segments: usize| {
        lookups.saturating_mul(LOOKUP_COST * (segments + 1)) < all
    };
    if is_quicker(most.saturating_mul(2 * tallies.len()), tallies.len()) {
        let needed = needed_somewhere(tallies, most)?;
        let likely = likely_places(tallies, &needed)?;
        if is_quicker(likely.len(), tallies.len()) {
            for place in likely {
                offer_looked_up(tallies, place, &needed, &mut frequent)?;
            }
            return Ok(frequent.into_groups());
        }
    }
    let mut strings: Vec<Strings<'_>> = tallies.iter().map(Strings::new).collect();
    let key = |place: ValueLocation| strings[place.tally].get(place.ordinal);
    in_order(tallies, Tally::strings, key, |normal, count, places| {
        frequent.offer(count, normal, || places.to_vec());
        ControlFlow::Continue(())
    })?;
    Ok(frequent.into_groups())
}

/// Returns the most frequent strings of one segment, as counts and ordinals. Ordinals are in the
/// order of the strings, so these need not be read.
fn frequent_in(tally: &mut Tally<'_>, most: usize) -> Result<Vec<(u32, u32)>, SearchError> {
    let mut frequent = Frequent::new(most);
    each_counted(tally, |ordinal, count| frequent.offer(u64::from(count), ordinal, || ()))?;
    Ok(frequent.into_sorted().map(|(count, ordinal, ())| (count as u32, ordinal)).collect())
}

/// Returns the minimum counts, by segment, of which a most frequent string must reach at least one.
/// The sum of a string that reaches none of them is known to be exceeded by others.
fn needed_somewhere(tallies: &mut [Tally<'_>], most: usize) -> Result<Vec<u32>, SearchError> {
    let mut needed = vec![1; tallies.len()];
    // The most frequent strings of single segments need not be those of all segments, but the
    // latter are at least as frequent.
    let mut known = Frequent::new(most);
    let mut seen = HashSet::new();
    for number in 0..tallies.len() {
        for (_, ordinal) in frequent_in(&mut tallies[number], most)? {
            let (normal, total, _) = looked_up(tallies, ValueLocation { tally: number, ordinal })?;
            if seen.insert(normal.clone()) {
                known.offer(total, normal, || ());
            }
        }
    }
    let Some(reached) = known.least_when_full() else {
        return Ok(needed);
    };

    let mut strings_by_count = Vec::with_capacity(tallies.len());
    for tally in tallies.iter_mut() {
        let mut strings = [0_u32; SMALL_COUNTS];
        each_counted(tally, |_, count| {
            if let Some(strings) = strings.get_mut(count as usize) {
                *strings += 1;
            }
        })?;
        strings_by_count.push(strings);
    }
    // The counts below all minimums may add up to one less than the threshold. They are assigned
    // where that excludes most strings.
    let mut spare = reached.saturating_sub(1);
    let saved = |needed: &[u32], number: usize| {
        strings_by_count[number].get(needed[number] as usize).copied().unwrap_or(0)
    };
    while spare > 0
        && let Some(best) = (0..needed.len()).max_by_key(|number| saved(&needed, *number))
        && saved(&needed, best) > 0
    {
        needed[best] += 1;
        spare -= 1;
    }
    let each = (spare / needed.len() as u64) as u32;
    needed.iter_mut().for_each(|needed| *needed += each);
    Ok(needed)
}

/// Returns every string that reaches the minimum count of its segment.
fn likely_places(
    tallies: &mut [Tally<'_>],
    needed: &[u32],
) -> Result<Vec<ValueLocation>, SearchError> {
    let mut places = Vec::new();
    for (number, (tally, needed)) in tallies.iter_mut().zip(needed).enumerate() {
        each_counted(tally, |ordinal, count| {
            if count >= *needed {
                places.push(ValueLocation { tally: number, ordinal });
            }
        })?;
    }
    Ok(places)
}

/// Offers a likely string, unless an earlier segment already did.
fn offer_looked_up(
    tallies: &mut [Tally<'_>],
    place: ValueLocation,
    needed: &[u32],
    frequent: &mut Frequent<String, Vec<ValueLocation>>,
) -> Result<(), SearchError> {
    let (normal, total, places) = looked_up(tallies, place)?;
    for earlier in places.iter().take_while(|earlier| earlier.tally < place.tally) {
        if tallies[earlier.tally].count(earlier.ordinal)? >= needed[earlier.tally] {
            return Ok(());
        }
    }
    frequent.offer(total, normal, || places);
    Ok(())
}

/// Looks a string up in all segments: its total count and its locations.
fn looked_up(
    tallies: &mut [Tally<'_>],
    place: ValueLocation,
) -> Result<(String, u64, Vec<ValueLocation>), SearchError> {
    let normal = tallies[place.tally].column.string(place.ordinal)?;
    let mut total = 0;
    let mut places = Vec::new();
    for (number, tally) in tallies.iter_mut().enumerate() {
        if let Some(ordinal) = tally.column.string_ordinal(normal.as_bytes())? {
            let count = tally.count(ordinal)?;
            if count > 0 {
                total += u64::from(count);
                places.push(ValueLocation { tally: number, ordinal });
            }
        }
    }
    Ok((normal, total, places))
}

fn each_counted(tally: &mut Tally<'_>, mut each: impl FnMut(u32, u32)) -> Result<(), SearchError> {
    let mut rest = tally.strings();
    while let Some((ordinal, count)) = tally.first(rest.clone())? {
        each(ordinal, count);
        rest.start = ordinal + 1;
    }
    Ok(())
}

/// Reads strings of a column by ascending ordinals.
struct Strings<'p> {
    column: &'p Column,
    /// For reading most strings: all of them, sequentially.
    stream: Option<Stream<'p>>,
}

impl<'p> Strings<'p> {
    fn new(tally: &Tally<'p>) -> Self {
        let column = tally.column;
        let dictionary = column.dictionary().filter(|_| tally.is_dense());
        Self { column, stream: dictionary.map(|dictionary| dictionary.stream()) }
    }

    fn get(&mut self, ordinal: u32) -> Result<String, SearchError> {
        let Some(stream) = &mut self.stream else {
            return Ok(self.column.string(ordinal)?);
        };
        let wanted = u64::from(ordinal - self.column.number_count());
        while let Some((normal, place)) = stream.next() {
            if place.value() == wanted {
                return Ok(String::from_utf8_lossy(normal).into_owned());
            }
        }
        // Missing; the column reports the error.
        Ok(self.column.string(ordinal)?)
    }
}

/// Keeps the most frequent of the offered items; of equally frequent ones, the greatest.
pub(super) struct Frequent<K, T> {
    most: usize,
    heap: BinaryHeap<Reverse<(u64, K, T)>>,
}

impl<K: Ord, T: Ord> Frequent<K, T> {
    pub fn new(most: usize) -> Self {
        Self { most, heap: BinaryHeap::new() }
    }

    /// Returns whether an item offered now would be kept.
    pub fn keeps<Q: Ord + ?Sized>(&self, count: u64, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        let least = self.heap.peek();
        self.heap.len() < self.most
            || least.is_some_and(|Reverse(least)| (count, key) > (least.0, least.1.borrow()))
    }

    /// Offers an item; each key is offered once.
    pub fn offer(&mut self, count: u64, key: K, value: impl FnOnce() -> T) {
        if self.heap.len() < self.most {
            self.heap.push(Reverse((count, key, value())));
        } else if self.keeps(count, &key)
            && let Some(mut least) = self.heap.peek_mut()
        {
            *least = Reverse((count, key, value()));
        }
    }

    /// Returns the least kept count once the limit is reached.
    fn least_when_full(&self) -> Option<u64> {
        let least = self.heap.peek().filter(|_| self.heap.len() == self.most);
        least.map(|Reverse(least)| least.0)
    }

    pub fn into_sorted(self) -> impl Iterator<Item = (u64, K, T)> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(kept)| kept)
    }
}

impl Frequent<String, Vec<ValueLocation>> {
    pub fn into_groups(self) -> Vec<Group> {
        let group = |(count, normal, places)| Group { normal, count, places };
        self.into_sorted().map(group).collect()
    }
}
