//! What identifies the documents of a node: its term, and how much of the term counts.

pub(crate) type TermId = u16;

/// Typo levels as a set of bits: bit 0 is the word as it is.
pub(crate) type Levels = u8;
pub(crate) const ALL_LEVELS: Levels = 0b111;

/// How much of what a word can be found by counts. All of a phrase does always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Breadth {
    /// All of it, at the typo levels of the node.
    Full,
    /// The word as typed, and those of the same stem.
    Stem,
    /// The word as typed.
    Exact,
}

/// Identifies the set of documents that match a node.
pub(crate) type NodeKey = (TermId, Levels, Breadth);
