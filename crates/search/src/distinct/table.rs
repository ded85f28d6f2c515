//! Finds the first document of each value of an attribute in a large set: every value gets a number
//! that is the same in all segments, so that each document costs one bit lookup.

use fst::Streamer;
use fst::raw::OpBuilder;
use roaring::RoaringBitmap;
use segment::columns::Column;

use crate::context::Context;
use crate::error::SearchError;
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;

/// Returns the first document of each value, by number. A document is kept unless it shares a value
/// with one kept before. Columns come with the deleted documents of their segment.
pub(super) fn first_of_each(
    context: &Context<'_>,
    columns: &[(&Column, &RoaringBitmap)],
    documents: &RoaringBitmap,
) -> Result<RoaringBitmap, SearchError> {
    let numbers = value_numbers(columns)?;
    let mut cursors: Vec<_> = columns.iter().map(|(column, _)| column.values()).collect();
    let most = numbers.iter().flatten().max().map_or(0, |most| *most as usize + 1);
    let mut seen = vec![false; most];
    let mut kept = Vec::new();
    let mut home = 0;
    for (count, doc_id) in documents.iter().enumerate() {
        if count % DOCUMENTS_BETWEEN_CHECKS == 0 {
            context.check_cancelled()?;
        }
        let is_home = |place: &usize| {
            let (column, deleted) = columns[*place];
            column.exists().contains(doc_id) && !deleted.contains(doc_id)
        };
        // Mostly the same segment as that of the document before.
        let Some(found) = (home..columns.len()).chain(0..home).find(is_home) else {
            kept.push(doc_id);
            continue;
        };
        home = found;
        // In a damaged file a value may have no number.
        let number = |ordinal: u32| numbers[home].get(ordinal as usize).map(|&n| n as usize);
        let values = cursors[home].seek(doc_id)?.filter_map(number);
        if !values.clone().any(|number| seen[number]) {
            values.for_each(|number| seen[number] = true);
            kept.push(doc_id);
        }
    }
    Ok(kept.into_iter().collect())
}

/// Returns the number of each value of each column.
fn value_numbers(columns: &[(&Column, &RoaringBitmap)]) -> Result<Vec<Vec<u32>>, SearchError> {
    let mut numbers: Vec<Vec<u32>> =
        columns.iter().map(|(column, _)| vec![0; column.value_count() as usize]).collect();
    let mut next = 0;

    let mut all: Vec<(f64, usize, u32)> = Vec::new();
    for (place, (column, _)) in columns.iter().enumerate() {
        for ordinal in 0..column.number_count() {
            all.push((column.number(ordinal)?, place, ordinal));
        }
    }
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        for &(_, place, ordinal) in same {
            numbers[place][ordinal as usize] = next;
        }
        next += 1;
    }

    let mut strings = OpBuilder::new();
    let mut places = Vec::new();
    for (place, (column, _)) in columns.iter().enumerate() {
        if let Some(dictionary) = column.dictionary() {
            strings.push(dictionary.stream());
            places.push(place);
        }
    }
    let mut union = strings.union();
    while let Some((_, same)) = union.next() {
        for found in same {
            let place = places[found.index];
            let ordinal = u64::from(columns[place].0.number_count()) + found.value;
            if let Some(number) = numbers[place].get_mut(ordinal as usize) {
                *number = next;
            }
        }
        next += 1;
    }
    Ok(numbers)
}
