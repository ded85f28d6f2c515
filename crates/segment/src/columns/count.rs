//! Counts the documents of a set that have each value: the hot loop of facets.

use std::ops::RangeInclusive;

use roaring::RoaringBitmap;

use super::column::Column;
use super::cursor::Places;
use super::ordinals::Ordinals;
use crate::DocId;
use crate::encoding::offsets::{BLOCK, Offsets};
use crate::error::{Result, SegmentError};

/// Documents taken from a set at a time.
const DOCUMENTS: usize = 1024;
/// Documents that can be counted in the time of reading the length of a list.
const DOCUMENTS_PER_LENGTH: u64 = 16;

impl Column {
    /// Adds 1 to the count of every value, by ordinal, for every document of the universe that has
    /// it. `counts` must have an entry for each value.
    pub fn count_values(&self, universe: &RoaringBitmap, counts: &mut [u32]) -> Result<()> {
        if counts.len() != self.value_count() as usize {
            let what = format!("{} counts for {} values", counts.len(), self.value_count());
            return Err(SegmentError::Inconsistent(what));
        }
        let within = self.valued().intersection_len(universe);
        let without = self.valued().len() - within;
        let lengths = u64::from(self.value_count()) * DOCUMENTS_PER_LENGTH;
        if 2 * without + lengths < within / 2 {
            return self.count_the_others(universe, counts);
        }
        if without == 0 {
            let ordinals = self.all_ordinals()?;
            return self.with_counter(within, counts, |counter| {
                counter.add(ordinals);
                Ok(())
            });
        }
        self.count_documents(universe, within, counts)
    }

    /// Counts the few documents outside the universe, and subtracts them from the totals.
    fn count_the_others(&self, universe: &RoaringBitmap, counts: &mut [u32]) -> Result<()> {
        let others = self.valued() - universe;
        let mut of_others = vec![0; counts.len()];
        self.count_documents(&others, others.len(), &mut of_others)?;
        for ((ordinal, count), others) in (0..).zip(counts).zip(of_others) {
            let rest = self.document_count(ordinal)?.checked_sub(others);
            *count += rest.ok_or_else(|| self.malformed_list(ordinal))?;
        }
        Ok(())
    }

    fn count_documents(
        &self,
        universe: &RoaringBitmap,
        within: u64,
        counts: &mut [u32],
    ) -> Result<()> {
        let (Some(first), Some(last), 1..) = (self.valued().min(), self.valued().max(), within)
        else {
            return Ok(());
        };
        let span = u64::from(last - first) + 1;
        self.with_counter(within, counts, |counter| match self.description.first {
            // Few gaps, long runs.
            Some(_) if within > span / 8 * 7 => self.add_runs(universe, first..=last, counter),
            Some(_) => self.add_documents(universe, first..=last, span / within, counter),
            None => {
                let both = universe & self.valued();
                self.add_documents(&both, first..=last, self.valued().len() / within, counter)
            }
        })
    }

    fn add_runs(
        &self,
        universe: &RoaringBitmap,
        range: RangeInclusive<DocId>,
        counter: &mut Counter<'_>,
    ) -> Result<()> {
        let ordinals = self.all_ordinals()?;
        let mut places = self.places();
        let mut documents = universe.range(range);
        while let Some(run) = documents.next_range() {
            let (first, last) = run.into_inner();
            let (Some(first), Some(last)) = (places.of(first), places.of(last)) else {
                continue;
            };
            let values = self.values_at(first)?.start..self.values_at(last)?.end;
            counter.add(ordinals.slice(values).ok_or_else(|| self.malformed("a place"))?);
        }
        Ok(())
    }

    /// Counts documents. `apart` is the average number of places per document.
    fn add_documents(
        &self,
        universe: &RoaringBitmap,
        range: RangeInclusive<DocId>,
        apart: u64,
        counter: &mut Counter<'_>,
    ) -> Result<()> {
        let ordinals = self.all_ordinals()?;
        let mut places = self.places();
        let mut starts = self.value_offsets.as_ref().map(|offsets| Starts::new(offsets, apart));
        let mut documents = universe.range(range);
        let mut some = [0; DOCUMENTS];
        loop {
            let some = documents.next_many(&mut some);
            if some.is_empty() {
                return Ok(());
            }
            let Some(starts) = &mut starts else {
                counter.add_each(ordinals, some, &mut places);
                continue;
            };
            for place in some.iter().filter_map(|&doc_id| places.of(doc_id)) {
                let values = starts.range(place).and_then(|range| ordinals.slice(range));
                counter.add(values.ok_or_else(|| self.malformed("a place"))?);
            }
        }
    }

