//! Writes the dictionary of words, a finite-state map in the format of the `fst` crate: with that
//! crate's builder, which shares suffixes, or as a tree if there are few words.

use fst::raw::Builder;

use super::tree::TreeWriter;
use crate::error::{Result, SegmentError};

/// Up to this many words are written as a tree.
const FEW_WORDS: usize = 1024;

/// Takes words in byte order; their ordinals are their positions.
#[derive(Default)]
pub struct DictionaryWriter {
    tree: TreeWriter,
    /// Concatenated words for the tree, and their ends.
    few: Vec<u8>,
    ends: Vec<usize>,
    many: Option<Builder<Vec<u8>>>,
    words: u64,
}

impl DictionaryWriter {
    pub fn add(&mut self, word: &[u8]) -> Result<()> {
        if self.many.is_none() && self.ends.len() == FEW_WORDS {
            self.many = Some(self.builder()?);
        }
        if let Some(builder) = &mut self.many {
            builder.insert(word, self.words).map_err(out_of_order)?;
        } else {
            self.tree.add(word)?;
            self.few.extend_from_slice(word);
            self.ends.push(self.few.len());
        }
        self.words += 1;
        Ok(())
    }

    pub fn finish(self) -> Result<Vec<u8>> {
        match self.many {
            Some(builder) => builder.into_inner().map_err(out_of_order),
            None => Ok(self.tree.finish()),
        }
    }

    /// Creates a builder with the words so far.
    fn builder(&self) -> Result<Builder<Vec<u8>>> {
        let mut builder = Builder::memory();
        let mut start = 0;
        for (ordinal, &end) in self.ends.iter().enumerate() {
            builder.insert(&self.few[start..end], ordinal as u64).map_err(out_of_order)?;
            start = end;
        }
        Ok(builder)
    }
}

fn out_of_order(error: impl ToString) -> SegmentError {
    SegmentError::Inconsistent(error.to_string())
}

#[cfg(test)]
pub mod tests {
    use std::collections::BTreeSet;

    use fst::Streamer;
    use fst::raw::Fst;

    use super::*;

    /// Checks that the bytes are a map from these words to their positions.
    pub fn check_fst(bytes: Vec<u8>, words: &BTreeSet<Vec<u8>>) {
        let dictionary = Fst::new(bytes).unwrap();
        assert_eq!(dictionary.len(), words.len());
        for (ordinal, word) in (0..).zip(words) {
            assert_eq!(dictionary.get(word).map(fst::raw::Output::value), Some(ordinal));
            assert_eq!(dictionary.get_key(ordinal).as_ref(), Some(word));
            let mut longer = word.clone();
            longer.push(b'x');
            assert_eq!(dictionary.get(&longer).is_some(), words.contains(&longer));
        }
        let mut stream = dictionary.stream();
        for (ordinal, word) in (0..).zip(words) {
            let (found, output) = stream.next().unwrap();
            assert_eq!((found, output.value()), (&word[..], ordinal));
        }
        assert!(stream.next().is_none());
    }

    #[test]
    fn few_and_many_words() {
        for count in [0, 1, 2, 1023, 1024, 1025, 3000] {
            let words: BTreeSet<Vec<u8>> =
                (0..count).map(|number: u32| number.to_string().into_bytes()).collect();
            let mut writer = DictionaryWriter::default();
            words.iter().for_each(|word| writer.add(word).unwrap());
            check_fst(writer.finish().unwrap(), &words);
        }
    }

    #[test]
    fn words_out_of_order_are_refused() {
        for count in [1, 2000] {
            let mut writer = DictionaryWriter::default();
            for number in 0..count {
                writer.add(format!("{number:05}").as_bytes()).unwrap();
            }
            assert!(writer.add(b"00000").is_err());
        }
    }
}
