//! Parses GeoJSON (RFC 7946) into a shape: geometries, collections of them, and features, of which
//! only the geometry counts. Other members (`properties`, `bbox`, `crs`) are skipped.

use std::borrow::Cow;
use std::fmt;

use segment::geo::{Point, Shape};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Nested collections are an honest mistake at best.
const MAX_DEPTH: u32 = 32;

/// Parses a shape; the error says what is wrong.
pub(crate) fn shape(json: &str) -> Result<Shape, String> {
    let mut shape = Shape::new();
    add(json, &mut shape, 0)?;
    Ok(shape)
}

/// The members of an object of any type.
#[derive(serde::Deserialize)]
struct Object<'j> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'j, str>,
    #[serde(borrow, default)]
    coordinates: Option<&'j RawValue>,
    #[serde(borrow, default)]
    geometries: Option<Vec<&'j RawValue>>,
    #[serde(borrow, default)]
    geometry: Option<&'j RawValue>,
    #[serde(borrow, default)]
    features: Option<Vec<&'j RawValue>>,
}

fn add(json: &str, shape: &mut Shape, depth: u32) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("its collections are nested too deeply".to_owned());
    }
    let object: Object<'_> = serde_json::from_str(json).map_err(reason)?;
    match object.kind.as_ref() {
        "Point" => shape.point(object.coordinates::<Position>()?.0),
        "MultiPoint" => {
            object.coordinates::<Line>()?.0.iter().for_each(|point| shape.point(*point));
        }
        "LineString" => shape.line(&object.coordinates::<Line>()?.0),
        "MultiLineString" => {
            object.coordinates::<Vec<Line>>()?.iter().for_each(|line| shape.line(&line.0));
        }
        "Polygon" => add_area(&object.coordinates::<Vec<Line>>()?, shape),
        "MultiPolygon" => {
            object.coordinates::<Vec<Vec<Line>>>()?.iter().for_each(|area| add_area(area, shape));
        }
        "GeometryCollection" => {
            add_all(object.member("geometries", object.geometries.as_ref())?, shape, depth)?;
        }
        "FeatureCollection" => {
            add_all(object.member("features", object.features.as_ref())?, shape, depth)?;
        }
        // A feature may have no geometry.
        "Feature" => add_all(object.geometry.as_slice(), shape, depth)?,
        other => return Err(format!("`{other}` is not a type of GeoJSON")),
    }
    Ok(())
}

fn add_all(objects: &[&RawValue], shape: &mut Shape, depth: u32) -> Result<(), String> {
    objects.iter().try_for_each(|object| add(object.get(), shape, depth + 1))
}

fn add_area(rings: &[Line], shape: &mut Shape) {
    shape.area(rings.iter().map(|ring| &ring.0[..]));
}

impl<'j> Object<'j> {
    fn coordinates<T: Deserialize<'j>>(&self) -> Result<T, String> {
        serde_json::from_str(self.member("coordinates", self.coordinates)?.get()).map_err(reason)
    }

    fn member<T>(&self, name: &str, value: Option<T>) -> Result<T, String> {
        value.ok_or_else(|| format!("a {} must have `{name}`", self.kind))
    }
}

/// Removes the position from an error: it refers to a part of the document only.
fn reason(error: serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

#[derive(serde::Deserialize)]
#[serde(from = "Vec<Position>")]
struct Line(Vec<Point>);

impl From<Vec<Position>> for Line {
    fn from(positions: Vec<Position>) -> Self {
        Self(positions.into_iter().map(|position| position.0).collect())
    }
}

/// Longitude, latitude, and any further numbers.
struct Position(Point);

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PositionVisitor)
    }
}

struct PositionVisitor;

