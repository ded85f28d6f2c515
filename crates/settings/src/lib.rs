//! The settings of an index: what each is called, what it may be, what it is by default.
//! It knows neither HTTP nor tasks nor disk.

mod change;
mod checks;
mod filterable;
mod keep;
pub mod pattern;
mod refusal;
mod shape;
mod stored;
mod table;
mod values;

pub use change::Change;
pub use filterable::{GEO_FIELD, GEOJSON_FIELD};
pub use table::{ChangeKind, Setting};
pub use values::{
    FacetOrder, Faceting, FilterFeatures, FilterableRule, LocalizedRule, Precision, PrefixSearch,
    RankingRule, Settings, TypoTolerance,
};

#[cfg(test)]
mod tests;
