//! The matching strategies.

use serde::Serialize;

/// The matching strategy: which terms a document may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    #[default]
    Last,
    All,
    Frequency,
    /// One term is enough. Meilisearch lacks this strategy.
    Any,
}

impl Strategy {
    const ALL: [Self; 4] = [Self::Last, Self::All, Self::Frequency, Self::Any];
    /// The names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["last", "all", "frequency", "any"];

    pub fn from_name(name: &str) -> Option<Self> {
        let place = Self::NAMES.iter().position(|other| *other == name)?;
        Self::ALL.get(place).copied()
    }
}
