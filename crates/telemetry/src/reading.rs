//! The value that one request adds to one figure. Texts enter only through `name`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// The request does not concern the figure.
    Nothing,
    Number(u64),
    Name(Box<str>),
}

/// Reads a text that is sent as it is, but for addresses: docs/telemetry.md lists them all.
pub fn name(text: &str) -> Reading {
    Reading::Name(text.into())
}

/// Returns a number that distinguishes private texts; the text cannot be recovered from it.
pub fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl From<u64> for Reading {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Reading {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

impl From<bool> for Reading {
    fn from(flag: bool) -> Self {
        Self::Number(flag.into())
    }
}

impl<T: Into<Reading>> From<Option<T>> for Reading {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}

/// The end of a timed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestOutcome {
    pub succeeded: bool,
    /// True if the search time limit cut it off.
    pub degraded: bool,
    pub elapsed: Duration,
}
