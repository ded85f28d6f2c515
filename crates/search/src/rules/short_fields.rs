//! Finds documents with an attribute short enough to equal the query, from posting lists and stored
//! lengths.

use roaring::RoaringBitmap;
use segment::text::FIRST_WORD;

use crate::context::SegmentView;
use crate::error::SearchError;

/// Positions from here on share buckets, so that short and long attributes look the same.
const FIRST_SHARED_POSITION: u32 = 16;

/// Returns a superset of the documents of a segment with an attribute that consists of these tokens
/// at these rounded positions; `None` if it cannot be determined.
pub(super) fn documents(
    view: &SegmentView<'_>,
    wanted: &[(u32, u32)],
) -> Result<Option<RoaringBitmap>, SearchError> {
    let text = view.text;
    let longest = 1 + wanted.iter().map(|(_, position)| *position).max().unwrap_or(0);
    if longest > FIRST_SHARED_POSITION {
        return Ok(None);
    }
    let mut rarest: Option<(u32, u32, u32)> = None;
    for &(token, position) in wanted {
        let ordinal = token - FIRST_WORD;
        let count = text.document_count(ordinal)?;
        if rarest.is_none_or(|(least, ..)| count < least) {
            rarest = Some((count, ordinal, position));
        }
    }
    let Some((_, ordinal, position)) = rarest else {
        return Ok(None);
    };
    let Some((mut documents, occurrences)) = text.word_occurrences(ordinal)? else {
        return Ok(None);
    };
    let doc_ids = documents.list();
    let mut found = RoaringBitmap::new();
    for of_field in occurrences.fields() {
        let field = of_field.field();
        if !view.role(field).is_searched {
            continue;
        }
        let Some(lengths) = text.lengths(field)? else {
            return Ok(None);
        };
        let (mut short, mut near) = (Vec::new(), 0);
        of_field.for_each(doc_ids, |doc_id, mark| {
            // A word whose first position is later is not at its position in the query.
            if u32::from(mark.bucket()) <= position
                && let Some(row) = text.place(doc_id, &mut near)
                && lengths.get(row) <= longest
            {
                short.push(doc_id);
            }
        });
        found.extend(short);
    }
    Ok(Some(found))
}
