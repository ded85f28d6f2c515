//! Merges several columns files into one, without deleted documents. Documents are not parsed
//! again: values are merged in order, which gives each its new ordinal, and the values of documents
//! are copied with the new numbers.

use std::collections::BTreeSet;

use model::{Cancel, CancelCheck};
use roaring::RoaringBitmap;

use super::column::Column;
use super::reader::ColumnsReader;
use super::spelling::Spelling;
use super::string_writer::{Fold, StringWriter, WrittenStrings};
use super::writer::{ColumnsWriter, Content, Occurrence};
use crate::directory::Directory;
use crate::encoding::dictionary_union::{DictionaryUnion, SharedWord};
use crate::error::{Result, SegmentError};
use crate::live_once::check_live_once;

/// Files of one segment.
#[derive(Debug, Clone)]
pub struct ColumnsMergeInput<'r> {
    /// Files, oldest first. A column is taken from the last one that has it.
    pub readers: Vec<&'r ColumnsReader>,
    /// Documents to keep; documents that the files do not have are ignored.
    pub live: &'r RoaringBitmap,
}

impl ColumnsMergeInput<'_> {
    fn names(&self) -> String {
        let names: Vec<&str> = self.readers.iter().map(|reader| reader.name()).collect();
        names.join(", ")
    }
}

/// Writes and syncs one file with the wanted columns of the live documents of all inputs, and
/// returns its length. A DocId may be live in one input only. A cancelled merge ends
/// with [`SegmentError::Stopped`], and the unfinished file can be deleted.
pub fn merge(
    inputs: &[ColumnsMergeInput<'_>],
    wanted: &dyn Fn(&str) -> bool,
    fold: Fold<'_>,
    directory: &dyn Directory,
    name: &str,
    cancel: &Cancel,
) -> Result<u64> {
    // The files may have the same documents, but the sets of live ones must not overlap.
    check_live_once(inputs.iter().map(|input| (input.names(), input.live)))?;
    let readers = inputs.iter().flat_map(|input| &input.readers);
    let names: BTreeSet<&str> =
        readers.flat_map(|reader| reader.names()).filter(|name| wanted(name)).collect();
    let mut cancel = CancelCheck::new(cancel);
    let mut out = ColumnsWriter::create(directory, name)?;
    for name in names {
        cancel.step()?;
        let mut sources = Vec::new();
        for input in inputs {
            for reader in input.readers.iter().rev() {
                if let Some(column) = reader.column(name)? {
                    sources.push(Source::new(column, input.live)?);
                    break;
                }
            }
        }
        let content = unite(&mut sources, fold, &mut cancel)?;
        if !content.is_empty() {
            out.add(name, content)?;
        }
    }
    out.finish()
}

struct Source<'a> {
    column: &'a Column,
    /// Live documents that have values.
    live: RoaringBitmap,
    all_live: &'a RoaringBitmap,
    /// New ordinal of each value, or none if the value is gone.
    ordinals: Vec<u32>,
}

/// Marks a value that a live document has, before it gets its new ordinal.
const IN_USE: u32 = 0;
const GONE: u32 = u32::MAX;

impl<'a> Source<'a> {
    fn new(column: &'a Column, all_live: &'a RoaringBitmap) -> Result<Self> {
        let live = all_live & column.valued();
        let mut ordinals = vec![IN_USE; column.value_count() as usize];
        if live.len() < column.valued().len() {
            column.count_values(&live, &mut ordinals)?;
            for ordinal in &mut ordinals {
                *ordinal = if *ordinal > 0 { IN_USE } else { GONE };
            }
        }
        Ok(Self { column, live, all_live, ordinals })
    }

    fn is_in_use(&self, ordinal: u32) -> bool {
        self.ordinals[ordinal as usize] == IN_USE
    }
}

