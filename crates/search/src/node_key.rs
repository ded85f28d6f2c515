//! The key of a node's document set: its term, and how much of the term counts.

pub(crate) type TermId = u16;

/// Typo levels as a set of bits: bit 0 is the word as it is.
pub(crate) type Levels = u8;
pub(crate) const ALL_LEVELS: Levels = 0b111;

/// How many of the ways of matching a word count. For phrases, all do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Breadth {
    /// All ways at the typo levels of the node.
    Full,
    /// The word as typed, and words with the same stem.
    Stem,
    /// The word as typed.
    Exact,
}

/// The key of the document set that matches a node.
pub(crate) type NodeKey = (TermId, Levels, Breadth);
