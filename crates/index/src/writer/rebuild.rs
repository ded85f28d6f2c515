//! After a change of settings, every segment gets what has become wanted of its documents and
//! loses what no longer is. What was built by rules that still hold stays as it is.

use std::collections::BTreeSet;

use segment::columns::{self, ColumnsMergeInput};

use super::Writer;
use crate::error::Result;
use crate::field_names::FieldNames;
use crate::file_name::FileName;
use crate::index::Index;
use crate::indexing::{
    ColumnChoice, GeoRules, Indexing, KeptText, Rebuild, Rules, TextChoice, Wanted,
};
use crate::segments::Segment;
use crate::tracked_file::TrackedFile;
use crate::watcher::{Watch, Watcher};

/// Files of columns that a segment may have; whoever looks for a column goes through them.
const MOST_COLUMNS_FILES: usize = 8;

impl Writer<'_> {
    /// Brings segments that were built by other rules up to date. This is what takes long in a
    /// change of settings; a commit does it where nobody has asked for it. When it is stopped,
    /// what was built is forgotten with the writer.
    pub fn rebuild(&mut self, watcher: &dyn Watcher) -> Result<()> {
        let rules = self.attributes.settings.rules();
        let indexing = self.attributes.indexing(self.index.options.threads);
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
                fields: &self.attributes.fields,
                watch: Watch::new(watcher, done, segments),
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
    /// What it was built by.
    before: &'a Rules,
    /// The attributes of the index, to be counted.
    fields: &'a FieldNames,
    watch: Watch<'a>,
}

impl Index {
    /// The segment as the rules want it.
    fn rebuild_segment(
        &self,
        change: &Change<'_>,
        indexing: Indexing<'_>,
        next_generation: &mut dyn FnMut() -> u64,
    ) -> Result<Segment> {
        let (segment, before, rules) = (change.segment, change.before, indexing.rules);
        let kept = segment.clone().without_unwanted_columns(|name| rules.columns.want(name));
        let columns = kept.column_names();
        let added = rules.columns.beyond(&before.columns);
        let has_places = before.geo.include(rules.geo);
        let text = TextChoice::new_ones(&rules.text, &before.text);
        let wanted = Wanted {
            text,
            columns: ColumnChoice::new_ones(&added, &before.columns, &columns),
            geo: if has_places { GeoRules::NOTHING } else { rules.geo },
        };
        let rebuild = Rebuild {
            directory: &self.directory,
            segment: segment.number(),
            documents: segment.documents(),
            live: &segment.live(),
            wanted,
            kept_text: text.and_then(|text| kept_text(segment, text)),
            memory: (2 * self.options.buffer_bytes).max(1),
            watch: &change.watch,
            describe: &|| describe(wanted, change.fields),
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
            let should_stop = || change.watch.should_stop();
            rebuilt = self.join_columns(&rebuilt, rules, next_generation(), &should_stop)?;
        }
        Ok(rebuilt)
    }

    /// The same segment with its columns in one file.
    fn join_columns(
        &self,
        segment: &Segment,
        rules: &Rules,
        generation: u64,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<Segment> {
        let input =
            ColumnsMergeInput { readers: segment.columns_files().collect(), live: &segment.live() };
        let wanted = |name: &str| rules.columns.want(name);
        let name = FileName::columns(segment.number(), generation);
        let joined = TrackedFile::write(&self.directory, &name, |directory, name| {
            columns::merge(&[input], &wanted, &::text::fold, directory, name, should_stop)
        })?;
        let bare = segment.clone().without_unwanted_columns(|_| false);
        bare.with_more_columns(&*self.directory, Some((generation, joined)))
    }
}

/// What stays of the words of a segment. Where none do, all are built from nothing; where there
/// are none, the text is as good as any.
fn kept_text<'s>(segment: &'s Segment, text: TextChoice<'_>) -> Option<KeptText<'s>> {
    let reader = segment.text();
    let names = reader.fields().iter().map(String::as_str);
    let without: BTreeSet<&str> = names.filter(|name| !text.keeps(name)).collect();
    let is_kept = without.is_empty() || without.len() < reader.fields().len();
    is_kept.then_some(KeptText { reader, without })
}

/// What is being built, in words; of the attributes of the index.
fn describe(wanted: Wanted<'_>, fields: &FieldNames) -> String {
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
        return "removing what is no longer wanted".to_owned();
    }
    format!("rebuilding {}", kinds.join(" and "))
}
