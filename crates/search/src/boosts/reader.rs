//! The boosts of documents, read from the values of their segment.

use roaring::RoaringBitmap;
use segment::DocId;
use segment::columns::{Column, ValueCursor};
use segment::geo::distance;

use super::Boosts;
use super::curves::{fallen, grown};
use super::measure::Measure;
use crate::context::Context;
use crate::error::SearchError;

/// Reads the boosts of the documents of one segment; fastest in ascending order of documents.
pub(crate) struct BoostReader<'b> {
    boosts: &'b Boosts<'b>,
    segment: usize,
    /// Cursors by boost; `None` if a boost reads no column here.
    cursors: Vec<Option<(&'b Column, ValueCursor<'b>)>>,
}

impl<'b> BoostReader<'b> {
    pub fn new(boosts: &'b Boosts<'b>, segment: usize) -> Self {
        let cursor = |measure: &Measure<'b>| {
            let columns = match measure {
                Measure::Decay { columns, .. } | Measure::Value { columns, .. } => columns,
                Measure::Filter(_) | Measure::Near { .. } => return None,
            };
            let column = columns.get(segment).copied().flatten()?;
            Some((column, column.values()))
        };
        let cursors = boosts.weighed.iter().map(|boost| cursor(&boost.measure)).collect();
        Self { boosts, segment, cursors }
    }

    /// Returns a superset of the documents with a boost.
    pub fn documents(&self) -> RoaringBitmap {
        let mut documents = RoaringBitmap::new();
        for (boost, cursor) in self.boosts.weighed.iter().zip(&self.cursors) {
            match (&boost.measure, cursor) {
                (Measure::Filter(found), _) => documents |= found,
                (Measure::Near { points, .. }, _) => {
                    if let Some(geo) = points.get(self.segment).copied().flatten() {
                        documents |= geo.documents_with_point();
                    }
                }
                (_, Some((column, _))) => documents |= column.valued(),
                _ => {}
            }
        }
        documents
    }

    pub fn sum(&mut self, doc_id: DocId) -> Result<f64, SearchError> {
        let mut sum = 0.0;
        self.each(doc_id, |_, part| sum += part)?;
        Ok(sum)
    }

    /// Returns the factor for the score of a document.
    pub fn factor(&mut self, doc_id: DocId) -> Result<f64, SearchError> {
        let sum = self.sum(doc_id)?;
        Ok(self.boosts.factor(sum))
    }

    /// Visits the contribution of each boost to a document, with its name.
    pub fn each(
        &mut self,
        doc_id: DocId,
        mut visit: impl FnMut(&'static str, f64),
    ) -> Result<(), SearchError> {
        for (boost, cursor) in self.boosts.weighed.iter().zip(&mut self.cursors) {
            let share = match &boost.measure {
                Measure::Filter(found) => f64::from(u8::from(found.contains(doc_id))),
                Measure::Near { points, centre, fall } => {
                    let geo = points.get(self.segment).copied().flatten();
                    let point = geo.map(|geo| geo.point_of(doc_id)).transpose()?.flatten();
                    point.map_or(0.0, |point| fallen(fall, distance(*centre, point)))
                }
                Measure::Decay { origin, scale, fall, .. } => {
                    let Some((column, cursor)) = cursor else {
                        visit(boost.measure.name(), 0.0);
                        continue;
                    };
                    let mut best: f64 = 0.0;
                    for ordinal in cursor.seek(doc_id)? {
                        if let Some(value) = scale.read(column, ordinal)? {
                            best = best.max(fallen(fall, (value - origin).abs()));
                        }
                    }
                    best
                }
                Measure::Value { growth, max, .. } => {
                    let Some((column, cursor)) = cursor else {
                        visit(boost.measure.name(), 0.0);
                        continue;
                    };
                    // Numbers come before texts, each in ascending order.
                    let is_number = |ordinal: &u32| *ordinal < column.number_count();
                    let greatest = cursor.seek(doc_id)?.rev().find(is_number);
                    let value = greatest.map(|ordinal| column.number(ordinal)).transpose()?;
                    value.map_or(0.0, |value| grown(*growth, value, *max))
                }
            };
            visit(boost.measure.name(), boost.weight * share);
        }
        Ok(())
    }
}

/// The readers of all segments, for documents in any order.
pub(crate) struct Readers<'b> {
    context: &'b Context<'b>,
    readers: Vec<BoostReader<'b>>,
}

impl<'b> Readers<'b> {
    pub fn new(context: &'b Context<'b>, boosts: &'b Boosts<'b>) -> Self {
        let segments = 0..context.segments.len();
        let readers = segments.map(|segment| BoostReader::new(boosts, segment)).collect();
        Self { context, readers }
    }

    /// Returns the reader of the segment that contains a document.
    pub fn of(&mut self, doc_id: DocId) -> Option<&mut BoostReader<'b>> {
        let mut segments = self.context.segments.iter();
        let segment = segments.position(|view| view.segment.has(doc_id))?;
        self.readers.get_mut(segment)
    }
}
