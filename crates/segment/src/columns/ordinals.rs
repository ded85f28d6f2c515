//! Value ordinals in a fixed number of bytes, for random access and for comparing many at a time.
//! Of three bytes the upper one is stored apart, after the lower two of all ordinals: CPUs have no
//! three-byte numbers.

use std::ops::Range;

/// Ordinals as stored.
#[derive(Debug, Clone, Copy)]
pub enum Ordinals<'b> {
    One(&'b [u8]),
    Two(&'b [[u8; 2]]),
    Three(&'b [[u8; 2]], &'b [u8]),
    Four(&'b [[u8; 4]]),
}

pub fn write(out: &mut Vec<u8>, ordinals: &[u32], width: usize) {
    out.reserve(ordinals.len() * width);
    match width {
        1 => out.extend(ordinals.iter().map(|&ordinal| ordinal as u8)),
        2 | 3 => out.extend(ordinals.iter().flat_map(|&ordinal| (ordinal as u16).to_le_bytes())),
        _ => out.extend(ordinals.iter().flat_map(|&ordinal| ordinal.to_le_bytes())),
    }
    if width == 3 {
        out.extend(ordinals.iter().map(|&ordinal| (ordinal >> 16) as u8));
    }
}

impl<'b> Ordinals<'b> {
    /// Creates the view from the bytes of the ordinals and, if they have three bytes, the upper
    /// ones. `None` if the bytes are not whole ordinals.
    pub fn new(bytes: &'b [u8], upper: &'b [u8], width: usize) -> Option<Self> {
        match width {
            1 => Some(Self::One(bytes)),
            2 | 3 => {
                let (lower, []) = bytes.as_chunks() else {
                    return None;
                };
                if width == 2 {
                    return Some(Self::Two(lower));
                }
                (lower.len() == upper.len()).then_some(Self::Three(lower, upper))
            }
            _ => match bytes.as_chunks() {
                (ordinals, []) => Some(Self::Four(ordinals)),
                _ => None,
            },
        }
    }

    #[inline]
    pub fn get(&self, place: usize) -> Option<u32> {
        Some(match self {
            Self::One(ordinals) => u32::from(*ordinals.get(place)?),
            Self::Two(ordinals) => two(*ordinals.get(place)?),
            Self::Three(lower, upper) => three(*lower.get(place)?, *upper.get(place)?),
            Self::Four(ordinals) => u32::from_le_bytes(*ordinals.get(place)?),
        })
    }

    #[inline]
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        Some(match self {
            Self::One(ordinals) => Self::One(ordinals.get(range)?),
            Self::Two(ordinals) => Self::Two(ordinals.get(range)?),
            Self::Three(lower, upper) => Self::Three(lower.get(range.clone())?, upper.get(range)?),
            Self::Four(ordinals) => Self::Four(ordinals.get(range)?),
        })
    }

    /// Visits every ordinal, deciding on the width only once.
    #[inline]
    pub fn each(self, mut visit: impl FnMut(u32)) {
        match self {
            Self::One(ordinals) => ordinals.iter().for_each(|&ordinal| visit(u32::from(ordinal))),
            Self::Two(ordinals) => ordinals.iter().for_each(|&ordinal| visit(two(ordinal))),
            Self::Three(lower, upper) => {
                lower.iter().zip(upper).for_each(|(&lower, &upper)| visit(three(lower, upper)));
            }
            Self::Four(ordinals) => {
                ordinals.iter().for_each(|&ordinal| visit(u32::from_le_bytes(ordinal)));
            }
        }
    }

    /// Returns one bit per ordinal: whether it is in the range.
    pub fn marks_in(self, range: Range<u32>) -> Vec<u64> {
        // Below the start, the difference wraps to more than any length.
        let (start, length) = (range.start, range.end.saturating_sub(range.start));
        match self {
            // The end of a valid range has the width of the ordinals.
            Self::One(ordinals) => {
                let (start, length) = (start as u8, length.min(0xff) as u8);
                marks(ordinals, |ordinal| ordinal.wrapping_sub(start) < length)
            }
            Self::Two(ordinals) => {
                let (start, length) = (start as u16, length.min(0xffff) as u16);
                marks(ordinals, |ordinal| u16::from_le_bytes(ordinal).wrapping_sub(start) < length)
            }
            Self::Three(lower, upper) => marks_of_pairs(lower, upper, |lower, upper| {
                three(lower, upper).wrapping_sub(start) < length
            }),
            Self::Four(ordinals) => {
                marks(ordinals, |ordinal| u32::from_le_bytes(ordinal).wrapping_sub(start) < length)
            }
        }
    }

    /// Returns one bit per ordinal: whether its flag is 1 rather than 0.
    pub fn marks_of(self, flags: &[u8]) -> Vec<u64> {
        let is_set = |ordinal: u32| flags.get(ordinal as usize).copied().unwrap_or_default() == 1;
        match self {
            Self::One(ordinals) => marks(ordinals, |ordinal| is_set(u32::from(ordinal))),
            Self::Two(ordinals) => marks(ordinals, |ordinal| is_set(two(ordinal))),
            Self::Three(lower, upper) => {
                marks_of_pairs(lower, upper, |lower, upper| is_set(three(lower, upper)))
            }
            Self::Four(ordinals) => marks(ordinals, |ordinal| is_set(u32::from_le_bytes(ordinal))),
        }
    }
}

#[inline]
fn two(bytes: [u8; 2]) -> u32 {
    u32::from(u16::from_le_bytes(bytes))
}

#[inline]
fn three(lower: [u8; 2], upper: u8) -> u32 {
    two(lower) | u32::from(upper) << 16
}

#[inline]
fn marks<T: Copy>(items: &[T], is_one: impl Fn(T) -> bool) -> Vec<u64> {
    let mut words = Vec::with_capacity(items.len().div_ceil(64));
    let (whole, rest) = items.as_chunks::<64>();
    for items in whole {
        words.push(pack(&items.map(|item| u8::from(is_one(item)))));
    }
    if !rest.is_empty() {
        let mut flags = [0; 64];
        rest.iter().zip(&mut flags).for_each(|(&item, flag)| *flag = u8::from(is_one(item)));
        words.push(pack(&flags));
    }
    words
}

#[inline]
fn marks_of_pairs<T: Copy, U: Copy>(
    left: &[T],
    right: &[U],
    is_one: impl Fn(T, U) -> bool,
) -> Vec<u64> {
    let mut words = Vec::with_capacity(left.len().div_ceil(64));
    let ((whole_left, rest_left), (whole_right, rest_right)) =
        (left.as_chunks::<64>(), right.as_chunks::<64>());
    for (left, right) in whole_left.iter().zip(whole_right) {
        let mut flags = [0; 64];
        for ((&left, &right), flag) in left.iter().zip(right).zip(&mut flags) {
            *flag = u8::from(is_one(left, right));
        }
        words.push(pack(&flags));
    }
    if !rest_left.is_empty() {
        let mut flags = [0; 64];
        for ((&left, &right), flag) in rest_left.iter().zip(rest_right).zip(&mut flags) {
            *flag = u8::from(is_one(left, right));
        }
        words.push(pack(&flags));
    }
    words
}

/// Packs the lowest bits of 64 bytes that are 0 or 1.
#[inline]
fn pack(flags: &[u8; 64]) -> u64 {
    /// Moves the lowest bit of every byte into the uppermost byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = flags.as_chunks::<8>();
    let mut bytes = [0; 8];
    for (eight, byte) in eights.iter().zip(&mut bytes) {
        *byte = (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) as u8;
    }
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(ordinals: &[u32], width: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, ordinals, width);
        assert_eq!(bytes.len(), ordinals.len() * width);
        bytes
    }

    fn read(bytes: &[u8], width: usize) -> Ordinals<'_> {
        let lower = if width == 3 { bytes.len() / 3 * 2 } else { bytes.len() };
        Ordinals::new(&bytes[..lower], &bytes[lower..], width).unwrap()
    }

    #[test]
    fn ordinals_of_every_width_come_back() {
        for (width, most) in [(1, 0xff), (2, 0xffff), (3, 0x1_ffff), (4, u32::MAX)] {
            for count in [0, 1, 63, 64, 65, 200_u32] {
                let ordinals: Vec<u32> =
                    (0..count).map(|number| number.wrapping_mul(2_654_435_761) & most).collect();
                let bytes = stored(&ordinals, width);
                let found = read(&bytes, width);
                let all: Vec<u32> = (0..ordinals.len()).filter_map(|it| found.get(it)).collect();
                assert_eq!(all, ordinals);
                assert_eq!(found.get(ordinals.len()), None);
                let mut each = Vec::new();
                found.each(|ordinal| each.push(ordinal));
                assert_eq!(each, ordinals);
                if let Some(middle) = found.slice(1..ordinals.len()) {
                    assert_eq!(middle.get(0), ordinals.get(1).copied());
                }
                for range in [0..most, 0..1, most / 3..most / 2, most - 1..most, 5..5] {
                    let marks = found.marks_in(range.clone());
                    if width < 4 {
                        let flags: Vec<u8> =
                            (0..most).map(|it| u8::from(range.contains(&it))).collect();
                        assert_eq!(found.marks_of(&flags), marks);
                    }
                    assert_eq!(marks.len(), ordinals.len().div_ceil(64));
                    for (place, ordinal) in ordinals.iter().enumerate() {
                        let is_marked = marks[place / 64] >> (place % 64) & 1 == 1;
                        assert_eq!(is_marked, range.contains(ordinal), "{ordinal} {range:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn halves_of_ordinals_are_refused() {
        assert!(Ordinals::new(&[0; 3], &[], 2).is_none());
        assert!(Ordinals::new(&[0; 4], &[0; 3], 3).is_none());
        assert!(Ordinals::new(&[0; 6], &[], 4).is_none());
    }
}
