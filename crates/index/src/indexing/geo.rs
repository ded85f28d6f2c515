//! Location of a document: parses `_geo` and `_geojson`, and words the errors about invalid ones.
//! Coordinates are any finite numbers; those out of range are stored unchanged.

use std::fmt;

use memchr::memmem;
use segment::geo::{Point, Shape};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use settings::Settings;

use super::geojson;
use crate::error::GeoError;

/// Which of the two fields are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GeoRules {
    pub points: bool,
    pub shapes: bool,
}

impl GeoRules {
    pub fn of(settings: &Settings) -> Self {
        Self { points: settings.indexes_points(), shapes: settings.indexes_shapes() }
    }

    pub fn index_nothing(self) -> bool {
        !self.points && !self.shapes
    }
}

/// Locations that a document states.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Locations {
    pub point: Option<Point>,
    pub shape: Option<Shape>,
}

/// The two fields; `null` counts as missing.
#[derive(Default, Deserialize)]
struct Fields<'j> {
    #[serde(borrow, default, rename = "_geo")]
    geo: Option<&'j RawValue>,
    #[serde(borrow, default, rename = "_geojson")]
    geojson: Option<&'j RawValue>,
}

/// Parses the fields that are indexed.
pub(crate) fn locations(json: &str, rules: GeoRules) -> Result<Locations, GeoFieldError> {
    // Field names are stored without escapes, so most documents need not be parsed.
    if memmem::find(json.as_bytes(), b"\"_geo").is_none() {
        return Ok(Locations::default());
    }
    // The JSON was validated when the document came in.
    let fields: Fields<'_> = serde_json::from_str(json).unwrap_or_default();
    locations_in(fields.geo.map(RawValue::get), fields.geojson.map(RawValue::get), rules)
}

/// Parses the values of the two fields, as far as they are indexed.
fn locations_in(
    geo: Option<&str>,
    geojson: Option<&str>,
    rules: GeoRules,
) -> Result<Locations, GeoFieldError> {
    let mut locations = Locations::default();
    if let Some(geo) = geo.filter(|_| rules.points) {
        locations.point = Some(point(geo)?);
    }
    if let Some(geojson) = geojson.filter(|_| rules.shapes) {
        locations.shape = Some(geojson::shape(geojson).map_err(GeoFieldError::NoGeoJson)?);
    }
    Ok(locations)
}

fn point(json: &str) -> Result<Point, GeoFieldError> {
    let mut members = match serde_json::from_str(json).unwrap_or_default() {
        Value::Object(members) => members,
        other => return Err(GeoFieldError::NoObject(other.to_string())),
    };
    let (lat, lng) = match (members.remove("lat"), members.remove("lng")) {
        (Some(lat), Some(lng)) => (lat, lng),
        (Some(_), None) => return Err(GeoFieldError::NoLongitude),
        (None, Some(_)) => return Err(GeoFieldError::NoLatitude),
        (None, None) => return Err(GeoFieldError::NoCoordinates),
    };
    match (degrees(&lat), degrees(&lng)) {
        (Some(_), Some(_)) if !members.is_empty() => {
            Err(GeoFieldError::MoreMembers(Value::Object(members).to_string()))
        }
        (Some(lat), Some(lng)) => Ok(Point { lat, lng }),
        (None, Some(_)) => Err(GeoFieldError::BadLatitude(lat.to_string())),
        (Some(_), None) => Err(GeoFieldError::BadLongitude(lng.to_string())),
        (None, None) => Err(GeoFieldError::BadCoordinates(lat.to_string(), lng.to_string())),
    }
}

/// Parses a finite number, also one in a string.
fn degrees(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// A field without a valid location. Values are formatted as in messages.
#[derive(Debug)]
pub(crate) enum GeoFieldError {
    NoObject(String),
    MoreMembers(String),
    NoCoordinates,
    NoLatitude,
    NoLongitude,
    BadCoordinates(String, String),
    BadLatitude(String),
    BadLongitude(String),
    /// Reason why it is not GeoJSON.
    NoGeoJson(String),
}

impl GeoFieldError {
    pub fn in_document(self, external_id: &str) -> GeoError {
        GeoError(DocumentError { id: Value::from(external_id), error: self }.to_string())
    }
}

/// The error as users see it.
struct DocumentError {
    /// Formatted as JSON.
    id: Value,
    error: GeoFieldError,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = &self.id;
        match &self.error {
            GeoFieldError::NoObject(value) => write!(
                f,
                "The `_geo` field in the document with the id: `{id}` is not an object. Was \
                 expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got \
                 `{value}`."
            ),
            GeoFieldError::MoreMembers(members) => write!(
                f,
                "The `_geo` field in the document with the id: `{id}` contains the following \
                 unexpected fields: `{members}`."
            ),
            GeoFieldError::NoCoordinates => write!(
                f,
                "Could not find latitude nor longitude in the document with the id: `{id}`. Was \
                 expecting `_geo.lat` and `_geo.lng` fields."
            ),
            GeoFieldError::NoLatitude => write!(
                f,
                "Could not find latitude in the document with the id: `{id}`. Was expecting a \
                 `_geo.lat` field."
            ),
            GeoFieldError::NoLongitude => write!(
                f,
                "Could not find longitude in the document with the id: `{id}`. Was expecting a \
                 `_geo.lng` field."
            ),
            GeoFieldError::BadCoordinates(lat, lng) => write!(
                f,
                "Could not parse latitude nor longitude in the document with the id: `{id}`. Was \
                 expecting finite numbers but instead got `{lat}` and `{lng}`."
            ),
            GeoFieldError::BadLatitude(value) => write!(
                f,
                "Could not parse latitude in the document with the id: `{id}`. Was expecting a \
                 finite number but instead got `{value}`."
            ),
            GeoFieldError::BadLongitude(value) => write!(
                f,
                "Could not parse longitude in the document with the id: `{id}`. Was expecting a \
                 finite number but instead got `{value}`."
            ),
            GeoFieldError::NoGeoJson(what) => write!(
                f,
                "The `_geojson` field in the document with the id: `{id}` is not valid GeoJSON: \
                 {what}."
            ),
        }
    }
}

