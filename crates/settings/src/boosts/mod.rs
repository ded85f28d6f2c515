//! Boosts raise documents independently of the query text. The setting `boosts` and the search
//! parameter share one form: `check` validates what users send, `read` parses what was checked, and
//! `dates` parses times.

mod check;
pub mod dates;
mod read;

use serde_json::Value;

pub(crate) use check::{ATTRIBUTE_WEIGHTS, BOOSTS};
pub use check::{check_attribute_weights, check_boosts};
pub use read::{attribute_weights_from, boosts_from};

/// One boost. It adds `weight` times a number from 0 to 1 to the boost of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Boost {
    pub effect: Effect,
    pub weight: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// 1 for the documents that match the filter, given in one of its JSON forms.
    Filter(Value),
    /// Decreases with the distance of the value of an attribute from an origin.
    Decay { attribute: String, origin: Origin, fall: Fall },
    /// Increases with the value of an attribute. Without `max`, the greatest value in the index
    /// counts 1.
    Value { attribute: String, growth: Growth, max: Option<f64> },
    /// Decreases with the distance of a document from a point.
    Near { lat: f64, lng: f64, fall: Fall },
}

/// Origin of a decay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Origin {
    Number(f64),
    /// A time, in seconds since 1970. Values are times too.
    Time(f64),
    /// The time of the search.
    Now,
}

/// How a number falls with the distance, from 1 at `offset` to `decay` at `offset + scale`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fall {
    pub curve: FallCurve,
    pub scale: f64,
    pub offset: f64,
    pub decay: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FallCurve {
    Exp,
    Gauss,
    Linear,
}

/// How a number grows with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    Linear,
    Log,
    Sqrt,
}

impl Effect {
    /// Returns the attribute whose values count, if any.
    pub fn attribute(&self) -> Option<&str> {
        match self {
            Self::Decay { attribute, .. } | Self::Value { attribute, .. } => Some(attribute),
            Self::Filter(_) | Self::Near { .. } => None,
        }
    }
}
