//! Boosts: what raises a document beside the words of a query. The setting `boosts` and the search
//! parameter of that name have this one form; `check` reads what users send, `read` what was
//! checked, and `dates` the two forms in which times are written.

mod check;
pub mod dates;
mod read;

use serde_json::Value;

pub(crate) use check::{attribute_weights, boosts};
pub use check::{check_attribute_weights, check_boosts};
pub use read::{attribute_weights_from, boosts_from};

/// One reason to raise a document. It adds `weight` times a number from 0 to 1 to the boost of the
/// document.
#[derive(Debug, Clone, PartialEq)]
pub struct Boost {
    pub effect: Effect,
    pub weight: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// 1 for the documents that a filter selects. The filter has one of its JSON forms.
    Filter(Value),
    /// Less the farther the value of an attribute is from an origin.
    Decay { attribute: String, origin: Origin, fall: Fall },
    /// More the greater the value of an attribute is. Without `max`, the greatest value in the
    /// index counts 1.
    Value { attribute: String, growth: Growth, max: Option<f64> },
    /// Less the farther a document is from a place.
    Near { lat: f64, lng: f64, fall: Fall },
}

/// Where decay starts.
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
    /// The attribute whose values count.
    pub fn attribute(&self) -> Option<&str> {
        match self {
            Self::Decay { attribute, .. } | Self::Value { attribute, .. } => Some(attribute),
            Self::Filter(_) | Self::Near { .. } => None,
        }
    }
}
