//! Reads a whole text file and lists its problems. Posting lists and streams are redundant, so they
//! are compared.

use fst::Streamer;
use roaring::RoaringBitmap;

use super::format::{FIRST_WORD, positions_of};
use super::lengths::LengthsWriter;
use super::occurrence::{Mark, Occurrence};
use super::parts::{self, PartsBuilder};
use super::prefix_unions::Unions;
use super::reader::TextReader;
use super::word_writer::WrittenWords;
use crate::encoding::dictionary_check;
use crate::encoding::trace::Trace;
use crate::encoding::union::Union;
use crate::error::{Problem, Result};

/// Problems listed at most: a file with errors everywhere need not be described word by word.
const MAX_PROBLEMS: usize = 100;

/// Words as found in the token streams.
struct StreamWords<'u> {
    /// Documents of each word.
    documents: Vec<Trace>,
    occurrences: Vec<Trace>,
    lengths: LengthsWriter,
    parts: PartsBuilder<'u>,
    part_bytes: Vec<u8>,
}

impl TextReader {
    /// Returns all problems; an empty list means that all is well.
    pub fn verify(&self) -> Vec<Problem> {
        let mut problems = self.frame.verify();
        problems.extend(self.verify_dictionary());
        let unions = self.verify_prefixes(&mut problems);
        let (frequent, is_near) = self.verify_frequent(&mut problems);
        let words = WrittenWords { count: self.word_count(), unions, frequent, is_near };
        let mut stream_words = StreamWords {
            documents: vec![Trace::default(); self.word_count() as usize],
            occurrences: vec![Trace::default(); self.word_count() as usize],
            lengths: LengthsWriter::default(),
            parts: PartsBuilder::new(&words, self.may_have_near_pairs()),
            part_bytes: Vec::new(),
        };
        self.verify_streams(&mut stream_words, &mut problems);
        self.verify_lists(&stream_words, &mut problems);
        problems.extend(self.verify_lengths(&stream_words.lengths));
        if words.need_parts() && words.unions.len() == self.prefixes.len() {
            problems.extend(self.verify_parts(stream_words));
        }
        problems.truncate(MAX_PROBLEMS);
        problems
    }

    fn problem(&self, what: impl Into<String>) -> Problem {
        Problem::new(self.name(), what)
    }

    /// Returns the problem of the dictionary, if it has one. Its checksum was verified when the
    /// file was opened; this is for files from another source, before words are looked up in them.
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

