//! How documents spell a string whose normal form is the value.

/// The text of a spelling is whatever the reader or writer has at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling<T = String> {
    /// As its normal form.
    Normal,
    Is(T),
    /// In several ways, or at such length that it is not kept: the documents know.
    Varies,
}

/// A spelling in bytes: none for the normal form, one that no text has where it varies.
const VARIES: &[u8] = &[0xff];

impl<'b> Spelling<&'b [u8]> {
    /// The bytes that stand for it.
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

    /// How two groups of documents together spell it.
    pub(super) fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Varies }
    }
}
