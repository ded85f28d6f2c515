//! Extracts from documents what searches need: words, values and locations, on several threads if
//! there are many documents.

use std::sync::atomic::{AtomicUsize, Ordering};

use segment::DocId;
use segment::columns::ColumnsBuffer;
use segment::geo::GeoBuffer;
use segment::text::TextBuffer;
use settings::Settings;
use text::Tokenizer;

use super::column_rules::ColumnChoice;
use super::geo::GeoRules;
use super::indexer::Indexer;
use super::rules::Rules;
use super::text_rules::TextChoice;
use crate::error::Result;

/// Least JSON per thread for which a thread is worth starting.
const BYTES_PER_THREAD: usize = 512 * 1024;
/// Documents that a thread takes at a time.
const DOCUMENTS_AT_A_TIME: usize = 256;

/// Everything needed to index under one state of the settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Indexing<'s> {
    pub settings: &'s Settings,
    pub rules: &'s Rules,
    pub tokenizer: &'s Tokenizer,
    pub primary_key: Option<&'s str>,
    /// Maximum number of threads.
    pub threads: usize,
}

/// What to index of documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexTargets<'s> {
    pub text: Option<TextChoice<'s>>,
    pub columns: Option<ColumnChoice<'s>>,
    pub geo: GeoRules,
}

/// Output of one thread.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub text: TextBuffer,
    pub columns: ColumnsBuffer,
    pub geo: GeoBuffer,
}

impl Buffers {
    pub fn memory_used(&self) -> usize {
        self.text.memory_used() + self.columns.memory_used() + self.geo.memory_used()
    }

    /// Groups the buffers by component, since each component is written separately.
    pub fn by_component(
        buffers: Vec<Self>,
    ) -> (Vec<TextBuffer>, Vec<ColumnsBuffer>, Vec<GeoBuffer>) {
        let (mut texts, mut columns, mut geos) = (Vec::new(), Vec::new(), Vec::new());
        for buffer in buffers {
            texts.push(buffer.text);
            columns.push(buffer.columns);
            geos.push(buffer.geo);
        }
        (texts, columns, geos)
    }
}

/// Indexes everything that the rules ask for; returns one set of buffers per thread.
pub(crate) fn index(documents: &[(DocId, &str)], indexing: Indexing<'_>) -> Result<Vec<Buffers>> {
    let bytes: usize = documents.iter().map(|(_, json)| json.len()).sum();
    let threads = indexing.threads_for(bytes);
    let next = AtomicUsize::new(0);
    let outcomes = in_threads(threads, || {
        let mut indexer = Indexer::new(indexing, indexing.everything());
        loop {
            let start = next.fetch_add(DOCUMENTS_AT_A_TIME, Ordering::Relaxed);
            let Some(rest) = documents.get(start..) else {
                return Ok(indexer.into_buffers());
            };
            for (doc_id, json) in rest.iter().take(DOCUMENTS_AT_A_TIME) {
                indexer.add(*doc_id, json)?;
            }
        }
    });
    outcomes.into_iter().collect()
}

/// Runs the same work on several threads, including this one, and returns all results.
pub(crate) fn in_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut outcomes = vec![work()];
        for other in others {
            match other.join() {
                Ok(outcome) => outcomes.push(outcome),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcomes
    })
}

impl<'s> Indexing<'s> {
    pub fn threads_for(self, bytes: usize) -> usize {
        (bytes / BYTES_PER_THREAD).clamp(1, self.threads.max(1))
    }

    fn everything(self) -> IndexTargets<'s> {
        IndexTargets {
            text: Some(TextChoice::all(&self.rules.text)),
            columns: ColumnChoice::all(&self.rules.columns),
            geo: self.rules.geo,
        }
    }
}
