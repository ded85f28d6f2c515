//! Counts the uses of a few known names.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MostUsed<const N: usize>([u64; N]);

impl<const N: usize> Default for MostUsed<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> MostUsed<N> {
    /// Counts a use; `name` is an index into the list given to `among`.
    pub fn add(&mut self, name: usize) {
        if let Some(times) = self.0.get_mut(name) {
            *times += 1;
        }
    }

    /// Returns the most used name; the first of equals, null if none was used.
    pub fn among(&self, names: [&'static str; N]) -> Value {
        let most = self.0.iter().copied().max().filter(|&times| times > 0);
        let place = most.and_then(|most| self.0.iter().position(|&times| times == most));
        place.map_or(Value::Null, |place| Value::from(names[place]))
    }
}
