//! Sets of documents, as the bits of one number.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct DocSet(u64);

impl DocSet {
    pub const CAPACITY: usize = 64;

    pub fn single(document: usize) -> Self {
        assert!(document < Self::CAPACITY, "the model holds {} documents", Self::CAPACITY);
        Self(1 << document)
    }

    pub fn insert(&mut self, document: usize) {
        *self |= Self::single(document);
    }

    pub fn contains(self, document: usize) -> bool {
        !(self & Self::single(document)).is_empty()
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::CAPACITY).filter(move |document| self.0 >> document & 1 == 1)
    }
}

impl FromIterator<usize> for DocSet {
    fn from_iter<I: IntoIterator<Item = usize>>(documents: I) -> Self {
        let mut set = Self::default();
        documents.into_iter().for_each(|document| set.insert(document));
        set
    }
}

impl BitAnd for DocSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for DocSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Sub for DocSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitAndAssign for DocSet {
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for DocSet {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl SubAssign for DocSet {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl fmt::Debug for DocSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
