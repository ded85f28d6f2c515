//! Which of a few known names is used most.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MostUsed<const N: usize>([u64; N]);

impl<const N: usize> Default for MostUsed<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> MostUsed<N> {
    /// `name` is a place in the list that `among` is given.
    pub fn add(&mut self, name: usize) {
        if let Some(times) = self.0.get_mut(name) {
            *times += 1;
        }
    }

    /// The name; of equals the first, null where none was used.
    pub fn among(&self, names: [&'static str; N]) -> Value {
        let most = self.0.iter().copied().max().filter(|&times| times > 0);
        let place = most.and_then(|most| self.0.iter().position(|&times| times == most));
        place.map_or(Value::Null, |place| Value::from(names[place]))
    }
}