/// Checks whether a document with these values of `_geo` and `_geojson` can be indexed under these
/// settings.
pub fn check_geo(
    settings: &Settings,
    external_id: &str,
    geo: Option<&str>,
    geojson: Option<&str>,
) -> Result<(), GeoError> {
    let present = |value: &&str| *value != "null";
    locations_in(geo.filter(present), geojson.filter(present), GeoRules::of(settings))
        .map(drop)
        .map_err(|error| error.in_document(external_id))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BOTH: GeoRules = GeoRules { points: true, shapes: true };

    fn place(geo: &Value) -> Result<Locations, String> {
        let json = json!({ "id": 2, "_geo": geo }).to_string();
        locations(&json, BOTH).map_err(|error| error.in_document("2").to_string())
    }

    #[test]
    fn numbers_and_numbers_in_strings_are_coordinates() {
        let expect = |geo: Value, lat, lng| {
            assert_eq!(place(&geo).unwrap().point, Some(Point { lat, lng }));
        };
        expect(json!({ "lat": 1.5, "lng": "2.5" }), 1.5, 2.5);
        expect(json!({ "lng": "+1e2", "lat": -3 }), -3.0, 100.0);
        // Values out of range are taken unchanged.
        expect(json!({ "lat": 91, "lng": 0 }), 91.0, 0.0);
        expect(json!({ "lat": 0, "lng": 181 }), 0.0, 181.0);
        assert_eq!(place(&Value::Null).unwrap(), Locations::default());
    }

    #[test]
    fn invalid_points_are_explained() {
        let expect = |geo: Value, message: &str| assert_eq!(place(&geo).unwrap_err(), message);
        expect(
            json!({ "lat": 1 }),
            "Could not find longitude in the document with the id: `\"2\"`. Was expecting a `_geo.lng` field.",
        );
        expect(
            json!({ "lng": 1, "alt": 2 }),
            "Could not find latitude in the document with the id: `\"2\"`. Was expecting a `_geo.lat` field.",
        );
        expect(
            json!({}),
            "Could not find latitude nor longitude in the document with the id: `\"2\"`. Was expecting `_geo.lat` and `_geo.lng` fields.",
        );
        for (geo, shown) in [(json!("1,2"), "\"1,2\""), (json!([1, 2]), "[1,2]"), (json!(7), "7")] {
            expect(
                geo,
                &format!(
                    "The `_geo` field in the document with the id: `\"2\"` is not an object. Was expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got `{shown}`."
                ),
            );
        }
        expect(
            json!({ "lat": "x", "lng": 1 }),
            "Could not parse latitude in the document with the id: `\"2\"`. Was expecting a finite number but instead got `\"x\"`.",
        );
        expect(
            json!({ "lat": null, "lng": 1, "alt": 3 }),
            "Could not parse latitude in the document with the id: `\"2\"`. Was expecting a finite number but instead got `null`.",
        );
        expect(
            json!({ "lat": 1, "lng": "inf" }),
            "Could not parse longitude in the document with the id: `\"2\"`. Was expecting a finite number but instead got `\"inf\"`.",
        );
        expect(
            json!({ "lat": true, "lng": false }),
            "Could not parse latitude nor longitude in the document with the id: `\"2\"`. Was expecting finite numbers but instead got `true` and `false`.",
        );
        expect(
            json!({ "lat": 1, "lng": 2, "alt": 3 }),
            "The `_geo` field in the document with the id: `\"2\"` contains the following unexpected fields: `{\"alt\":3}`.",
        );
    }

    #[test]
    fn only_what_is_indexed_is_looked_at() {
        let json = r#"{"id":1,"_geo":"anything","_geojson":{"type":"Blob"},"x":{"_geo":1}}"#;
        let nothing = GeoRules { points: false, shapes: false };
        assert_eq!(locations(json, nothing).unwrap(), Locations::default());
        let points = locations(json, GeoRules { points: true, ..nothing }).unwrap_err();
        assert!(points.in_document("1").to_string().starts_with("The `_geo` field"));
        let shapes = locations(json, GeoRules { shapes: true, ..nothing }).unwrap_err();
        assert_eq!(
            shapes.in_document("a\"").to_string(),
            "The `_geojson` field in the document with the id: `\"a\\\"\"` is not valid GeoJSON: \
             `Blob` is not a type of GeoJSON."
        );
        assert_eq!(locations(r#"{"id":1,"x":{"_geo":1}}"#, BOTH).unwrap(), Locations::default());
    }
}
