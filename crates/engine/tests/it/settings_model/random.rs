//! Numbers that look random and depend on the seed alone.

#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Both ends included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// Up to so many of the list, in another order.
    pub fn some<T: Clone>(&mut self, list: &[T], most: usize) -> Vec<T> {
        let count = self.between(0, most.min(list.len()));
        let mut some = self.shuffled(list);
        some.truncate(count);
        some
    }

    pub fn shuffled<T: Clone>(&mut self, list: &[T]) -> Vec<T> {
        let mut left = list.to_vec();
        (0..list.len()).map(|_| left.swap_remove(self.below(left.len()))).collect()
    }
}
