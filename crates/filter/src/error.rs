//! The errors of filters and sort expressions; the messages are part of the interface.

use crate::CoordinateError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The filter is malformed.
    #[error("{0}")]
    Syntax(String),
    /// The filter uses a feature that is not enabled.
    #[error("{0}")]
    Feature(String),
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SortError {
    #[error(
        "Invalid syntax for the sort parameter: expected expression ending by `:asc` or `:desc`, \
         found `{0}`."
    )]
    Direction(String),
    #[error(
        "Invalid syntax for the geo parameter: expected expression formated like \
         `_geoPoint(latitude, longitude)` and ending by `:asc` or `:desc`, found `{0}`."
    )]
    Point(String),
    #[error("`{0}` is a reserved keyword and thus can't be used as a sort expression.")]
    Reserved(&'static str),
    #[error(
        "`{0}` is a reserved keyword and thus can't be used as a sort expression. \
         Use the _geoPoint(latitude, longitude) built-in rule to sort on _geo field coordinates."
    )]
    ReservedForPlaces(&'static str),
    #[error(transparent)]
    Coordinate(#[from] CoordinateError),
}
