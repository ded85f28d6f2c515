//! Set of numbers with rank and select: maps a document or a node to its row in a file. Most sets
//! are one run; small ones are a list; large ones a bitmap with running counts.

use roaring::RoaringBitmap;

/// Sets of up to this many numbers are a list.
const LIST_LENGTH: u64 = 1024;

#[derive(Debug)]
pub enum RankedSet {
    Run { first: u32, length: u32 },
    List(Box<[u32]>),
    Bits { first: u32, words: Box<[Word]> },
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Word {
    bits: u64,
    /// Count of the numbers in all words before.
    before: u32,
}

impl RankedSet {
    pub fn new(set: &RoaringBitmap) -> Self {
        let (Some(first), Some(last)) = (set.min(), set.max()) else {
            return Self::Run { first: 0, length: 0 };
        };
        if u64::from(last - first) + 1 == set.len() {
            return Self::Run { first, length: set.len() as u32 };
        }
        if set.len() <= LIST_LENGTH {
            return Self::List(set.iter().collect());
        }
        let mut words = vec![Word::default(); ((last - first) / 64 + 1) as usize];
        for number in set {
            words[((number - first) / 64) as usize].bits |= 1 << ((number - first) % 64);
        }
        let mut before = 0;
        for word in &mut words {
            word.before = before;
            before += word.bits.count_ones();
        }
        Self::Bits { first, words: words.into() }
    }

    /// Returns the rank of a number, if it is in the set.
    #[inline]
    pub fn place(&self, number: u32) -> Option<u32> {
        match self {
            Self::Run { first, length } => {
                number.checked_sub(*first).filter(|place| place < length)
            }
            Self::List(numbers) => numbers.binary_search(&number).ok().map(|place| place as u32),
            Self::Bits { first, words } => {
                let offset = number.checked_sub(*first)?;
                let word = words.get((offset / 64) as usize)?;
                let bit = 1 << (offset % 64);
                let smaller = (word.bits & (bit - 1)).count_ones();
                (word.bits & bit != 0).then_some(word.before + smaller)
            }
        }
    }
}

impl RankedSet {
    /// Returns the smallest number, if the numbers are consecutive.
    pub fn first_of_run(&self) -> Option<u32> {
        match self {
            Self::Run { first, .. } => Some(*first),
            _ => None,
        }
    }

    /// Returns the number of a given rank.
    pub fn number(&self, place: u32) -> Option<u32> {
        match self {
            Self::Run { first, length } => (place < *length).then(|| first + place),
            Self::List(numbers) => numbers.get(place as usize).copied(),
            Self::Bits { first, words } => {
                let word = words.partition_point(|word| word.before <= place).checked_sub(1)?;
                let mut bits = words[word].bits;
                for _ in 0..place - words[word].before {
                    bits &= bits.checked_sub(1)?;
                }
                (bits != 0).then(|| first + 64 * word as u32 + bits.trailing_zeros())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_in_the_sorted_list() {
        let sets: [RoaringBitmap; 5] = [
            RoaringBitmap::new(),
            (7..5000).collect(),
            (0..500).map(|n| n * n).collect(),
            (0..5000).map(|n| n * 3 + 100).collect(),
            (0..9000).filter(|n| n % 7 != 3).map(|n| u32::MAX - n).collect(),
        ];
        for set in sets {
            let ranked = RankedSet::new(&set);
            for (place, number) in set.iter().enumerate() {
                assert_eq!(ranked.place(number), Some(place as u32));
                assert_eq!(ranked.number(place as u32), Some(number));
            }
            assert_eq!(ranked.number(set.len() as u32), None);
            for number in (0..20_000).chain(u32::MAX - 20_000..=u32::MAX) {
                assert_eq!(ranked.place(number).is_some(), set.contains(number));
            }
        }
    }
}
