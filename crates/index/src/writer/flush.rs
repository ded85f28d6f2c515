//! What a batch holds becomes segments: documents and the words in them, side by side.

use segment::documents::Dictionary;
use segment::text::TextBuffer;
use segment::{Directory, text};

use super::{OpenSegment, Writer};
use crate::error::Result;
use crate::index::Index;
use crate::indexing::{self, Indexing, Rebuild};
use crate::settings::Settings;

/// JSON from which on the components of a segment are written at the same time.
const LARGE_BUFFER: usize = 1 << 20;

/// Memory that words take for each byte of JSON, until it has been measured.
pub(super) const USUAL_WORDS_PER_JSON: f64 = 2.0;
/// Sorting words and collecting their documents takes some more.
const WHILE_WRITING: f64 = 1.25;

impl Writer<'_> {
    /// Whether documents, or documents and what their words will take, are as much as they may.
    pub(super) fn is_full(&self) -> bool {
        let documents = self.buffer.memory_used();
        let words = self.buffered_json as f64 * self.words_per_json;
        let limit = self.index.options.buffer_bytes;
        documents >= limit || documents as f64 + words >= 2.0 * limit as f64
    }

    /// Writes the buffer to a segment that no manifest names yet.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.set_dictionary(self.dictionary());
        // Until the segment is there, the documents are nowhere.
        self.abandoned = true;
        let settings = &self.attributes.settings;
        let documents = buffer.documents();
        let is_large = documents.iter().map(|(_, json)| json.len()).sum::<usize>() >= LARGE_BUFFER;
        let words = indexing::tokenize(&documents, self.index.indexing(settings));
        drop(documents);
        self.words_per_json = words_per_json(&words, std::mem::take(&mut self.buffered_json));
        let write_documents =
            |directory: &dyn Directory, name: &str| buffer.finish(directory, name);
        let write_text =
            |directory: &dyn Directory, name: &str| text::finish(words, directory, name);
        let segment = if is_large && self.index.options.threads > 1 {
            self.index.write_large_segment(write_documents, write_text)?
        } else {
            self.index.write_segment(write_documents, write_text)?
        };
        self.segments.push(OpenSegment::new(segment, settings.rules().clone()));
        self.abandoned = false;
        Ok(())
    }

    /// Brings the texts of segments that were built by other rules up to date.
    pub(super) fn rebuild_texts(&mut self) -> Result<()> {
        let settings = &self.attributes.settings;
        let rules = settings.rules();
        for open in &mut self.segments {
            if open.rules == *rules || open.segment.live_count() == 0 {
                continue;
            }
            let live = open.segment.live();
            let rebuild = Rebuild {
                directory: &self.index.directory,
                segment: open.segment.number(),
                documents: open.segment.documents(),
                live: &live,
                buffer_bytes: self.index.options.buffer_bytes,
            };
            let next_generation = || self.commit_state.take_generation();
            let text = indexing::rebuild(&rebuild, self.index.indexing(settings), next_generation)
                .inspect_err(|error| self.index.note_failed_write(error))?;
            open.segment = open.segment.with_text(&*self.index.directory, text)?;
            open.rules = rules.clone();
        }
        Ok(())
    }

    /// What the largest segment is compressed with: segments that share it merge quickly.
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

fn words_per_json(words: &[TextBuffer], json_bytes: usize) -> f64 {
    let used: usize = words.iter().map(TextBuffer::memory_used).sum();
    (used as f64 * WHILE_WRITING / json_bytes.max(1) as f64).clamp(0.5, 8.0)
}

impl Index {
    fn indexing<'s>(&self, settings: &'s Settings) -> Indexing<'s> {
        Indexing {
            settings: settings.typed(),
            rules: settings.rules(),
            tokenizer: settings.tokenizer(),
            threads: self.options.threads,
        }
    }
}
