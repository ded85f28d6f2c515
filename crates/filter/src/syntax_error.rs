//! The syntax errors of the parser and their places. The messages are part of the interface.

use std::ops::Range;

use crate::FilterError;
use crate::allowance::{MAX_WEIGHT, weight};
use crate::token::pointed;

#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub kind: ErrorKind,
    /// The part of the filter that is shown.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    NoOperation,
    NoValue,
    KeywordAsValue,
    MalformedValue,
    Unclosed(char),
    TrailingText,
    TooDeep,
    /// More conditions and values than a filter may have.
    TooMuch,
    InWithoutList,
    InListUnclosed,
    InListItem,
    /// A reserved geo name that is not a filter.
    ReservedGeo(&'static str),
    /// A geo filter in place of a value.
    GeoAsValue(&'static str),
    GeoRadius,
    GeoRadiusArguments(usize),
    GeoBox,
    GeoPolygon,
    GeoPolygonPoints(usize),
    NotAPair(usize),
    NoEmbedder,
    BadEmbedder,
    NoFragment,
    BadFragment,
    VectorQuotes,
    /// An invalid suffix, or a second one after the one named here.
    VectorSuffix(Option<&'static str>),
    Foreign,
}

/// The suffixes of vector conditions, as messages list them.
const SUFFIXES: &str = "`fragments`, `userProvided`, `documentTemplate`";

impl SyntaxError {
    pub fn new(kind: ErrorKind, span: Range<usize>) -> Self {
        Self { kind, span }
    }

    pub fn into_error(self, source: &str) -> FilterError {
        // Positions in a filter of that size are useless, and it need not be sent back.
        if self.kind == ErrorKind::TooMuch {
            return FilterError::Syntax(self.kind.message(""));
        }
        let piece = source.get(self.span.clone()).unwrap_or_default();
        FilterError::Syntax(pointed(source, &self.span, self.kind.message(piece)))
    }
}

impl ErrorKind {
    fn message(self, piece: &str) -> String {
        // Keeps a message on one line: the filter follows on the next.
        let shown = piece.escape_debug();
        match self {
            Self::NoOperation => {
                let operations = "`=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, `NOT IN`, `TO`, \
                    `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, \
                    `IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, \
                    `NOT STARTS WITH`, `_geoRadius`, `_geoBoundingBox` or `_geoPolygon`";
                if piece.trim().is_empty() {
                    format!("Was expecting an operation {operations} but instead got nothing.")
                } else {
                    format!("Was expecting an operation {operations} at `{shown}`.")
                }
            }
            Self::NoValue if piece.trim().is_empty() => {
                "Was expecting a value but instead got nothing.".to_owned()
            }
            Self::NoValue => format!("Was expecting a value but instead got `{shown}`."),
            Self::KeywordAsValue => format!(
                "Was expecting a value but instead got `{shown}`, which is a reserved keyword. \
                 To use `{shown}` as a field name or a value, surround it by quotes."
            ),
            Self::MalformedValue => format!("Malformed value: `{shown}`."),
            Self::Unclosed(delimiter) => format!(
                "Expression `{shown}` is missing the following closing delimiter: `{delimiter}`."
            ),
            Self::TrailingText => format!(
                "Found unexpected characters at the end of the filter: `{shown}`. \
                 You probably forgot an `OR` or an `AND` rule."
            ),
            Self::TooDeep => "The filter exceeded the maximum depth limit. \
                Try rewriting the filter so that it contains fewer nested conditions."
                .to_owned(),
            Self::TooMuch => format!(
                "The filter has too many conditions and values: it may have about {MAX_WEIGHT} \
                 values in all. Every condition counts as {} of them, `CONTAINS` and `_foreign` \
                 as {}, and a number of a place as {}.",
                weight::CONDITION,
                weight::SCAN,
                weight::COORDINATE,
            ),
            Self::InWithoutList => "Expected `[` after `IN` keyword.".to_owned(),
            Self::InListUnclosed => {
                "Expected matching `]` after the list of field names given to `IN[`".to_owned()
            }
            Self::InListItem => format!(
                "Expected only comma-separated field names inside `IN[..]` \
                 but instead found `{shown}`."
            ),
            Self::ReservedGeo(name) => format!(
                "`{name}` is a reserved keyword and thus can't be used as a filter expression. \
                 Use the `_geoRadius(latitude, longitude, distance)` or \
                 `_geoBoundingBox([latitude, longitude], [latitude, longitude])` \
                 built-in rules to filter on `_geo` coordinates."
            ),
            Self::GeoAsValue(name) => {
                format!("The `{name}` filter is an operation and can't be used as a value.")
            }
            Self::GeoRadius => "The `_geoRadius` filter must be in the form: \
                `_geoRadius(latitude, longitude, radius, optionalResolution)`."
                .to_owned(),
            Self::GeoRadiusArguments(found) => format!(
                "Was expecting 3 or 4 arguments for `_geoRadius`, but instead found {found}."
            ),
            Self::GeoBox => "The `_geoBoundingBox` filter expects two pairs of arguments: \
                `_geoBoundingBox([latitude, longitude], [latitude, longitude])`."
                .to_owned(),
            Self::GeoPolygon => "The `_geoPolygon` filter doesn't match the expected format: \
                `_geoPolygon([latitude, longitude], [latitude, longitude])`."
                .to_owned(),
            Self::GeoPolygonPoints(found) => format!(
                "The `_geoPolygon` filter expects at least 3 points \
                 but only {found} were specified"
            ),
            Self::NotAPair(found) => {
                format!("Was expecting 2 coordinates but instead found {found}.")
            }
            Self::NoEmbedder => "Was expecting embedder name but found nothing.".to_owned(),
            Self::BadEmbedder => "The vector filter's embedder name is invalid.".to_owned(),
            Self::NoFragment => "The vector filter is missing a fragment name.".to_owned(),
            Self::BadFragment => "The vector filter's fragment name is invalid.".to_owned(),
            Self::VectorQuotes => "The quotes in one of the values are inconsistent.".to_owned(),
            Self::VectorSuffix(None) => format!(
                "Was expecting one of {SUFFIXES}, `regenerate` or nothing, \
                 but instead found `{shown}`."
            ),
            Self::VectorSuffix(Some(first)) => format!(
                "Vector filter can only accept one of {SUFFIXES} or `regenerate`, \
                 but found both `{first}` and `{shown}`."
            ),
            Self::Foreign => format!(
                "Was expecting a field name and an condition inside `_foreign(..)` filter \
                 but instead found `{shown}`."
            ),
        }
    }
}
