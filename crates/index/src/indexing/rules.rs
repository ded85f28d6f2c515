//! The part of the settings that decides what the components of a segment contain. Components built
//! by equal rules stay unchanged when settings change.

use settings::{GEO_FIELD, GEOJSON_FIELD, Settings};

use super::column_rules::ColumnRules;
use super::geo::GeoRules;
use super::text_rules::TextRules;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rules {
    pub text: TextRules,
    pub columns: ColumnRules,
    pub geo: GeoRules,
}

impl Rules {
    pub fn of(settings: &Settings) -> Self {
        Self {
            text: TextRules::of(settings),
            columns: ColumnRules::of(settings),
            geo: GeoRules::of(settings),
        }
    }
}

impl GeoRules {
    pub const NOTHING: Self = Self { points: false, shapes: false };

    /// Returns whether a top-level field is indexed.
    pub fn index(self, field: &str) -> bool {
        (self.points && field == GEO_FIELD) || (self.shapes && field == GEOJSON_FIELD)
    }

    /// Returns whether these rules index everything that others do.
    pub fn include(self, others: Self) -> bool {
        (self.points || !others.points) && (self.shapes || !others.shapes)
    }
}
