//! Numbers that look random and are the same every time: a run asks the same questions on every
//! machine (SplitMix64).

pub struct Random(u64);

impl Random {
    /// Another name, other numbers.
    pub fn named(name: &str) -> Self {
        // FNV-1a.
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// At least 0 and below 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several, which are not none.
    pub fn one_of<'a, T>(&mut self, several: &'a [T]) -> &'a T {
        &several[self.below(several.len())]
    }
}
