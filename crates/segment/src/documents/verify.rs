//! Reads a whole documents file and lists its problems.

use roaring::RoaringBitmap;

use super::assemble::id_hash;
use super::block;
use super::id_filter;
use super::reader::DocumentsReader;
use super::run_set::RunSet;
use crate::error::{Problem, Result};

/// Problems listed at most: a file with errors everywhere need not be described block by block.
const MAX_PROBLEMS: usize = 100;

impl DocumentsReader {
    /// Returns all problems; an empty list means that all is well.
    pub fn verify(&self) -> Vec<Problem> {
        let mut problems = self.frame.verify();
        self.verify_blocks(&mut problems);
        self.verify_ids(&mut problems);
        self.verify_fields(&mut problems);
        problems.truncate(MAX_PROBLEMS);
        problems
    }

    fn problem(&self, what: impl Into<String>) -> Problem {
        Problem::new(self.name(), what)
    }

    fn verify_blocks(&self, problems: &mut Vec<Problem>) {
        let mut seen = RunSet::default();
        let mut end = 0;
        let mut raw_length = 0;
        for number in 0..self.block_count() {
            let entry = self.entry(number);
            if entry.offset != end {
                problems.push(self.problem(format!("block {number} is not where it should be")));
            }
            end = entry.offset.saturating_add(entry.compressed_length.into());
            raw_length += u64::from(entry.raw_length);
            if let Err(error) = self.verify_block(number, &mut seen) {
                problems.push(error.into());
            }
            if problems.len() >= MAX_PROBLEMS {
                return;
            }
        }
        if raw_length != self.meta.raw {
            problems.push(
                self.problem(format!(
                    "blocks hold {raw_length} bytes instead of {}",
                    self.meta.raw
                )),
            );
        }
        let seen = seen.finish();
        if seen != *self.doc_ids() {
            let missing = (self.doc_ids() - &seen).len();
            let extra = (&seen - self.doc_ids()).len();
            problems.push(self.problem(format!(
                "{missing} documents are in no block, {extra} are in a block only"
            )));
        }
    }

    fn verify_block(&self, number: usize, seen: &mut RunSet) -> Result<()> {
        let (mut raw, mut documents) = (Vec::new(), Vec::new());
        let entry = self.load(number, &mut raw)?;
        block::parse(&raw, entry.first, &mut documents).ok_or_else(|| self.malformed(number))?;
        for (doc_id, place) in documents {
            self.text(&raw[place], doc_id)?;
            if !seen.push(doc_id) {
                let what = format!("document {doc_id} comes twice or out of order");
                return Err(self.frame.damaged(what));
            }
        }
        Ok(())
    }

    fn verify_ids(&self, problems: &mut Vec<Problem>) {
        let mut seen = RoaringBitmap::new();
        let known = match self.ids() {
            Ok(known) => known,
            Err(error) => return problems.push(error.into()),
        };
        let mut ids = known.table.cursor();
        let mut previous: Option<Vec<u8>> = None;
        while let Some((external_id, doc_id)) = ids.next() {
            let shown = String::from_utf8_lossy(external_id);
            if previous.as_deref().is_some_and(|previous| previous >= external_id) {
                problems.push(self.problem(format!("the id `{shown}` is out of order")));
            }
            if !self.doc_ids().contains(doc_id) {
                problems.push(self.problem(format!("the document of id `{shown}` is missing")));
            }
            if !seen.insert(doc_id) {
                problems.push(self.problem(format!("document {doc_id} has two ids")));
            }
            if !id_filter::may_contain(&known.filter, id_hash(external_id)) {
                problems.push(self.problem(format!("the filter denies the id `{shown}`")));
            }
            if problems.len() >= MAX_PROBLEMS {
                return;
            }
            let previous = previous.get_or_insert_default();
            previous.clear();
            previous.extend_from_slice(external_id);
        }
        if !ids.is_done() {
            problems.push(self.malformed_ids().into());
        }
        if seen.len() != self.len() {
            let without = self.len().saturating_sub(seen.len());
            problems.push(self.problem(format!("{without} documents have no id")));
        }
    }

    fn verify_fields(&self, problems: &mut Vec<Problem>) {
        for (name, set) in self.fields() {
            if !set.is_subset(self.doc_ids()) {
                problems
                    .push(self.problem(format!("field `{name}` has documents that are missing")));
            }
        }
    }
}
