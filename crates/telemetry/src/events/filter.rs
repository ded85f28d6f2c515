//! The kind of a request's filter.

use crate::fields::Fields;
use crate::metrics::MostUsed;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filter {
    /// None without a filter.
    pub syntax: Option<FilterSyntax>,
    pub geo_radius: bool,
    pub geo_bounding_box: bool,
    pub vectors: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterSyntax {
    String,
    Array,
    /// Arrays within an array.
    Mixed,
}

#[derive(Debug, Default)]
pub(super) struct FilterTally {
    syntaxes: MostUsed<3>,
    geo_radius: bool,
    geo_bounding_box: bool,
    vectors: bool,
}

impl FilterTally {
    pub fn add(&mut self, filter: Filter) {
        let Some(syntax) = filter.syntax else { return };
        self.syntaxes.add(syntax as usize);
        self.geo_radius |= filter.geo_radius;
        self.geo_bounding_box |= filter.geo_bounding_box;
        self.vectors |= filter.vectors;
    }

    pub fn report(&self, fields: &mut Fields) {
        fields.put("filter.with_geoRadius", self.geo_radius, "Whether `_geoRadius` was used.");
        fields.put(
            "filter.with_geoBoundingBox",
            self.geo_bounding_box,
            "Whether `_geoBoundingBox` was used.",
        );
        fields.put("filter.on_vectors", self.vectors, "Whether `_vectors` was filtered by.");
        fields.put(
            "filter.most_used_syntax",
            self.syntaxes.among(["string", "array", "mixed"]),
            "The form that most filters had: `string`, `array`, or `mixed` for arrays in an array.",
        );
    }
}
