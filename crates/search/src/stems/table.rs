//! Maps stems to the words of a text file.

use std::hash::{DefaultHasher, Hash, Hasher};

use index::Segment;
use segment::text::TextReader;
use settings::StemExceptions;
use text::StemLanguage;

use super::{Languages, documents};

pub(super) struct StemTable {
    languages: Languages,
    by_language: Vec<Stems>,
}

/// The words whose stem differs from the word, in one language.
struct Stems {
    language: StemLanguage,
    /// A hash of the stem in the upper half, the ordinal of the word in the lower, sorted.
    entries: Vec<u64>,
}

impl StemTable {
    pub fn new(segment: &Segment, languages: Languages) -> Self {
        let mut all = languages.named.clone();
        if languages.of_documents {
            all.extend(documents::languages(segment));
            all.sort_unstable();
            all.dedup();
        }
        let by_language = all.into_iter().map(|language| Stems::new(segment.text(), language));
        Self { languages, by_language: by_language.collect() }
    }

    pub fn is_for(&self, languages: &Languages) -> bool {
        self.languages == *languages
    }

    /// Returns, in ascending order, the ordinals of the other words with the same stem in any
    /// language. `exceptional`: words with exceptions that may have it too.
    pub fn words_like(
        &self,
        text: &TextReader,
        word: &str,
        exceptions: &StemExceptions,
        exceptional: &[String],
    ) -> Vec<u32> {
        let mut found = Vec::new();
        for stems in &self.by_language {
            let stem = stems.stem_of(word, exceptions);
            found.extend(stems.others(text, word, exceptions).map(|(ordinal, _)| ordinal));
            let of_stem = exceptional
                .iter()
                .filter(|other| *other != word && stems.stem_of(other, exceptions) == stem);
            found.extend(of_stem.filter_map(|other| text.ordinal(other.as_bytes())));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the words whose exceptions name a word that shares its stem with another word.
    pub fn exceptional(
        &self,
        text: &TextReader,
        word: &str,
        exceptions: &StemExceptions,
    ) -> Vec<String> {
        let mut found = exceptions.words_of(word).to_vec();
        if let Some(named) = exceptions.stem_of(word).filter(|named| *named != word) {
            found.extend_from_slice(exceptions.words_of(named));
        }
        for stems in &self.by_language {
            found.extend_from_slice(exceptions.words_of(&stems.stem_of(word, exceptions)));
            for (_, other) in stems.others(text, word, exceptions) {
                found.extend_from_slice(exceptions.words_of(&other));
            }
        }
        found
    }
}

impl Stems {
    fn new(text: &TextReader, language: StemLanguage) -> Self {
        let mut entries = Vec::new();
        text.for_each_word(|word, ordinal| {
            if let Ok(word) = str::from_utf8(word) {
                let stem = language.stem(word);
                if stem != word {
                    entries.push(hash(&stem) << 32 | u64::from(ordinal));
                }
            }
        });
        entries.sort_unstable();
        entries.shrink_to_fit();
        Self { language, entries }
    }

    /// An exception names a word with the same stem; one that names itself has no stem mates.
    fn stem_of(&self, word: &str, exceptions: &StemExceptions) -> String {
        match exceptions.stem_of(word) {
            Some(own) if own == word => own.to_owned(),
            own => self.language.stem(own.unwrap_or(word)).into_owned(),
        }
    }

    /// Returns the other words of a text file with the stem of a word.
    fn others<'t>(
        &'t self,
        text: &'t TextReader,
        word: &'t str,
        exceptions: &'t StemExceptions,
    ) -> impl Iterator<Item = (u32, String)> + 't {
        let stem = self.stem_of(word, exceptions);
        let of_stem = text.ordinal(stem.as_bytes());
        let ordinals: Vec<u32> = self.with_hash_of(&stem).chain(of_stem).collect();
        let others = ordinals.into_iter().filter_map(move |ordinal| {
            Some((ordinal, text.word(ordinal).and_then(|word| String::from_utf8(word).ok())?))
        });
        others.filter(move |(_, other)| other != word && self.stem_of(other, exceptions) == stem)
    }

    /// Returns the words that may have a stem.
    fn with_hash_of(&self, stem: &str) -> impl Iterator<Item = u32> {
        let hash = hash(stem);
        let start = self.entries.partition_point(|entry| entry >> 32 < hash);
        let with_hash = self.entries[start..].iter().take_while(move |entry| **entry >> 32 == hash);
        with_hash.map(|entry| *entry as u32)
    }
}

fn hash(stem: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    stem.hash(&mut hasher);
    hasher.finish() >> 32
}
