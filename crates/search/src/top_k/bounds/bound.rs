//! A lower bound of a cost.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    pub least: u32,
    /// True if the cost is known to be `least`.
    pub is_exact: bool,
}

impl Bound {
    /// Returns the bound of the cheaper of two alternatives.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            is_exact: self.is_exact && self.least <= other.least
                || other.is_exact && other.least <= self.least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheaper_way_counts() {
        let bound = |least, is_exact| Bound { least, is_exact };
        assert_eq!(bound(1, true).or(bound(2, true)), bound(1, true));
        assert_eq!(bound(1, true).or(bound(2, false)), bound(1, true));
        assert_eq!(bound(2, true).or(bound(1, false)), bound(1, false));
        assert_eq!(bound(1, false).or(bound(1, true)), bound(1, true));
        assert_eq!(bound(1, false).or(bound(1, false)), bound(1, false));
    }
}
