//! Limits on rules and searches, so that neither can slow down the other. Anything beyond a limit
//! is ignored without an error.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleLimits {
    /// Words of a query.
    pub counted_words: usize,
    /// Active rules, the first by precedence.
    pub active_rules: usize,
    /// Documents that one search pins.
    pub pin_actions: usize,
    /// Bytes of a query in which words are looked for.
    pub word_fuel: usize,
    /// Values of a filter.
    pub filter_fuel: usize,
    /// Members of each `OR` in a filter.
    pub filter_or_fuel: usize,
    /// Members of each `AND` in a filter.
    pub filter_and_fuel: usize,
    /// Levels of `AND`, `OR` and `NOT` in a filter.
    pub filter_depth_fuel: usize,
}

impl Default for RuleLimits {
    fn default() -> Self {
        Self {
            counted_words: 10,
            active_rules: 1000,
            pin_actions: 100,
            word_fuel: 4096,
            filter_fuel: 4096,
            filter_or_fuel: 100,
            filter_and_fuel: 100,
            filter_depth_fuel: 25,
        }
    }
}