impl<'de> Visitor<'de> for PositionVisitor {
    type Value = Position;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of a longitude and a latitude")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Position, A::Error> {
        let missing = |count| A::Error::invalid_length(count, &self);
        let lng = numbers.next_element()?.ok_or_else(|| missing(0))?;
        let lat = numbers.next_element()?.ok_or_else(|| missing(1))?;
        while numbers.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Position(Point { lat, lng }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn points(numbers: &[(f64, f64)]) -> Vec<Point> {
        numbers.iter().map(|&(lng, lat)| Point { lat, lng }).collect()
    }

    fn geometries() -> Vec<Value> {
        vec![
            json!({ "type": "Point", "coordinates": [1, 2.5, 300, "x"] }),
            json!({ "type": "MultiPoint", "coordinates": [[3, 4], [5, 6]] }),
            json!({ "coordinates": [[0, 0], [1, 1]], "type": "LineString", "bbox": [0, 0, 1, 1] }),
            json!({ "type": "MultiLineString", "coordinates": [[[7, 7], [8, 8]], [[9, 9]]] }),
            json!({ "type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 0]], [[5, 1], [6, 1], [6, 2], [5, 1]]] }),
            json!({ "type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 0], [1, 1]]], []] }),
        ]
    }

    fn expected() -> Shape {
        let mut shape = Shape::new();
        points(&[(1.0, 2.5), (3.0, 4.0), (5.0, 6.0)]).iter().for_each(|point| shape.point(*point));
        shape.line(&points(&[(0.0, 0.0), (1.0, 1.0)]));
        shape.line(&points(&[(7.0, 7.0), (8.0, 8.0)]));
        shape.line(&points(&[(9.0, 9.0)]));
        let outer = points(&[(0.0, 0.0), (9.0, 0.0), (9.0, 9.0)]);
        let hole = points(&[(5.0, 1.0), (6.0, 1.0), (6.0, 2.0)]);
        shape.area([&outer[..], &hole]);
        shape.area([&points(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)])[..]]);
        shape
    }

    #[test]
    fn collections_and_features_are_what_is_in_them() {
        let collection = json!({ "type": "GeometryCollection", "geometries": geometries() });
        assert_eq!(shape(&collection.to_string()), Ok(expected()));
        let feature =
            json!({ "type": "Feature", "geometry": collection, "properties": { "a": 1 } });
        assert_eq!(shape(&feature.to_string()), Ok(expected()));
        let nowhere = json!({ "type": "Feature", "geometry": null, "properties": null });
        let features = json!({ "type": "FeatureCollection", "features": [nowhere, feature] });
        assert_eq!(shape(&features.to_string()), Ok(expected()));
    }

    #[test]
    fn invalid_geojson_is_explained() {
        let expect =
            |value: Value, what: &str| assert_eq!(shape(&value.to_string()).unwrap_err(), what);
        expect(json!({ "type": "Blob" }), "`Blob` is not a type of GeoJSON");
        expect(json!({ "type": "Point" }), "a Point must have `coordinates`");
        expect(json!({ "type": "FeatureCollection" }), "a FeatureCollection must have `features`");
        expect(json!({ "coordinates": [1, 2] }), "missing field `type`");
        expect(
            json!({ "type": "Point", "coordinates": [1] }),
            "invalid length 1, expected an array of a longitude and a latitude",
        );
        expect(
            json!({ "type": "LineString", "coordinates": [1, 2] }),
            "invalid type: integer `1`, expected an array of a longitude and a latitude",
        );
        expect(
            json!({ "type": "Point", "coordinates": ["1", 2] }),
            "invalid type: string \"1\", expected f64",
        );
        assert!(shape(r#"{"type":"Point","coordinates":[1e999,2]}"#).is_err());
        assert!(shape(&json!("POINT(1 2)").to_string()).is_err());
    }

    #[test]
    fn depth_has_an_end() {
        let nested = |depth: usize| {
            let open = r#"{"type":"GeometryCollection","geometries":["#;
            let inner = r#"{"type":"Point","coordinates":[1,2]}"#;
            format!("{}{inner}{}", open.repeat(depth), "]}".repeat(depth))
        };
        assert!(shape(&nested(30)).is_ok());
        assert_eq!(shape(&nested(2000)).unwrap_err(), "its collections are nested too deeply");
    }
}
