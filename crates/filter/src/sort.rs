//! Sort expressions: `<attribute>:asc`, `_geoPoint(<latitude>, <longitude>):desc`.

use crate::{SortError, check_latitude, check_longitude};

#[derive(Debug, Clone, PartialEq)]
pub enum SortItem {
    Attribute {
        name: String,
        order: Order,
    },
    /// The distance to a point on Earth.
    Point {
        latitude: f64,
        longitude: f64,
        order: Order,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Asc,
    Desc,
}

pub fn parse_sort(items: &[String]) -> Result<Vec<SortItem>, SortError> {
    items.iter().map(|item| parse_item(item)).collect()
}

fn parse_item(item: &str) -> Result<SortItem, SortError> {
    let (name, order) = match item.rsplit_once(':') {
        Some((name, "asc")) => (name, Order::Asc),
        Some((name, "desc")) => (name, Order::Desc),
        _ => return Err(SortError::Direction(item.to_owned())),
    };
    if let Some(arguments) = name.strip_prefix("_geoPoint(").and_then(|rest| rest.strip_suffix(')'))
    {
        let bad_syntax = || SortError::Point(name.to_owned());
        let (latitude, longitude) = arguments.split_once(',').ok_or_else(bad_syntax)?;
        let latitude = latitude.trim().parse().map_err(|_| bad_syntax())?;
        let longitude = longitude.trim().parse().map_err(|_| bad_syntax())?;
        return Ok(SortItem::Point {
            latitude: check_latitude(latitude)?,
            longitude: check_longitude(longitude)?,
            order,
        });
    }
    check_reserved(name)?;
    Ok(SortItem::Attribute { name: name.to_owned(), order })
}

fn check_reserved(name: &str) -> Result<(), SortError> {
    // Filter operations are recognised with their arguments, too.
    let operation = name.split_once('(').map_or(name, |(operation, _)| operation);
    match (name, operation) {
        ("_geoPoint", _) => Err(SortError::Point(name.to_owned())),
        ("_geo", _) => Err(SortError::ReservedForPlaces("_geo")),
        ("_geoDistance", _) => Err(SortError::Reserved("_geoDistance")),
        (_, "_geoRadius") => Err(SortError::ReservedForPlaces("_geoRadius")),
        (_, "_geoBoundingBox") => Err(SortError::ReservedForPlaces("_geoBoundingBox")),
        _ => Ok(()),
    }
}
