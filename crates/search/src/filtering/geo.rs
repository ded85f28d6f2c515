//! Coordinates in a filter, checked to be on Earth.

use std::fmt::Display;

use filter::{Token, check_latitude, check_longitude};
use segment::geo::Point;

use crate::error::SearchError;

pub(super) struct Circle {
    pub centre: Point,
    pub metres: f64,
}

/// Parses a circle. The resolution would be the number of corners of a polygon that approximates
/// it; here circles are exact, so that it is only checked.
pub(super) fn circle(
    [latitude, longitude]: [&Token; 2],
    radius: &Token,
    resolution: Option<&Token>,
) -> Result<Circle, SearchError> {
    let centre = point(latitude, longitude)?;
    let metres = number(radius)?;
    if let Some(token) = resolution {
        let resolution = number(token)?;
        if !(3.0..=1000.0).contains(&resolution) {
            let message = format!(
                "Invalid resolution `{resolution}`. Resolution must be between 3 and 1000."
            );
            return Err(refuse(token, message));
        }
    }
    Ok(Circle { centre, metres })
}

/// Parses the top right and the bottom left corner.
pub(super) fn corners(
    top_right: &[Token; 2],
    bottom_left: &[Token; 2],
) -> Result<[Point; 2], SearchError> {
    let top = point(&top_right[0], &top_right[1])?;
    let bottom = point(&bottom_left[0], &bottom_left[1])?;
    if top.lat < bottom.lat {
        let message = format!(
            "The top latitude `{}` is below the bottom latitude `{}`.",
            top.lat, bottom.lat
        );
        return Err(refuse(&bottom_left[1], message));
    }
    Ok([top, bottom])
}

pub(super) fn polygon(points: &[[Token; 2]]) -> Result<Vec<Point>, SearchError> {
    points.iter().map(|[latitude, longitude]| point(latitude, longitude)).collect()
}

fn point(latitude: &Token, longitude: &Token) -> Result<Point, SearchError> {
    let lat = check_latitude(number(latitude)?).map_err(|error| refuse(latitude, error))?;
    let lng = check_longitude(number(longitude)?).map_err(|error| refuse(longitude, error))?;
    Ok(Point { lat, lng })
}

/// Parses a number: the grammar allows only numbers, but any number of digits.
fn number(token: &Token) -> Result<f64, SearchError> {
    token.number().ok_or_else(|| refuse(token, "Non finite floats are not supported"))
}

fn refuse(at: &Token, message: impl Display) -> SearchError {
    SearchError::Filter(at.error(message))
}
