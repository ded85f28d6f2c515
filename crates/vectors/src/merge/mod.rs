//! Keeps a store in order, in the background: vectors that are not in the graph yet are entered,
//! small files are joined, and, past a share of changes, the graph is written anew without the
//! nodes that have died. No two vectors are compared twice for it: what commits have entered in
//! memory is only written down.
//!
//! A merge works on one snapshot and takes no lock. What commits did meanwhile is brought in by
//! [`Store::rebase`].

mod fold;
mod join;
mod policy;

use std::sync::Arc;

use segment::Directory;

use crate::error::Result;
use crate::graph::Later;
use crate::store::Store;
use policy::Step;

/// What a merge needs to make files.
struct Site<'m> {
    directory: &'m Arc<dyn Directory>,
    name: &'m str,
    next_generation: &'m mut dyn FnMut() -> u64,
    threads: usize,
    should_stop: &'m dyn Fn() -> bool,
}

impl Store {
    /// Whether a merge would make searches quicker or files smaller.
    pub fn wants_merge(&self) -> bool {
        let state = self.state();
        let is_behind = !state.is_small() && state.not_entered().next().is_some();
        is_behind || policy::next_step(state).is_some()
    }

    /// Makes an equal store of fewer and tidier files; nothing where there is nothing to publish.
    /// It may take long, and runs beside searches and commits. A name is `name` and a number that
    /// `next_generation` gives; names of files are for the caller to sync.
    pub fn merge(
        &self,
        directory: &Arc<dyn Directory>,
        name: &str,
        next_generation: &mut dyn FnMut() -> u64,
        threads: usize,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<Option<Self>> {
        self.catch_up(threads, should_stop)?;
        let mut site = Site { directory, name, next_generation, threads, should_stop };
        match policy::next_step(self.state()) {
            Some(Step::Join { from }) => self.join(from, &mut site).map(Some),
            Some(Step::Fold { from }) => self.fold(from, &mut site).map(Some),
            None => Ok(None),
        }
    }

    /// This store with `merged` in place of the files of `before` that it was made of; nothing
    /// where these have gone meanwhile, so that the merge was in vain.
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
        let mut later = Vec::new();
        for newer in &now.files.as_slice()[count..] {
            let newer = if keeps_graph {
                newer.clone()
            } else {
                let first = merged.graph.take_nodes(newer.file.rows())?;
                let is_run = newer.end() - newer.first_node() == newer.file.rows();
                if newer.is_entered() && is_run {
                    later.push(Later::new(newer.first_node()..newer.end(), first));
                }
                newer.at(first)?
            };
            files = files.followed_by(newer)?;
        }
        if !keeps_graph {
            merged.graph.note_later(later);
        }
        Ok(Some(Self::from_parts(*self.options(), files, merged.graph.clone())))
    }
}
