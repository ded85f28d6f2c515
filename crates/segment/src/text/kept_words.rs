//! Lists of words that a reader has looked for in the dictionary, such as those within some typos
//! of another: that takes a walk through much of it, and whoever types on asks for the same.

use std::sync::Arc;

use super::reader::TextReader;

/// What is kept of a file takes no more than this part of its size.
const PART_OF_FILE: u64 = 64;
const LEAST_LIMIT: u64 = 1 << 18;
const HIGHEST_LIMIT: u64 = 1 << 24;

/// Ordinals of words.
pub type WordLists = Arc<[Vec<u32>]>;

impl TextReader {
    /// The lists of a subject, which must tell everything that they depend on but the file: those
    /// that were found before, or what `find` gives.
    pub fn word_lists<const N: usize>(
        &self,
        subject: &[u32],
        find: impl FnOnce() -> [Vec<u32>; N],
    ) -> WordLists {
        let limit = self.file_bytes() / PART_OF_FILE;
        let limit = limit.clamp(LEAST_LIMIT, HIGHEST_LIMIT) as usize;
        if let Some(kept) = self.kept_words.get(subject, limit) {
            return kept;
        }
        let lists = WordLists::from(find());
        let bytes = lists.iter().map(|list| size_of_val(&list[..])).sum();
        self.kept_words.keep(subject, &lists, bytes, limit);
        lists
    }
}
