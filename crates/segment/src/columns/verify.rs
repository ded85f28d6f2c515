//! Reads a whole columns file and lists its problems. Posting lists and document values are
//! redundant, so they are compared.

use fst::Streamer;
use fst::raw::Fst;
use roaring::RoaringBitmap;

use super::column::Column;
use super::folded::FoldedDictionary;
use super::reader::ColumnsReader;
use crate::directory::FileBytes;
use crate::documents::RunSet;
use crate::encoding::dictionary_check;
use crate::encoding::trace::Trace;
use crate::error::{Problem, Result};

/// Problems listed at most: a file with errors everywhere need not be described value by value.
const MAX_PROBLEMS: usize = 100;

impl ColumnsReader {
    /// Returns all problems; an empty list means that all is well.
    pub fn verify(&self) -> Vec<Problem> {
        let mut problems = self.file.frame.verify();
        let names: Vec<&str> = self.names().collect();
        if !names.is_sorted_by(|left, right| left < right) {
            problems.push(Problem::new(self.name(), "the names of columns are out of order"));
        }
        let mut end = 0;
        for (number, name) in names.iter().enumerate() {
            if problems.len() >= MAX_PROBLEMS {
                break;
            }
            let checked = self.description(number).and_then(|description| {
                if description.start != end {
                    let what = format!("column `{name}` is not where it should be");
                    return Err(self.file.frame.damaged(what));
                }
                end = description.end().unwrap_or_default();
                self.column_at(number)?.verify()
            });
            problems.extend(checked.err().map(Problem::from));
        }
        if problems.is_empty() && end != self.file.data.len() as u64 {
            problems.push(Problem::new(self.name(), "there is data that belongs to no column"));
        }
        problems.truncate(MAX_PROBLEMS);
        problems
    }
}

impl ColumnsReader {
    /// Returns the problems of dictionaries, for files from another source: checksums say nothing
    /// about these, and an invalid dictionary cannot be searched.
    pub fn verify_dictionaries(&self) -> Vec<Problem> {
        let columns = 0..self.names().count();
        let checked = columns.map(|number| self.column_at(number)?.verify_dictionaries());
        checked.filter_map(Result::err).map(Problem::from).collect()
    }
}

impl Column {
    fn verify_dictionaries(&self) -> Result<()> {
        let folded = self.folded();
        let folded = folded.as_ref().map(FoldedDictionary::dictionary);
        let mut all = self.dictionary().into_iter().chain(folded);
        all.try_for_each(|dictionary| self.verify_dictionary(dictionary))
    }

    /// Returns the first problem as an error.
    fn verify(&self) -> Result<()> {
        self.verify_sets()?;
        self.verify_values()?;
        let traces = self.verify_documents()?;
        for (ordinal, expected) in (0..).zip(traces) {
            let found = Trace::of(&self.documents_of(ordinal)?);
            if found != expected
                || found.documents == 0
                || self.document_count(ordinal)? != found.documents
            {
                return Err(self.malformed_list(ordinal));
            }
        }
        Ok(())
    }

    fn verify_sets(&self) -> Result<()> {
        let is_there = |set: &RoaringBitmap| set.is_subset(self.exists());
        let all_there = [self.null(), self.empty(), self.valued()].into_iter().all(is_there);
        if self.exists().is_empty() || !all_there {
            return Err(self.malformed("a set of documents"));
        }
        Ok(())
    }

    fn verify_values(&self) -> Result<()> {
        let mut last = None;
        for ordinal in 0..self.number_count() {
            let number = self.number(ordinal)?;
            let is_negative_zero = number == 0.0 && number.is_sign_negative();
            if number.is_nan() || is_negative_zero || last.is_some_and(|last| last >= number) {
                return Err(self.malformed("the list of numbers"));
            }
            last = Some(number);
        }
        if let Some(dictionary) = self.dictionary() {
            self.verify_dictionary(dictionary)?;
        }
        for ordinal in self.number_count()..self.value_count() {
            self.string(ordinal)?;
            self.spelling(ordinal)?;
        }
        let Some(folded) = self.folded() else {
            return Ok(());
        };
        self.verify_dictionary(folded.dictionary())?;
        let mut seen = RoaringBitmap::new();
        for group in 0..folded.dictionary().len() as u64 {
            for ordinal in folded.ordinals(group)? {
                if !seen.insert(ordinal) {
                    return Err(self.malformed("a group"));
                }
            }
        }
        Ok(())
    }

    fn verify_dictionary(&self, dictionary: &Fst<FileBytes>) -> Result<()> {
        if !dictionary_check::is_sound(dictionary.as_bytes()) {
            return Err(self.malformed("a dictionary"));
        }
        let mut strings = dictionary.stream();
        let mut next = 0;
        while let Some((string, place)) = strings.next() {
            if place.value() != next || str::from_utf8(string).is_err() {
                return Err(self.malformed("a dictionary"));
            }
            next += 1;
        }
        Ok(())
    }

    /// Reads the values of every document. Returns the documents of each value.
    fn verify_documents(&self) -> Result<Vec<Trace>> {
        let mut traces = vec![Trace::default(); self.value_count() as usize];
        let mut cursor = self.values();
        let mut valued = RunSet::default();
        // If all DocIds have a place, those that should have no value are read too.
        let mut all = self.valued().clone();
        if let (Some(first), Some(steps)) =
            (self.description.first, self.description.places.checked_sub(1))
        {
            all.insert_range(first..=first.saturating_add(steps as u32));
        }
        for doc_id in &all {
            let mut last = None;
            for ordinal in cursor.seek(doc_id)? {
                match traces.get_mut(ordinal as usize) {
                    Some(trace) if last.is_none_or(|last| last < ordinal) => trace.add(doc_id),
                    _ => return Err(self.malformed(&format!("document {doc_id}"))),
                }
                last = Some(ordinal);
            }
            if last.is_some() {
                valued.push(doc_id);
            }
        }
        if valued.finish() != *self.valued() {
            return Err(self.malformed("the set of documents with values"));
        }
        Ok(traces)
    }
}
