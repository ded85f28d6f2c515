//! From stems to the words of a text file that have them.

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

/// The words whose stem is not the word itself, in one language.
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

    /// The ordinals of the words that have the same stem as another word in any language, without
    /// this, in ascending order. `exceptions`: words with stems of their own.
    pub fn words_like(
        &self,
        text: &TextReader,
        word: &str,
        exceptions: &StemExceptions,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        for stems in &self.by_language {
            // An exception names a word of the same stem; one that names itself stands alone.
            let stem_of = |word: &'_ str| -> String {
                match exceptions.stem_of(word) {
                    Some(own) if own == word => own.to_owned(),
                    own => stems.language.stem(own.unwrap_or(word)).into_owned(),
                }
            };
            let stem = stem_of(word);
            let mut exceptional = exceptions.words_of(word).to_vec();
            exceptional.extend_from_slice(exceptions.words_of(&stem));
            let of_stem = text.ordinal(stem.as_bytes());
            for ordinal in stems.with_hash_of(&stem).chain(of_stem) {
                let other = text.word(ordinal).and_then(|word| String::from_utf8(word).ok());
                if let Some(other) = other.filter(|other| other != word && stem_of(other) == stem) {
                    exceptional.extend_from_slice(exceptions.words_of(&other));
                    found.push(ordinal);
                }
            }
            // A word that an exception leads to may have further exceptions beside it.
            if let Some(named) = exceptions.stem_of(word).filter(|named| *named != word) {
                exceptional.extend_from_slice(exceptions.words_of(named));
            }
            let of_stem =
                exceptional.iter().filter(|other| *other != word && stem_of(other) == stem);
            found.extend(of_stem.filter_map(|other| text.ordinal(other.as_bytes())));
        }
        found.sort_unstable();
        found.dedup();
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

    /// Words that may have a stem.
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
