//! Spelling of a string in documents, whose normal form is the value.

/// Generic over the text, which readers and writers hold in different forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling<T = String> {
    /// Identical to the normal form.
    Normal,
    Is(T),
    /// Several spellings, or one too long to be stored: only the documents have it.
    Varies,
}

/// Byte form of [`Spelling::Varies`], which is not valid UTF-8; the normal form is empty.
const VARIES: &[u8] = &[0xff];

impl<'b> Spelling<&'b [u8]> {
    /// Returns the byte form.
    pub(super) fn to_bytes(self) -> &'b [u8] {
        match self {
            Self::Normal => &[],
            Self::Is(text) => text,
            Self::Varies => VARIES,
        }
    }

    pub(super) fn from_bytes(bytes: &'b [u8]) -> Self {
        match bytes {
            [] => Self::Normal,
            VARIES => Self::Varies,
            text => Self::Is(text),
        }
    }

    /// Combines the spellings of two groups of documents.
    pub(super) fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Varies }
    }
}
