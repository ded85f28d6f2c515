//! Compares 16 bytes of 16-, 8- or 4-bit numbers at once: with the vector instructions that every
//! processor of the architecture has, or one by one on other architectures.

#![allow(unsafe_code)]

pub(crate) use arch::{Lanes, equal_bytes, equal_nibbles};

/// Numbers in one of the [`Lanes`].
pub(crate) const WIDTH: usize = 8;
/// Bytes that are compared at once.
pub(crate) const BYTES: usize = 16;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod arch {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpeq_epi16, _mm_loadu_si128,
        _mm_movemask_epi8, _mm_or_si128, _mm_packs_epi16, _mm_set1_epi8, _mm_set1_epi16,
        _mm_setzero_si128, _mm_srli_epi16, _mm_sub_epi16, _mm_subs_epu16, _mm_unpackhi_epi8,
        _mm_unpacklo_epi8,
    };

    /// Eight numbers, or the results of eight comparisons.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Lanes(__m128i);

    impl Lanes {
        #[inline]
        pub fn splat(value: u16) -> Self {
            // SAFETY: this module is there only where the instructions are.
            Self(unsafe { _mm_set1_epi16(value as i16) })
        }

        /// Returns all false.
        #[inline]
        pub fn none() -> Self {
            // SAFETY: this module is there only where the instructions are.
            Self(unsafe { _mm_setzero_si128() })
        }

        #[inline]
        pub fn load(values: &[[u8; 2]; super::WIDTH]) -> Self {
            // SAFETY: this module is there only where the instructions are, and the values take as
            // many bytes as are read, wherever they lie.
            Self(unsafe { _mm_loadu_si128(values.as_ptr().cast()) })
        }

        #[inline]
        pub fn equal(self, other: Self) -> Self {
            // SAFETY: this module is there only where the instructions are.
            Self(unsafe { _mm_cmpeq_epi16(self.0, other.0) })
        }

        /// Compares: true for each number that is `first` or one of the `more` after it.
        #[inline]
        pub fn within(self, first: Self, more: Self) -> Self {
            // SAFETY: this module is there only where the instructions are.
            Self(unsafe {
                let over = _mm_subs_epu16(_mm_sub_epi16(self.0, first.0), more.0);
                _mm_cmpeq_epi16(over, _mm_setzero_si128())
            })
        }

        #[inline]
        pub fn or(self, other: Self) -> Self {
            // SAFETY: this module is there only where the instructions are.
            Self(unsafe { _mm_or_si128(self.0, other.0) })
        }

        /// Returns the results of twice eight comparisons, a bit each.
        #[inline]
        pub fn bits(low: Self, high: Self) -> u32 {
            // SAFETY: this module is there only where the instructions are.
            unsafe { _mm_movemask_epi8(_mm_packs_epi16(low.0, high.0)) as u32 }
        }
    }

    /// Returns a bit for each byte that equals the value.
    #[inline]
    pub(crate) fn equal_bytes(bytes: &[u8; super::BYTES], value: u8) -> u16 {
        // SAFETY: this module is there only where the instructions are, and as many bytes are read
        // as there are.
        unsafe {
            let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
            _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(value as i8))) as u16
        }
    }

    /// Returns a bit for each half of a byte that equals the value, the lower half of each byte
    /// first.
    #[inline]
    pub(crate) fn equal_nibbles(bytes: &[u8; super::BYTES], value: u8) -> u32 {
        // SAFETY: this module is there only where the instructions are, and as many bytes are read
        // as there are.
        unsafe {
            let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
            let mask = _mm_set1_epi8(15);
            let value = _mm_set1_epi8(value as i8);
            let lower = _mm_cmpeq_epi8(_mm_and_si128(bytes, mask), value);
            let upper = _mm_and_si128(_mm_srli_epi16::<4>(bytes), mask);
            let upper = _mm_cmpeq_epi8(upper, value);
            let first = _mm_movemask_epi8(_mm_unpacklo_epi8(lower, upper)) as u32;
            let second = _mm_movemask_epi8(_mm_unpackhi_epi8(lower, upper)) as u32;
            first | second << 16
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
mod arch {
    /// Eight numbers, or the results of eight comparisons.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Lanes([u16; super::WIDTH]);

    impl Lanes {
        #[inline]
        pub fn splat(value: u16) -> Self {
            Self([value; super::WIDTH])
        }

        /// Returns all false.
        #[inline]
        pub fn none() -> Self {
            Self::splat(0)
        }

        #[inline]
        pub fn load(values: &[[u8; 2]; super::WIDTH]) -> Self {
            Self(values.map(u16::from_le_bytes))
        }

        #[inline]
        pub fn equal(self, other: Self) -> Self {
            Self(std::array::from_fn(|place| answer(self.0[place] == other.0[place])))
        }

        /// Compares: true for each number that is `first` or one of the `more` after it.
        #[inline]
        pub fn within(self, first: Self, more: Self) -> Self {
            let is_within = |place: usize| {
                let after: u16 = self.0[place].wrapping_sub(first.0[place]);
                after <= more.0[place]
            };
            Self(std::array::from_fn(|place| answer(is_within(place))))
        }

        #[inline]
        pub fn or(self, other: Self) -> Self {
            Self(std::array::from_fn(|place| self.0[place] | other.0[place]))
        }

        /// Returns the results of twice eight comparisons, a bit each.
        #[inline]
        pub fn bits(low: Self, high: Self) -> u32 {
            let all = low.0.into_iter().chain(high.0).enumerate();
            all.fold(0, |bits, (place, answer)| bits | u32::from(answer & 1) << place)
        }
    }

    /// Returns a bit for each byte that equals the value.
    #[inline]
    pub(crate) fn equal_bytes(bytes: &[u8; super::BYTES], value: u8) -> u16 {
        let equal = |place: usize| u16::from(bytes[place] == value) << place;
        (0..super::BYTES).map(equal).sum()
    }

    /// Returns a bit for each half of a byte that equals the value, the lower half of each byte
    /// first.
    #[inline]
    pub(crate) fn equal_nibbles(bytes: &[u8; super::BYTES], value: u8) -> u32 {
        let nibble = |place: usize| bytes[place / 2] >> (place % 2 * 4) & 15;
        let equal = |place: usize| u32::from(nibble(place) == value) << place;
        (0..2 * super::BYTES).map(equal).sum()
    }

    #[inline]
    fn answer(yes: bool) -> u16 {
        if yes { u16::MAX } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_those_of_single_numbers() {
        let numbers = [0, 1, 7, 8, 32_767, 32_768, 65_534, u16::MAX];
        let lanes = Lanes::load(&numbers.map(u16::to_le_bytes));
        for value in numbers.into_iter().chain([2, 40_000]) {
            let found = Lanes::bits(lanes.equal(Lanes::splat(value)), Lanes::none());
            let expected = numbers.iter().position(|number| *number == value);
            assert_eq!(found, expected.map_or(0, |place| 1 << place), "{value}");
            for more in [0, 1, 6, 32_768, u16::MAX] {
                let within = lanes.within(Lanes::splat(value), Lanes::splat(more));
                let found = Lanes::bits(Lanes::none(), within);
                for (place, number) in numbers.iter().enumerate() {
                    let is_within = number.wrapping_sub(value) <= more;
                    assert_eq!(found >> (8 + place) & 1 == 1, is_within, "{number} {value} {more}");
                }
            }
        }
    }

    #[test]
    fn bytes_and_their_halves_are_compared() {
        let bytes: [u8; BYTES] = std::array::from_fn(|place| (place * 37 % 256) as u8);
        for value in 0..=u8::MAX {
            let found = equal_bytes(&bytes, value);
            for (place, byte) in bytes.iter().enumerate() {
                assert_eq!(found >> place & 1 == 1, *byte == value, "{value}");
            }
        }
        for value in 0..16 {
            let found = equal_nibbles(&bytes, value);
            for (place, nibble) in bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]).enumerate()
            {
                assert_eq!(found >> place & 1 == 1, nibble == value, "{value}");
            }
        }
    }
}
