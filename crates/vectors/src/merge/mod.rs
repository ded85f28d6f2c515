//! Background maintenance of a store: missing vectors are inserted into the graph, small files are
//! joined and, past a share of changes, the graph is compacted without its deleted nodes. This
//! compares no two vectors twice: the links that commits made in memory are only written down.
//!
//! A merge works on one snapshot and takes no lock. [`Store::rebase`] brings in concurrent commits.

mod compact;
mod join;
mod policy;

use std::sync::Arc;

use model::Cancel;
use segment::Directory;

use crate::error::Result;
use crate::graph::ConcurrentFile;
use crate::store::Store;
use policy::Step;

/// Where and how a merge writes files.
struct MergeOutput<'m> {
    directory: &'m Arc<dyn Directory>,
    name: &'m str,
    next_generation: &'m mut dyn FnMut() -> u64,
    threads: usize,
    cancel: &'m Cancel,
}

impl Store {
    /// Returns whether a merge would make searches quicker or files smaller.
    pub fn wants_merge(&self) -> bool {
        let state = self.state();
        let is_behind = !state.is_small() && state.not_inserted().next().is_some();
        is_behind || policy::next_step(state).is_some()
    }

    /// Builds an equal store of fewer files; `None` if there is nothing to publish. May take long,
    /// and runs beside searches and commits. File names consist of `name` and a number from
    /// `next_generation`; the caller syncs the directory.
    pub fn merge(
        &self,
        directory: &Arc<dyn Directory>,
        name: &str,
        next_generation: &mut dyn FnMut() -> u64,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Option<Self>> {
        self.catch_up(threads, cancel)?;
        let mut output = MergeOutput { directory, name, next_generation, threads, cancel };
        match policy::next_step(self.state()) {
            Some(Step::Join { from }) => self.join(from, &mut output).map(Some),
            Some(Step::Compact { from }) => self.compact(from, &mut output).map(Some),
            None => Ok(None),
        }
    }

    /// Returns this store with `merged` in place of the files of `before` that it was built from;
    /// `None` if these are gone, which makes the merge void.
    pub fn rebase(&self, before: &Self, merged: &Self) -> Result<Option<Self>> {
        let (now, then, merged) = (self.state(), before.state(), merged.state());
        let count = then.entry.files.len();
        let is_continued = Arc::ptr_eq(&now.graph, &then.graph)
            && now.entry.files.get(..count) == Some(&then.entry.files[..]);
        if !is_continued {
            return Ok(None);
        }
        let keeps_graph = Arc::ptr_eq(&merged.graph, &now.graph);
        let mut files = merged.files.clone();
        let mut concurrent = Vec::new();
        for newer in &now.files.as_slice()[count..] {
            let newer = if keeps_graph {
                newer.clone()
            } else {
                let first = merged.graph.take_nodes(newer.file.rows())?;
                let is_run = newer.end() - newer.first_node() == newer.file.rows();
                if newer.is_inserted() && is_run {
                    concurrent.push(ConcurrentFile::new(newer.first_node()..newer.end(), first));
                }
                newer.at(first)?
            };
            files = files.followed_by(newer)?;
        }
        if !keeps_graph {
            merged.graph.set_concurrent_files(concurrent);
        }
        Ok(Some(Self::from_parts(*self.options(), files, merged.graph.clone())))
    }
}
