//! The fields that hold the places of documents.

/// Documents keep their place on Earth here, where it is a point.
pub const GEO_FIELD: &str = "_geo";
/// Documents keep their shape on Earth here.
pub const GEOJSON_FIELD: &str = "_geojson";
