//! The measure of a boost, with the values of each segment that it reads.

use roaring::RoaringBitmap;
use segment::columns::Column;
use segment::geo::{GeoReader, Point};
use settings::boosts::dates::{seconds_of_date, seconds_of_number};
use settings::boosts::{Effect, Fall, Growth, Origin};

use crate::context::Context;
use crate::error::SearchError;

pub(super) enum Measure<'s> {
    /// Measures 1 for the documents of this set.
    Filter(RoaringBitmap),
    /// The proximity of a value to an origin.
    Decay { columns: Vec<Option<&'s Column>>, origin: f64, scale: Scale, fall: Fall },
    /// The size of a value.
    Value { columns: Vec<Option<&'s Column>>, growth: Growth, max: f64 },
    /// The proximity of a point to a centre.
    Near { points: Vec<Option<&'s GeoReader>>, centre: Point, fall: Fall },
}

/// The scale on which values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    Numbers,
    /// Numbers and dates, both in seconds.
    Times,
}

impl<'s> Measure<'s> {
    /// A filter needs more than the context.
    pub fn new(context: &Context<'s>, effect: &Effect, now: f64) -> Result<Self, SearchError> {
        Ok(match effect {
            Effect::Filter(_) => Self::Filter(RoaringBitmap::new()),
            Effect::Decay { attribute, origin, fall } => {
                let (origin, scale) = match *origin {
                    Origin::Number(number) => (number, Scale::Numbers),
                    Origin::Time(seconds) => (seconds, Scale::Times),
                    Origin::Now => (now, Scale::Times),
                };
                Self::Decay { columns: columns(context, attribute)?, origin, scale, fall: *fall }
            }
            Effect::Value { attribute, growth, max } => {
                let columns = columns(context, attribute)?;
                let max = match max {
                    Some(max) => *max,
                    None => greatest(&columns)?,
                };
                Self::Value { columns, growth: *growth, max }
            }
            Effect::Near { lat, lng, fall } => Self::Near {
                points: context.segments.iter().map(|view| view.segment.geo()).collect(),
                centre: Point { lat: *lat, lng: *lng },
                fall: *fall,
            },
        })
    }

    /// Returns the name of the measure in score details.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Filter(_) => "filter",
            Self::Decay { .. } => "decay",
            Self::Value { .. } => "value",
            Self::Near { .. } => "near",
        }
    }
}

impl Scale {
    /// Returns a value on this scale; `None` for a text that is no date.
    pub fn read(self, column: &Column, ordinal: u32) -> Result<Option<f64>, SearchError> {
        if ordinal < column.number_count() {
            let number = column.number(ordinal)?;
            return Ok(Some(match self {
                Self::Numbers => number,
                Self::Times => seconds_of_number(number),
            }));
        }
        match self {
            Self::Numbers => Ok(None),
            Self::Times => Ok(seconds_of_date(&column.string(ordinal)?)),
        }
    }
}

fn columns<'s>(
    context: &Context<'s>,
    attribute: &str,
) -> Result<Vec<Option<&'s Column>>, SearchError> {
    let of_segment = context.segments.iter().map(|view| Ok(view.segment.column(attribute)?));
    of_segment.collect()
}

/// Returns the greatest number of an attribute. Deleted documents count until their segment is
/// merged.
fn greatest(columns: &[Option<&Column>]) -> Result<f64, SearchError> {
    let mut greatest: f64 = 0.0;
    for column in columns.iter().flatten() {
        if let Some(last) = column.number_count().checked_sub(1) {
            greatest = greatest.max(column.number(last)?);
        }
    }
    Ok(greatest)
}
