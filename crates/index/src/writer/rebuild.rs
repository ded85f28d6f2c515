//! After a change of settings, adds to every segment what is newly wanted and removes what no
//! longer is. Components built by rules that still hold stay unchanged.

use std::collections::BTreeSet;

use model::Cancel;
use segment::columns::{self, ColumnsMergeInput};

use super::Writer;
use crate::error::Result;
use crate::field_names::FieldNames;
use crate::file_name::FileName;
use crate::index::Index;
use crate::indexing::{
    ColumnChoice, GeoRules, IndexTargets, Indexing, Rebuild, RetainedText, Rules, TextChoice,
};
use crate::rebuild_observer::{RebuildObserver, SegmentObserver};
use crate::segments::Segment;
use crate::tracked_file::TrackedFile;

/// Most column files of a segment; looking for a column goes through them.
const MOST_COLUMNS_FILES: usize = 8;

impl Writer<'_> {
    /// Brings segments that were built by other rules up to date. This is the slow part of a change
    /// of settings; a commit does it if nothing else has. If it is cancelled, the new files are
    /// dropped with the writer.
    pub fn rebuild(&mut self, observer: &dyn RebuildObserver, cancel: &Cancel) -> Result<()> {
        let rules = self.meta.settings.rules();
        let indexing = self.meta.indexing(self.index.options.threads);
        let mut outdated: Vec<_> = self
            .segments
            .iter_mut()
            .filter(|open| open.rules != *rules && open.segment.live_count() > 0)
            .collect();
        let segments = outdated.len();
        for (done, open) in outdated.iter_mut().enumerate() {
            let change = Change {
                segment: &open.segment,
                before: &open.rules,
                fields: &self.meta.fields,
                observer: SegmentObserver::new(observer, cancel, done, segments),
            };
            let mut next_generation = || self.commit_state.take_generation();
            open.segment = self
                .index
                .rebuild_segment(&change, indexing, &mut next_generation)
                .inspect_err(|error| self.index.note_failed_write(error))?;
            open.rules = rules.clone();
        }
        Ok(())
    }
}

/// A segment whose rules have changed.
struct Change<'a> {
    segment: &'a Segment,
    /// Rules that it was built by.
    before: &'a Rules,
    /// Attributes of the index, to count them.
    fields: &'a FieldNames,
    observer: SegmentObserver<'a>,
}

impl Index {
    /// Returns the segment as the rules want it.
    fn rebuild_segment(
        &self,
        change: &Change<'_>,
        indexing: Indexing<'_>,
        next_generation: &mut dyn FnMut() -> u64,
    ) -> Result<Segment> {
        let (segment, before, rules) = (change.segment, change.before, indexing.rules);
        let retained = segment.clone().without_unwanted_columns(|name| rules.columns.want(name));
        let columns = retained.column_names();
        let added = rules.columns.beyond(&before.columns);
        let has_places = before.geo.include(rules.geo);
        let text = TextChoice::new_ones(&rules.text, &before.text);
        let wanted = IndexTargets {
            text,
            columns: ColumnChoice::new_ones(&added, &before.columns, &columns),
            geo: if has_places { GeoRules::NOTHING } else { rules.geo },
        };
        let rebuild = Rebuild {
            directory: &self.directory,
            segment: segment.number(),
            documents: segment.documents(),
            live: &segment.live(),
            targets: wanted,
            retained_text: text.and_then(|text| retained_text(segment, text)),
            memory: (2 * self.options.buffer_bytes).max(1),
            observer: &change.observer,
            describe: &|| describe(wanted, change.fields),
        };
        let built = rebuild.run(indexing, &mut *next_generation)?;
        drop(columns);
        let directory = &*self.directory;
        let mut rebuilt = retained.with_more_columns(directory, built.columns)?;
        if let Some(text) = built.text {
            rebuilt = rebuilt.with_text(directory, text)?;
        }
        if !has_places || rules.geo.index_nothing() {
            rebuilt = rebuilt.with_geo(directory, built.geo)?;
        }
        if rebuilt.columns_files().len() > MOST_COLUMNS_FILES {
            let cancel = change.observer.cancel;
            rebuilt = self.join_columns(&rebuilt, rules, next_generation(), cancel)?;
        }
        Ok(rebuilt)
    }

    /// Returns the segment with its columns in one file.
    fn join_columns(
        &self,
        segment: &Segment,
        rules: &Rules,
        generation: u64,
        cancel: &Cancel,
    ) -> Result<Segment> {
        let input =
            ColumnsMergeInput { readers: segment.columns_files().collect(), live: &segment.live() };
        let wanted = |name: &str| rules.columns.want(name);
        let name = FileName::columns(segment.number(), generation);
        let joined = TrackedFile::write(&self.directory, &name, |directory, name| {
            columns::merge(&[input], &wanted, &::text::fold, directory, name, cancel)
        })?;
        let bare = segment.clone().without_unwanted_columns(|_| false);
        bare.with_more_columns(&*self.directory, Some((generation, joined)))
    }
}

/// Returns the words of a segment that stay. If none stay, all are rebuilt from scratch; if none
/// are wanted, the text is kept as it is.
fn retained_text<'s>(segment: &'s Segment, text: TextChoice<'_>) -> Option<RetainedText<'s>> {
    let reader = segment.text();
    let names = reader.fields().iter().map(String::as_str);
    let without: BTreeSet<&str> = names.filter(|name| !text.keeps(name)).collect();
    let is_kept = without.is_empty() || without.len() < reader.fields().len();
    is_kept.then_some(RetainedText { reader, without })
}

/// Describes what is being built, counting the attributes of the index.
fn describe(wanted: IndexTargets<'_>, fields: &FieldNames) -> String {
    let mut kinds = Vec::new();
    let mut count = |kind: &str, wanted: &dyn Fn(&str) -> bool| match fields
        .iter()
        .filter(|name| wanted(name))
        .count()
    {
        0 => {}
        1 => kinds.push(format!("{kind} of 1 attribute")),
        count => kinds.push(format!("{kind} of {count} attributes")),
    };
    if let Some(text) = wanted.text {
        count("words", &|name| text.builds(name));
    }
    if let Some(columns) = wanted.columns {
        count("values", &|name| columns.want(name));
    }
    if !wanted.geo.index_nothing() {
        kinds.push("places".to_owned());
    }
    if kinds.is_empty() {
        return "removing data that is no longer needed".to_owned();
    }
    format!("rebuilding {}", kinds.join(" and "))
}
