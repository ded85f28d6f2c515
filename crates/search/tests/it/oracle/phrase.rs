//! Words that must stand together: a phrase of the query, a split, a synonym.

use super::doc_set::DocSet;
use super::fields::{FieldScope, SearchedFields};
use super::index::{FieldId, ModelIndex, WordId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    StopWord,
    Word(WordId),
    /// Occurs in no document.
    Unknown,
}

/// Positions of the first and of the last word of one place where a phrase stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhrasePosition {
    pub first: u32,
    pub last: u32,
}

impl Phrase {
    /// Creates a phrase; `None` is a stop word.
    pub fn new(index: &ModelIndex, words: &[Option<String>]) -> Self {
        let slot = |word: &Option<String>| match word {
            None => Slot::StopWord,
            Some(word) => index.word_id(word).map_or(Slot::Unknown, Slot::Word),
        };
        Self { slots: words.iter().map(slot).collect() }
    }

    pub fn of_words(index: &ModelIndex, words: &[String]) -> Self {
        let words: Vec<Option<String>> = words.iter().cloned().map(Some).collect();
        Self::new(index, &words)
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The first slot that is no stop word.
    pub fn first_word(&self) -> Slot {
        let word = self.slots.iter().find(|slot| **slot != Slot::StopWord);
        word.copied().unwrap_or(Slot::Unknown)
    }

    pub fn number_of_words(&self) -> usize {
        self.slots.iter().filter(|slot| **slot != Slot::StopWord).count()
    }

    pub fn documents(&self, index: &ModelIndex, view: &SearchedFields) -> DocSet {
        if index.improved() {
            let holds = |document: &usize| {
                view.fields.iter().any(|&field| !self.places(index, *document, field).is_empty())
            };
            return (0..index.documents.len()).filter(holds).collect();
        }
        self.documents_by_pairs(index, view)
    }

    /// Returns the positions of the phrase in one attribute of a document.
    pub fn places(
        &self,
        index: &ModelIndex,
        document: usize,
        field: FieldId,
    ) -> Vec<PhrasePosition> {
        let text = &index.documents[document].texts[field];
        let positions =
            |word: WordId| text.iter().filter(move |at| at.word == word).map(|at| at.position);
        let mut places: Option<Vec<PhrasePosition>> = None;
        // Slots since the last word.
        let mut width = 1;
        for slot in &self.slots {
            let word = match slot {
                Slot::Unknown => return Vec::new(),
                Slot::StopWord => {
                    width += 1;
                    continue;
                }
                Slot::Word(word) => *word,
            };
            places = Some(match places {
                None => {
                    positions(word).map(|first| PhrasePosition { first, last: first }).collect()
                }
                Some(so_far) => {
                    let mut longer = Vec::new();
                    for place in so_far {
                        let fits = |next: &u32| {
                            index.settings.by_attribute
                                || (*next > place.last && *next <= place.last + width)
                        };
                        let next = positions(word).filter(fits);
                        longer.extend(next.map(|last| PhrasePosition { first: place.first, last }));
                    }
                    longer.sort_unstable();
                    longer.dedup();
                    longer
                }
            });
            width = 1;
        }
        places.unwrap_or_default()
    }

    /// As the reference does it: any two words within three slots must be near each other.
    fn documents_by_pairs(&self, index: &ModelIndex, view: &SearchedFields) -> DocSet {
        let mut found = index.everything();
        for slot in &self.slots {
            match slot {
                Slot::Unknown => return DocSet::default(),
                Slot::StopWord => {}
                Slot::Word(word) => found &= view.documents(*word, FieldScope::Everywhere),
            }
        }
        for window in self.slots.windows(self.slots.len().clamp(1, 3)) {
            for (i, first) in window.iter().enumerate() {
                for (j, second) in window.iter().enumerate().skip(i + 1) {
                    if let (Slot::Word(first), Slot::Word(second)) = (first, second) {
                        let near = (1..=(j - i) as u32).map(|distance| {
                            view.pair(*first, *second, distance, index.settings.by_attribute)
                        });
                        found &= near.fold(DocSet::default(), |all, some| all | some);
                    }
                }
            }
        }
        found
    }
}
