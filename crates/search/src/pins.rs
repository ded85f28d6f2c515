//! Pinned documents: each stands at its position whatever the ranking says, and the ranked
//! documents flow around them. Pins that stand behind the last ranked document follow it.

use std::ops::Range;

use roaring::RoaringBitmap;
use segment::DocId;

use crate::distinct::Distinct;
use crate::error::SearchError;

/// A document with a fixed place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    pub doc_id: DocId,
    /// From 0. Where it is taken, the next place that is free.
    pub position: usize,
    /// Of pins with the same position the lower comes first.
    pub precedence: u64,
}

/// The pins that take effect: what does not pass the filter does not, nor what shares its value
/// with a pin before it where each value counts once. They come before what is ranked.
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

/// Of the ranked documents, those that fill a window of the whole list together with the pins,
/// which are ordered by their positions.
pub(crate) fn ranked_window(pins: &[Pin], window: Range<usize>) -> Range<usize> {
    let ranked_before = |place: usize| {
        let positions = pins.iter().map(|pin| pin.position);
        place - places(positions).take_while(|pinned| *pinned < place).count()
    };
    let ranked = ranked_before(window.start)..ranked_before(window.end);
    if ranked.is_empty() && !window.is_empty() && ranked.start > 0 {
        // Where pins stand that follow the last document shows only if that one is looked for.
        return ranked.start - 1..ranked.start;
    }
    ranked
}

/// Ranked documents in their order: a part of all that there are.
#[derive(Debug)]
pub(crate) struct RankedSlice<T> {
    pub part: Vec<T>,
    /// How many come before the part.
    pub before: usize,
    /// How many there are, as far as the window reaches.
    pub count: usize,
}

impl<T> RankedSlice<T> {
    /// All that there are, or at least all that the window can need.
    pub fn from_first(part: Vec<T>) -> Self {
        Self { before: 0, count: part.len(), part }
    }
}

/// A window of the list that ranked documents and pins make together. `ranked` holds what
/// [`ranked_window`] says; `pins` are positions with what stands there, in order.
pub(crate) fn place<T>(
    ranked: RankedSlice<T>,
    pins: Vec<(usize, T)>,
    window: Range<usize>,
) -> Vec<T> {
    let wanted = places(pins.iter().map(|(position, _)| *position));
    // The n-th pin has n pins before it, and no more ranked documents than there are.
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

/// Where pins with these positions stand in a list without end.
fn places(positions: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    positions.scan(0, |free, position| {
        let place = position.max(*free);
        *free = place.saturating_add(1);
        Some(place)
    })
}

#[cfg(test)]
mod tests;
