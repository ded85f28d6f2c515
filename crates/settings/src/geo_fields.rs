//! The fields for geographic positions.

/// Field with the position of a document as a point.
pub const GEO_FIELD: &str = "_geo";
/// Field with the position of a document as a GeoJSON shape.
pub const GEOJSON_FIELD: &str = "_geojson";
