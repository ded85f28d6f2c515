//! The range checks of coordinates, with the same messages in sort expressions and filters.

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CoordinateError {
    #[error("Bad latitude `{0}`. Latitude must be contained between -90 and 90 degrees.")]
    Latitude(f64),
    #[error(
        "Bad longitude `{0}`. Longitude must be contained between -180 and 180 degrees. \
         Hint: try using `{hint}` instead.",
        hint = (.0 + 180.0).rem_euclid(360.0) - 180.0
    )]
    Longitude(f64),
}

pub fn check_latitude(degrees: f64) -> Result<f64, CoordinateError> {
    if (-90.0..=90.0).contains(&degrees) {
        Ok(degrees)
    } else {
        Err(CoordinateError::Latitude(degrees))
    }
}

pub fn check_longitude(degrees: f64) -> Result<f64, CoordinateError> {
    if (-180.0..=180.0).contains(&degrees) {
        Ok(degrees)
    } else {
        Err(CoordinateError::Longitude(degrees))
    }
}
