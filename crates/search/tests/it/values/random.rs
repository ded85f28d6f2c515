//! Numbers that are the same in every run.

#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Returns true in `share` of a hundred cases.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    pub fn word(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }

    /// Some of the list, in another order.
    pub fn some<T: Clone>(&mut self, list: &[T], share: usize) -> Vec<T> {
        let mut some: Vec<T> = list.iter().filter(|_| self.percent(share)).cloned().collect();
        for place in (1..some.len()).rev() {
            some.swap(place, self.below(place + 1));
        }
        some
    }
}
