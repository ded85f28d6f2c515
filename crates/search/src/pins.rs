//! Pinned documents: each has a fixed position, and the ranked documents flow around them. Pins
//! beyond the last ranked document follow it.

use std::ops::Range;

use roaring::RoaringBitmap;
use segment::DocId;

use crate::distinct::Distinct;
use crate::error::SearchError;

/// A document with a fixed position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    pub doc_id: DocId,
    /// Counted from 0. If it is taken, the next free position is used.
    pub position: usize,
    /// Among pins with the same position, the lower precedence comes first.
    pub precedence: u64,
}

/// Returns the pins that take effect: they must pass the filter and, under `distinct`, must not
/// share a value with an earlier pin. Pins take precedence over ranked documents.
pub(crate) fn effective(
    pins: &[Pin],
    filtered: Option<&RoaringBitmap>,
    mut distinct: Option<&mut Distinct<'_>>,
) -> Result<Vec<Pin>, SearchError> {
    let mut kept = Vec::with_capacity(pins.len());
    for pin in pins {
        if filtered.is_some_and(|filtered| !filtered.contains(pin.doc_id)) {
            continue;
        }
        if let Some(distinct) = &mut distinct
            && !distinct.keep(pin.doc_id)?
        {
            continue;
        }
        kept.push(*pin);
    }
    Ok(kept)
}

/// Returns the range of ranked documents that, together with the pins (sorted by position), fill a
/// window of the whole list.
pub(crate) fn ranked_window(pins: &[Pin], window: Range<usize>) -> Range<usize> {
    let ranked_before = |place: usize| {
        let positions = pins.iter().map(|pin| pin.position);
        place - places(positions).take_while(|pinned| *pinned < place).count()
    };
    let ranked = ranked_before(window.start)..ranked_before(window.end);
    if ranked.is_empty() && !window.is_empty() && ranked.start > 0 {
        // The place of pins after the last document is known only once that document is found.
        return ranked.start - 1..ranked.start;
    }
    ranked
}

/// A part of the ranked documents, in order.
#[derive(Debug)]
pub(crate) struct RankedSlice<T> {
    pub part: Vec<T>,
    /// Number of documents before the part.
    pub before: usize,
    /// Total number of documents, as far as the window reaches.
    pub count: usize,
}

impl<T> RankedSlice<T> {
    /// Creates the part from the first document on; it must cover the window.
    pub fn from_first(part: Vec<T>) -> Self {
        Self { before: 0, count: part.len(), part }
    }
}

/// Merges ranked documents and pins into a window of the whole list. `ranked` covers the range
/// given by [`ranked_window`]; `pins` are sorted positions with their items.
pub(crate) fn place<T>(
    ranked: RankedSlice<T>,
    pins: Vec<(usize, T)>,
    window: Range<usize>,
) -> Vec<T> {
    let wanted = places(pins.iter().map(|(position, _)| *position));
    // The n-th pin has n pins before it, and at most all ranked documents.
    let places: Vec<usize> =
        wanted.enumerate().map(|(nth, place)| nth + (place - nth).min(ranked.count)).collect();
    let pinned_before = places.iter().take_while(|place| **place < window.start).count();
    let ranked_before = window.start - pinned_before;

    let mut pins =
        places.into_iter().zip(pins.into_iter().map(|(_, pin)| pin)).skip(pinned_before).peekable();
    let mut ranked =
        ranked.part.into_iter().skip(ranked_before.saturating_sub(ranked.before)).peekable();
    let mut placed = Vec::new();
    for place in window {
        let is_pinned = pins.peek().is_some_and(|(pinned, _)| *pinned <= place);
        let next = match is_pinned || ranked.peek().is_none() {
            true => pins.next().map(|(_, pin)| pin),
            false => ranked.next(),
        };
        match next {
            Some(next) => placed.push(next),
            None => break,
        }
    }
    placed
}

/// Returns the places of pins with these positions in an infinite list.
fn places(positions: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    positions.scan(0, |free, position| {
        let place = position.max(*free);
        *free = place.saturating_add(1);
        Some(place)
    })
}

#[cfg(test)]
mod tests;
