//! Reads a text file to the last byte and lists what is wrong with it. Lists and streams say the
//! same thing twice, so they are compared.

use fst::Streamer;
use roaring::RoaringBitmap;

use super::format::FIRST_WORD;
use super::reader::TextReader;
use crate::encoding::dictionary_check;
use crate::encoding::trace::Trace;
use crate::encoding::union::Union;
use crate::error::{Problem, Result};

/// A file that is wrong from end to end need not be described word by word.
const MAX_PROBLEMS: usize = 100;

impl TextReader {
    /// Everything that is wrong; an empty list means that all is well.
    pub fn verify(&self) -> Vec<Problem> {
        let mut problems = self.frame.verify();
        problems.extend(self.verify_dictionary());
        let mut traces = vec![Trace::default(); self.word_count() as usize];
        self.verify_streams(&mut traces, &mut problems);
        self.verify_lists(&traces, &mut problems);
        self.verify_prefixes(&mut problems);
        problems.truncate(MAX_PROBLEMS);
        problems
    }

    fn problem(&self, what: impl Into<String>) -> Problem {
        Problem::new(self.name(), what)
    }

    /// What is wrong with the dictionary. Its checksum was compared when the file was opened; this
    /// is for files that somebody else made, before anybody looks for words in them.
    pub fn verify_dictionary(&self) -> Option<Problem> {
        if !dictionary_check::is_sound(self.dictionary().as_bytes()) {
            return Some(self.problem("the dictionary cannot be read"));
        }
        let mut words = self.dictionary().stream();
        let mut next = 0;
        while let Some((word, ordinal)) = words.next() {
            let shown = String::from_utf8_lossy(word);
            if ordinal.value() != next {
                let what =
                    format!("word `{shown}` has ordinal {} instead of {next}", ordinal.value());
                return Some(self.problem(what));
            }
            next += 1;
        }
        None
    }

    /// Reads every stream, and notes which documents each word has.
    fn verify_streams(&self, traces: &mut [Trace], problems: &mut Vec<Problem>) {
        let mut cursor = self.tokens();
        let mut last = vec![0; traces.len()];
        let mut tokens = 0;
        for (serial, doc_id) in (1..).zip(self.doc_ids()) {
            if problems.len() >= MAX_PROBLEMS {
                return;
            }
            let stream = match cursor.seek(doc_id) {
                Ok(Some(stream)) => stream,
                Ok(None) => continue,
                Err(error) => {
                    problems.push(error.into());
                    continue;
                }
            };
            tokens += stream.token_count() as u64;
            let mut strange = false;
            for field in stream.fields() {
                strange |= usize::from(field.field()) >= self.fields().len() || field.is_empty();
                for ordinal in field.iter().filter_map(|token| token.checked_sub(FIRST_WORD)) {
                    let ordinal = ordinal as usize;
                    let Some(trace) = traces.get_mut(ordinal) else {
                        strange = true;
                        continue;
                    };
                    if last[ordinal] != serial {
                        last[ordinal] = serial;
                        trace.add(doc_id);
                    }
                }
            }
            if strange {
                let what = format!("document {doc_id} has an unknown word or attribute");
                problems.push(self.problem(what));
            }
        }
        if tokens != self.meta.tokens {
            let what = format!("there are {tokens} tokens instead of {}", self.meta.tokens);
            problems.push(self.problem(what));
        }
    }

    fn verify_lists(&self, traces: &[Trace], problems: &mut Vec<Problem>) {
        for (ordinal, expected) in (0..).zip(traces) {
            if problems.len() >= MAX_PROBLEMS {
                return;
            }
            match self.list_trace(ordinal) {
                Ok(found) if found == *expected && found.documents > 0 => {}
                Ok(_) => {
                    let what =
                        format!("the documents of word {ordinal} are not those that have it");
                    problems.push(self.problem(what));
                }
                Err(error) => problems.push(error.into()),
            }
        }
    }

    fn list_trace(&self, ordinal: u32) -> Result<Trace> {
        let trace = Trace::of(&self.documents_of(ordinal)?);
        if self.document_count(ordinal)? != trace.documents {
            return Err(self.malformed_list(ordinal));
        }
        Ok(trace)
    }

    /// Unions are compared with their words; of nested ranges, the inner union stands for its
    /// words in the outer one.
    fn verify_prefixes(&self, problems: &mut Vec<Problem>) {
        let mut inner: Vec<(u32, u32, RoaringBitmap)> = Vec::new();
        for place in (0..self.prefixes.len()).rev() {
            let Some(entry) = self.prefixes.entry(place) else {
                continue;
            };
            let checked = self.prefix_set(place).and_then(|stored| {
                let mut union = Union::default();
                let mut ordinal = entry.start;
                while let Some((start, end, set)) = inner.pop_if(|(_, end, _)| *end <= entry.end) {
                    while ordinal < start {
                        self.add_documents(ordinal, &mut union)?;
                        ordinal += 1;
                    }
                    union.add_set(set);
                    ordinal = end;
                }
                while ordinal < entry.end {
                    self.add_documents(ordinal, &mut union)?;
                    ordinal += 1;
                }
                if union.finish() != stored {
                    let what = format!(
                        "the union of words {} to {} is not that of their documents",
                        entry.start, entry.end
                    );
                    return Err(self.frame.damaged(what));
                }
                Ok(stored)
            });
            match checked {
                Ok(stored) => inner.push((entry.start, entry.end, stored)),
                Err(error) => problems.push(error.into()),
            }
        }
    }
}
