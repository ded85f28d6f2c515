//! Writes one file from several buffers, column by column. Values are sorted once, over all
//! buffers, which gives them their ordinals; then every use of a value becomes a document and an
//! ordinal.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::buffer::{BufferedColumn, ColumnsBuffer, number_of_key};
use super::spelling::Spelling;
use super::string_writer::{Fold, StringWriter, WrittenStrings};
use super::writer::{ColumnsWriter, Content, Occurrence};
use crate::directory::Directory;
use crate::documents::sorted_by_text;
use crate::error::{Result, SegmentError};

/// Writes and syncs the file, and returns its length. The caller syncs the directory.
pub fn finish(
    buffers: Vec<ColumnsBuffer>,
    fold: Fold<'_>,
    directory: &dyn Directory,
    name: &str,
) -> Result<u64> {
    let mut by_name: BTreeMap<String, Vec<BufferedColumn>> = BTreeMap::new();
    for mut column in buffers.into_iter().flat_map(|buffer| buffer.columns) {
        column.close();
        by_name.entry(std::mem::take(&mut column.name)).or_default().push(column);
    }
    let mut out = ColumnsWriter::create(directory, name)?;
    for (name, parts) in by_name {
        if parts.iter().any(|part| part.is_full) {
            let what = format!("there are too many values of `{name}`");
            return Err(SegmentError::Inconsistent(what));
        }
        let content = unite(&parts, fold)?;
        drop(parts);
        if !content.is_empty() {
            out.add(&name, content)?;
        }
    }
    out.finish()
}

/// Unites the parts of a column.
fn unite(parts: &[BufferedColumn], fold: Fold<'_>) -> Result<Content> {
    let (numbers, number_ordinals) = sort_numbers(parts);
    let (strings, string_ordinals) = sort_strings(parts, numbers.len() as u32, fold)?;
    let mut occurrences = Vec::with_capacity(parts.iter().map(|part| part.values.len()).sum());
    for ((part, numbers), strings) in parts.iter().zip(&number_ordinals).zip(&string_ordinals) {
        let start = occurrences.len();
        for document in part.values.chunk_by(|left, right| left.0 == right.0) {
            let first = occurrences.len();
            occurrences.extend(
                document.iter().map(|&(doc_id, value)| {
                    Occurrence::new(doc_id, value.look_up(numbers, strings))
                }),
            );
            if document.len() > 1 {
                occurrences[first..].sort_unstable();
            }
        }
        if !occurrences[start..].is_sorted() {
            occurrences[start..].sort_unstable();
        }
    }
    // One run per buffer: this merges them.
    occurrences.sort();
    occurrences.dedup();
    let set = |runs: fn(&BufferedColumn, &mut RoaringBitmap)| {
        let mut set = RoaringBitmap::new();
        parts.iter().for_each(|part| runs(part, &mut set));
        set
    };
    Ok(Content {
        exists: set(|part, set| part.exists.add_to(set)),
        null: set(|part, set| part.null.add_to(set)),
        empty: set(|part, set| part.empty.add_to(set)),
        numbers,
        strings,
        occurrences,
    })
}

/// Sorts all numbers; also returns their ordinals, by part and number.
fn sort_numbers(parts: &[BufferedColumn]) -> (Vec<f64>, Vec<Vec<u32>>) {
    let mut ordinals: Vec<Vec<u32>> =
        parts.iter().map(|part| vec![0; part.numbers.len()]).collect();
    let mut all: Vec<(u64, u32, u32)> = Vec::new();
    for (number, part) in (0..).zip(parts) {
        all.extend((0..).zip(&part.numbers).map(|(place, &key)| (key, number, place)));
    }
    all.sort_unstable();
    let mut numbers = Vec::with_capacity(all.len());
    for same in all.chunk_by(|left, right| left.0 == right.0) {
        for &(_, part, place) in same {
            ordinals[part as usize][place as usize] = numbers.len() as u32;
        }
        numbers.push(number_of_key(same[0].0));
    }
    (numbers, ordinals)
}

/// Writes all strings; returns their ordinals, after those of the numbers, by part and string.
fn sort_strings(
    parts: &[BufferedColumn],
    numbers: u32,
    fold: Fold<'_>,
) -> Result<(WrittenStrings, Vec<Vec<u32>>)> {
    let too_many = || SegmentError::Inconsistent("there are too many values".to_owned());
    let mut ordinals: Vec<Vec<u32>> =
        parts.iter().map(|part| vec![0; part.strings.len()]).collect();
    let mut starts = Vec::with_capacity(parts.len());
    let mut total = 0_u32;
    for part in parts {
        starts.push(total);
        let strings = u32::try_from(part.strings.len()).map_err(|_| too_many())?;
        total = total.checked_add(strings).ok_or_else(too_many)?;
    }
    let locate = |global: u32| {
        let part = starts.partition_point(|&start| start <= global) - 1;
        (part, global - starts[part])
    };
    let text = |global: u32| {
        let (part, string) = locate(global);
        parts[part].strings.get(string)
    };
    let order = sorted_by_text(0..total, text);
    let mut out = StringWriter::new(fold);
    for same in order.chunk_by(|&left, &right| parts.len() > 1 && text(left) == text(right)) {
        let spelling = same
            .iter()
            .map(|&global| {
                let (part, string) = locate(global);
                parts[part].spelling(string)
            })
            .reduce(Spelling::and)
            .unwrap_or(Spelling::Normal);
        let place = out.add(text(same[0]), spelling)?;
        let ordinal = numbers.checked_add(place).ok_or_else(too_many)?;
        for &global in same {
            let (part, string) = locate(global);
            ordinals[part][string as usize] = ordinal;
        }
    }
    Ok((out.finish()?, ordinals))
}
