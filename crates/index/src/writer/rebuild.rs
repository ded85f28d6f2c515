//! After a change of settings, every segment gets what has become wanted of its documents and
//! loses what no longer is. What was built by rules that still hold stays as it is.

use segment::columns::{self, ColumnsMergeInput};

use super::Writer;
use crate::error::Result;
use crate::file_name::FileName;
use crate::index::Index;
use crate::indexing::{ColumnChoice, GeoRules, Indexing, Rebuild, Rules, Wanted};
use crate::segments::Segment;
use crate::tracked_file::TrackedFile;

/// Files of columns that a segment may have; whoever looks for a column goes through them.
const MOST_COLUMNS_FILES: usize = 8;

impl Writer<'_> {
    /// Brings segments that were built by other rules up to date.
    pub(super) fn rebuild(&mut self) -> Result<()> {
        let rules = self.attributes.settings.rules();
        let indexing = self.attributes.indexing(self.index.options.threads);
        for open in &mut self.segments {
            if open.rules == *rules || open.segment.live_count() == 0 {
                continue;
            }
            let mut next_generation = || self.commit_state.take_generation();
            let (segment, before) = (&open.segment, &open.rules);
            open.segment = self
                .index
                .rebuild_segment(segment, before, indexing, &mut next_generation)
                .inspect_err(|error| self.index.note_failed_write(error))?;
            open.rules = rules.clone();
        }
        Ok(())
    }
}

impl Index {
    /// The segment as the rules want it. It was built by those `before`.
    fn rebuild_segment(
        &self,
        segment: &Segment,
        before: &Rules,
        indexing: Indexing<'_>,
        next_generation: &mut dyn FnMut() -> u64,
    ) -> Result<Segment> {
        let rules = indexing.rules;
        let kept = segment.clone().without_unwanted_columns(|name| rules.columns.want(name));
        let columns = kept.column_names();
        let added = rules.columns.beyond(&before.columns);
        let has_places = before.geo.include(rules.geo);
        let wanted = Wanted {
            text: before.text != rules.text,
            columns: ColumnChoice::new_ones(&added, &before.columns, &columns),
            geo: if has_places { GeoRules::NOTHING } else { rules.geo },
        };
        let rebuild = Rebuild {
            directory: &self.directory,
            segment: segment.number(),
            documents: segment.documents(),
            live: &segment.live(),
            wanted,
            memory: (2 * self.options.buffer_bytes).max(1),
        };
        let built = rebuild.run(indexing, &mut *next_generation)?;
        drop(columns);
        let directory = &*self.directory;
        let mut rebuilt = kept.with_more_columns(directory, built.columns)?;
        if let Some(text) = built.text {
            rebuilt = rebuilt.with_text(directory, text)?;
        }
        if !has_places || rules.geo.index_nothing() {
            rebuilt = rebuilt.with_geo(directory, built.geo)?;
        }
        if rebuilt.columns_files().len() > MOST_COLUMNS_FILES {
            rebuilt = self.join_columns(&rebuilt, rules, next_generation())?;
        }
        Ok(rebuilt)
    }

    /// The same segment with its columns in one file.
    fn join_columns(&self, segment: &Segment, rules: &Rules, generation: u64) -> Result<Segment> {
        let input =
            ColumnsMergeInput { readers: segment.columns_files().collect(), live: &segment.live() };
        let wanted = |name: &str| rules.columns.want(name);
        let name = FileName::columns(segment.number(), generation);
        let joined = TrackedFile::write(&self.directory, &name, |directory, name| {
            columns::merge(&[input], &wanted, &::text::fold, directory, name, &|| false)
        })?;
        let bare = segment.clone().without_unwanted_columns(|_| false);
        bare.with_more_columns(&*self.directory, Some((generation, joined)))
    }
}
