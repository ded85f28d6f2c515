//! Writes the buffer of a batch to a segment: documents and their components, in parallel.

use model::Cancel;
use segment::Directory;
use segment::documents::Dictionary;
use segment::{columns, geo, text};

use super::{OpenSegment, Writer};
use crate::error::Result;
use crate::index::SegmentParts;
use crate::indexing::{self, Buffers};

/// Size of JSON from which on the components of a segment are written in parallel.
const LARGE_BUFFER: usize = 1 << 20;

/// Memory that words and values take per byte of JSON, until it has been measured.
pub(super) const USUAL_INDEXED_PER_JSON: f64 = 2.0;
/// Factor for sorting words and collecting their documents.
const WHILE_WRITING: f64 = 1.25;

impl Writer<'_> {
    /// Returns whether the documents, with what will be extracted from them, fill the buffer.
    pub(super) fn is_full(&self) -> bool {
        let documents = self.buffer.memory_used();
        let indexed = self.buffered_json as f64 * self.indexed_per_json;
        let limit = self.index.options.buffer_bytes;
        documents >= limit || documents as f64 + indexed >= 2.0 * limit as f64
    }

    /// Writes the buffer to a segment that no manifest names yet.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.set_dictionary(self.dictionary());
        // Until the segment exists, the documents are stored nowhere.
        self.abandoned = true;
        let documents = buffer.documents();
        let is_large = documents.iter().map(|(_, json)| json.len()).sum::<usize>() >= LARGE_BUFFER;
        let indexed = indexing::index(&documents, self.meta.indexing(self.index.options.threads))?;
        drop(documents);
        self.indexed_per_json = indexed_per_json(&indexed, std::mem::take(&mut self.buffered_json));
        let (words, values, places) = Buffers::by_component(indexed);
        let has_values = !values.iter().all(columns::ColumnsBuffer::is_empty);
        let has_places = !places.iter().all(geo::GeoBuffer::is_empty);
        let parts = SegmentParts {
            documents: |directory: &dyn Directory, name: &str| buffer.finish(directory, name),
            text: |directory: &dyn Directory, name: &str| {
                text::finish(words, directory, name, &Cancel::default())
            },
            columns: has_values.then_some(|directory: &dyn Directory, name: &str| {
                columns::finish(values, &::text::fold, directory, name)
            }),
            geo: has_places.then_some(|directory: &dyn Directory, name: &str| {
                geo::finish(places, directory, name)
            }),
        };
        let segment = if is_large && self.index.options.threads > 1 {
            self.index.write_large_segment(parts)?
        } else {
            self.index.write_segment(parts)?
        };
        let rules = self.meta.settings.rules().clone();
        self.segments.push(OpenSegment::new(segment, rules));
        self.abandoned = false;
        Ok(())
    }

    /// Returns the dictionary of the largest segment: segments that share it merge quickly.
    fn dictionary(&self) -> Option<Dictionary> {
        self.segments
            .iter()
            .filter_map(|open| {
                Some((open.segment.file_bytes(), open.segment.documents().dictionary()?))
            })
            .max_by_key(|(bytes, _)| *bytes)
            .map(|(_, dictionary)| dictionary)
    }
}

fn indexed_per_json(buffers: &[Buffers], json_bytes: usize) -> f64 {
    let used: usize = buffers.iter().map(Buffers::memory_used).sum();
    (used as f64 * WHILE_WRITING / json_bytes.max(1) as f64).clamp(0.5, 8.0)
}
