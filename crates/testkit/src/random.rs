//! Random numbers that are the same for the same seed, on every machine and in every version: the
//! generator is SplitMix64.

/// A generator; the number is its state.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// A generator for one of many seeds that follow each other. Their sequences do not overlap.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// Draws any number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`, or 0 where nothing is below it.
    pub fn below<N: TryFrom<u64> + TryInto<u64>>(&mut self, end: N) -> N {
        let end = end.try_into().unwrap_or(0).max(1);
        let number = N::try_from(self.draw() % end);
        number.unwrap_or_else(|_| unreachable!("it is below another number of this type"))
    }

    /// Draws a number from `least` to `most`, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// Returns true in `share` of a hundred cases.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        self.one_of(items).clone()
    }

    pub fn one_of<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    /// Draws `count` of the items, or all if there are fewer, in random order.
    pub fn some<T: Clone>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut left = items.to_vec();
        let count = count.min(left.len());
        (0..count).map(|_| left.swap_remove(self.below(left.len()))).collect()
    }

    pub fn shuffled<T: Clone>(&mut self, items: &[T]) -> Vec<T> {
        self.some(items, items.len())
    }

    /// Draws none to `most` of the items, in random order.
    pub fn few_of<T: Clone>(&mut self, items: &[T], most: usize) -> Vec<T> {
        let count = self.between(0, most.min(items.len()));
        let mut few = self.shuffled(items);
        few.truncate(count);
        few
    }

    /// Draws each item with a probability of `share` in a hundred. Returns them in random order.
    pub fn share_of<T: Clone>(&mut self, items: &[T], share: usize) -> Vec<T> {
        let mut drawn: Vec<T> = items.iter().filter(|_| self.percent(share)).cloned().collect();
        for place in (1..drawn.len()).rev() {
            drawn.swap(place, self.below(place + 1));
        }
        drawn
    }
}
