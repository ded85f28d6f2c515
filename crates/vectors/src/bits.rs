//! Set of rows as a bitmap: small, quick to query, and shared by snapshots until it changes. Rows
//! beyond its end are not in it, so an empty set takes no memory.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    count: u32,
}

impl Bits {
    #[inline]
    pub fn contains(&self, row: u32) -> bool {
        self.words.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub fn insert(&mut self, row: u32) {
        let place = (row / 64) as usize;
        if self.words.len() <= place {
            self.words.resize(place + 1, 0);
        }
        let bit = 1 << (row % 64);
        self.count += u32::from(self.words[place] & bit == 0);
        self.words[place] |= bit;
    }

    /// Returns the number of rows in the set.
    pub fn count(&self) -> u32 {
        self.count
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(rows: I) -> Self {
        let mut bits = Self::default();
        rows.into_iter().for_each(|row| bits.insert(row));
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_once() {
        let bits: Bits = [0, 63, 64, 1000, 63].into_iter().collect();
        assert_eq!(bits.count(), 4);
        let found: Vec<u32> = (0..2000).filter(|&row| bits.contains(row)).collect();
        assert_eq!(found, [0, 63, 64, 1000]);
    }
}