    /// Reads every stream, and records the documents of each word.
    fn verify_streams(&self, stream_words: &mut StreamWords<'_>, problems: &mut Vec<Problem>) {
        let mut cursor = self.tokens();
        let mut last = vec![0; stream_words.documents.len()];
        let mut tokens = 0;
        let (mut heads, mut stream_tokens, mut uses) = (Vec::new(), Vec::new(), Vec::new());
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
            heads.clear();
            stream_tokens.clear();
            for field in stream.fields() {
                strange |= usize::from(field.field()) >= self.fields().len() || field.is_empty();
                let start = stream_tokens.len();
                field.decode_into(&mut stream_tokens);
                heads.push((field.field(), field.len() as u32));
                uses.clear();
                let mut position = 0;
                for &token in &stream_tokens[start..] {
                    match token.checked_sub(FIRST_WORD) {
                        Some(ordinal) if ordinal < self.word_count() => {
                            uses.push((ordinal, position));
                        }
                        Some(_) => strange = true,
                        None => {}
                    }
                    position += positions_of(token);
                }
                uses.sort_unstable();
                for of_word in uses.chunk_by(|left, right| left.0 == right.0) {
                    let (ordinal, first) = (of_word[0].0 as usize, of_word[0].1);
                    let mut occurrence = Occurrence::new(doc_id, field.field(), Mark::first(first));
                    of_word[1..].iter().for_each(|_| occurrence.add_use());
                    stream_words.occurrences[ordinal].add_number(occurrence.to_number());
                    if last[ordinal] != serial {
                        last[ordinal] = serial;
                        stream_words.documents[ordinal].add(doc_id);
                    }
                }
            }
            if strange {
                let what = format!("document {doc_id} has an unknown word or attribute");
                problems.push(self.problem(what));
            } else {
                stream_words.lengths.add(&heads);
                stream_words.parts.add(
                    doc_id,
                    &heads,
                    &stream_tokens,
                    &mut stream_words.part_bytes,
                );
            }
        }
        if tokens != self.meta.tokens {
            let what = format!("there are {tokens} tokens instead of {}", self.meta.tokens);
            problems.push(self.problem(what));
        }
    }

    fn verify_lists(&self, stream_words: &StreamWords<'_>, problems: &mut Vec<Problem>) {
        for ((ordinal, expected), occurrences) in
            (0..).zip(&stream_words.documents).zip(&stream_words.occurrences)
        {
            if problems.len() >= MAX_PROBLEMS {
                return;
            }
            let found = self
                .list_trace(ordinal)
                .and_then(|documents| Ok((documents, self.occurrences_trace(ordinal)?)));
            match found {
                Ok((documents, _)) if documents != *expected || documents.documents == 0 => {
                    let what =
                        format!("the documents of word {ordinal} are not those that have it");
                    problems.push(self.problem(what));
                }
                Ok((_, Some(found))) if found != *occurrences => {
                    let what = format!("word {ordinal} is not at the position in its list");
                    problems.push(self.problem(what));
                }
                Ok(_) => {}
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

    /// Returns the trace of a word's occurrences; `None` if the file has none.
    fn occurrences_trace(&self, ordinal: u32) -> Result<Option<Trace>> {
        let mut doc_ids = Vec::new();
        let Some(stored) = self.occurrences(ordinal, &mut doc_ids)? else {
            return Ok(None);
        };
        let mut trace = Trace::default();
        for field in stored.fields() {
            field.for_each(&doc_ids, |doc_id, mark| {
                trace.add_number(Occurrence::new(doc_id, field.field(), mark).to_number());
            });
        }
        Ok(Some(trace))
    }

    /// Returns the frequent words, by their lists, and for each of them whether its pairs with
    /// words between them are stored.
    fn verify_frequent(&self, problems: &mut Vec<Problem>) -> (Vec<u32>, Vec<bool>) {
        let least = if self.may_have_near_pairs() {
            parts::least_frequent(self.meta.documents)
        } else {
            parts::older_least_frequent(self.meta.documents)
        };
        let least_near = parts::least_near(self.meta.documents);
        let (mut frequent, mut is_near) = (Vec::new(), Vec::new());
        for ordinal in 0..self.word_count() {
            match self.document_count(ordinal) {
                Ok(count) if u64::from(count) >= least => {
                    frequent.push(ordinal);
                    is_near.push(u64::from(count) >= least_near);
                }
                Ok(_) => {}
                Err(error) => problems.push(error.into()),
            }
            if problems.len() >= MAX_PROBLEMS {
                break;
            }
        }
        frequent.truncate(parts::MOST_WORDS);
        if let Some(parts) = &self.parts
            && !parts.frequent().eq(frequent.iter().copied())
        {
            problems.push(self.problem("the frequent words are not those of its lists"));
        }
        (frequent, is_near)
    }

    fn verify_lengths(&self, expected: &LengthsWriter) -> Option<Problem> {
        match self.lengths.as_ref()?.are(expected, &self.frame) {
            Ok(true) => None,
            Ok(false) => {
                Some(self.problem("the lengths of attributes are not those of its documents"))
            }
            Err(error) => Some(error.into()),
        }
    }

    fn verify_parts(&self, mut stream_words: StreamWords<'_>) -> Option<Problem> {
        let Some(parts) = &self.parts else {
            return self.has_occurrences().then(|| self.problem("the parts are missing"));
        };
        stream_words.parts.finish(&mut stream_words.part_bytes);
        match parts.are(&stream_words.part_bytes, &self.frame) {
            Ok(true) => None,
            Ok(false) => Some(self.problem("the parts are not those of its documents")),
            Err(error) => Some(error.into()),
        }
    }

    /// Compares unions with their words; of nested ranges, the inner union represents its words in
    /// the outer one. Returns the stored unions.
    fn verify_prefixes(&self, problems: &mut Vec<Problem>) -> Unions {
        let mut inner: Vec<(u32, u32, RoaringBitmap)> = Vec::new();
        let mut unions = Unions::new();
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
                Ok(stored) => {
                    unions.push((entry.start..entry.end, stored.clone()));
                    inner.push((entry.start, entry.end, stored));
                }
                Err(error) => problems.push(error.into()),
            }
        }
        unions.reverse();
        unions
    }
}