fn unite(
    sources: &mut [Source<'_>],
    fold: Fold<'_>,
    cancel: &mut CancelCheck<'_>,
) -> Result<Content> {
    let numbers = merge_numbers(sources, cancel)?;
    let strings = merge_strings(sources, numbers.len() as u32, fold, cancel)?;
    let occurrences = copy_values(sources, cancel)?;
    let set = |of: fn(&Column) -> &RoaringBitmap| {
        let mut set = RoaringBitmap::new();
        sources.iter().for_each(|source| set |= of(source.column) & source.all_live);
        set
    };
    Ok(Content {
        exists: set(Column::exists),
        null: set(Column::null),
        empty: set(Column::empty),
        numbers,
        strings,
        occurrences,
    })
}

/// Merges the numbers in use; sets their new ordinals in the sources.
fn merge_numbers(sources: &mut [Source<'_>], cancel: &mut CancelCheck<'_>) -> Result<Vec<f64>> {
    let mut all: Vec<(f64, u32, u32)> = Vec::new();
    for (number, source) in (0..).zip(&*sources) {
        for ordinal in 0..source.column.number_count() {
            cancel.step()?;
            if source.is_in_use(ordinal) {
                all.push((source.column.number(ordinal)?, number, ordinal));
            }
        }
    }
    // One run per source: this merges them.
    all.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut numbers = Vec::with_capacity(all.len());
    for same in all.chunk_by(|left, right| left.0 == right.0) {
        for &(_, source, ordinal) in same {
            sources[source as usize].ordinals[ordinal as usize] = numbers.len() as u32;
        }
        numbers.push(same[0].0);
    }
    Ok(numbers)
}

/// Writes the strings in use; sets their new ordinals, which follow the numbers', in the sources.
fn merge_strings(
    sources: &mut [Source<'_>],
    numbers: u32,
    fold: Fold<'_>,
    cancel: &mut CancelCheck<'_>,
) -> Result<WrittenStrings> {
    // The dictionaries are read while the sources are changed.
    let columns: Vec<&Column> = sources.iter().map(|source| source.column).collect();
    let dictionaries = columns.iter().enumerate();
    let mut strings = DictionaryUnion::new(
        dictionaries.filter_map(|(number, column)| Some((number, column.dictionary()?))),
    );
    let mut out = StringWriter::new(fold);
    let mut owners: Vec<(usize, u32)> = Vec::new();
    while let Some(SharedWord { word: string, places }) = strings.next() {
        cancel.step()?;
        owners.clear();
        let mut spelling: Option<Spelling<&[u8]>> = None;
        for &(source, place) in places {
            let column = columns[source];
            if place >= column.value_count() - column.number_count() {
                return Err(column.malformed("the dictionary"));
            }
            let ordinal = column.number_count() + place;
            if sources[source].is_in_use(ordinal) {
                let other = column.string_spelling(place)?;
                spelling = Some(spelling.map_or(other, |spelling| spelling.and(other)));
                owners.push((source, ordinal));
            }
        }
        let Some(spelling) = spelling else {
            continue;
        };
        let place = out.add(string, spelling)?;
        let ordinal = numbers.checked_add(place).filter(|&ordinal| ordinal < GONE);
        let ordinal = ordinal
            .ok_or_else(|| SegmentError::Inconsistent("there are too many values".to_owned()))?;
        for &(source, old) in &owners {
            sources[source].ordinals[old as usize] = ordinal;
        }
    }
    out.finish()
}

/// Copies the values of all live documents, sorted by DocId.
fn copy_values(sources: &[Source<'_>], cancel: &mut CancelCheck<'_>) -> Result<Vec<Occurrence>> {
    let mut occurrences = Vec::new();
    for source in sources {
        let column = source.column;
        let mut cursor = column.values();
        for doc_id in &source.live {
            cancel.step()?;
            for ordinal in cursor.seek(doc_id)? {
                match source.ordinals.get(ordinal as usize) {
                    Some(&new) if new != GONE => occurrences.push(Occurrence::new(doc_id, new)),
                    _ => return Err(column.no_value(ordinal)),
                }
            }
        }
    }
    // One run per source, mostly one after the other.
    occurrences.sort();
    occurrences.dedup();
    Ok(occurrences)
}
