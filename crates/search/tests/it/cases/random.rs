//! Numbers that look random and depend on the seed alone.

#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self { state: seed };
        random.next();
        random
    }

    /// Splitmix: one addition and a thorough stir.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Both ends included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    pub fn word<'w>(&mut self, words: &'w [String]) -> &'w str {
        &words[self.below(words.len())]
    }

    /// Some of the items, in random order.
    pub fn some<T: Clone>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut left = items.to_vec();
        let mut chosen = Vec::new();
        while chosen.len() < count && !left.is_empty() {
            chosen.push(left.swap_remove(self.below(left.len())));
        }
        chosen
    }
}
