//! A member of a partial update: absent, `null`, or a value, which mean three different things.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<T> Patch<T> {
    /// Returns whether nothing changes. Such a member is not serialised.
    pub fn is_keep(&self) -> bool {
        matches!(self, Patch::Keep)
    }

    /// Applies the change to `old`.
    #[must_use]
    pub fn applied_to(self, old: Option<T>) -> Option<T> {
        match self {
            Patch::Keep => old,
            Patch::Clear => None,
            Patch::Set(new) => Some(new),
        }
    }

    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Patch::Keep => Patch::Keep,
            Patch::Clear => Patch::Clear,
            Patch::Set(value) => Patch::Set(change(value)),
        }
    }
}

/// Serialises a present member: `null` or a value.
impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Patch::Keep | Patch::Clear => serializer.serialize_none(),
            Patch::Set(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Patch::Clear, Patch::Set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_out_null_and_a_value_are_three_things() {
        assert_eq!(Patch::Keep.applied_to(Some(1)), Some(1));
        assert_eq!(Patch::Clear.applied_to(Some(1)), None);
        assert_eq!(Patch::Set(2).applied_to(Some(1)), Some(2));
        assert_eq!(Patch::Set(2).map(|n| n + 1), Patch::Set(3));
    }
}