    /// Runs a counter sized for about this many documents.
    fn with_counter(
        &self,
        documents: u64,
        counts: &mut [u32],
        count: impl FnOnce(&mut Counter<'_>) -> Result<()>,
    ) -> Result<()> {
        // Places without a value are counted too, instead of skipped, where that is cheap.
        if self.is_multi() || documents < counts.len() as u64 {
            return count(&mut Counter { counts, tables: None });
        }
        let mut scratch = vec![0; counts.len() + 1];
        let tables = (counts.len() < TABLE_LENGTH).then(|| Box::new([[0; TABLE_LENGTH]; TABLES]));
        let mut counter = Counter { counts: &mut scratch, tables };
        count(&mut counter)?;
        for table in counter.tables.iter().flat_map(|tables| tables.iter()) {
            counts.iter_mut().zip(table).for_each(|(count, more)| *count += more);
        }
        counts.iter_mut().zip(scratch).for_each(|(count, more)| *count += more);
        Ok(())
    }
}

/// Start offsets of values by place: decoded a block at a time where most will be read.
struct Starts<'c> {
    offsets: &'c Offsets,
    in_blocks: bool,
    block: usize,
    places: usize,
    starts: [usize; BLOCK + 1],
}

impl<'c> Starts<'c> {
    /// Creates the starts where one in `apart` places will be read.
    fn new(offsets: &'c Offsets, apart: u64) -> Self {
        let in_blocks = apart < BLOCK as u64 / 8;
        Self { offsets, in_blocks, block: usize::MAX, places: 0, starts: [0; BLOCK + 1] }
    }

    #[inline]
    fn range(&mut self, place: usize) -> Option<std::ops::Range<usize>> {
        if !self.in_blocks {
            return self.offsets.range(place);
        }
        if place / BLOCK != self.block {
            self.block = place / BLOCK;
            self.places = self.offsets.block(self.block, &mut self.starts)?;
        }
        let number = place % BLOCK;
        (number < self.places).then(|| self.starts[number]..self.starts[number + 1])
    }
}

/// Few values are counted in several tables in turn: a CPU stalls when a count depends on the one
/// just before, as it does when most documents have the same value.
const TABLES: usize = 4;
const TABLE_LENGTH: usize = 256;

/// Counts ordinals; ordinals beyond the counts are skipped.
struct Counter<'c> {
    counts: &'c mut [u32],
    tables: Option<Box<[[u32; TABLE_LENGTH]; TABLES]>>,
}

impl Counter<'_> {
    #[inline]
    fn add(&mut self, ordinals: Ordinals<'_>) {
        if let (Some(tables), Ordinals::One(ordinals)) = (&mut self.tables, ordinals) {
            let (fours, rest) = ordinals.as_chunks::<TABLES>();
            for four in fours {
                for (table, &ordinal) in tables.iter_mut().zip(four) {
                    table[usize::from(ordinal)] += 1;
                }
            }
            rest.iter().for_each(|&ordinal| tables[0][usize::from(ordinal)] += 1);
            return;
        }
        ordinals.each(|ordinal| {
            if let Some(count) = self.counts.get_mut(ordinal as usize) {
                *count += 1;
            }
        });
    }

    /// Counts documents with at most one value each.
    #[inline]
    fn add_each(&mut self, ordinals: Ordinals<'_>, doc_ids: &[DocId], places: &mut Places<'_>) {
        let places = doc_ids.iter().filter_map(|&doc_id| places.of(doc_id));
        match (&mut self.tables, ordinals) {
            (Some(tables), Ordinals::One(ordinals)) => {
                for (number, place) in places.enumerate() {
                    if let Some(&ordinal) = ordinals.get(place) {
                        tables[number % TABLES][usize::from(ordinal)] += 1;
                    }
                }
            }
            _ => {
                for ordinal in places.filter_map(|place| ordinals.get(place)) {
                    if let Some(count) = self.counts.get_mut(ordinal as usize) {
                        *count += 1;
                    }
                }
            }
        }
    }
}
