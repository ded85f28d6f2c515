//! Limits on the size of a filter, so that no request takes unbounded memory or time: bytes of
//! text, and a weight that grows with the data to store and to look up. The parser limits the
//! depth.
//!
//! A filter may come in many pieces; all of them draw on the same allowance.

use std::cell::Cell;

use crate::FilterError;

/// Limit for all expressions together.
pub(crate) const MAX_BYTES: usize = 16 << 20;
/// Roughly a million values of `IN`.
pub(crate) const MAX_WEIGHT: u32 = 1_000_000;

/// Weights of parts of a filter, by their worst-case cost.
pub(crate) mod weight {
    /// A name or a value: it is stored, and looked up.
    pub const VALUE: u32 = 1;
    /// A condition: a set of documents is computed and combined with others.
    pub const CONDITION: u32 = 10;
    /// A coordinate: every shape is compared with every corner.
    pub const COORDINATE: u32 = 50;
    /// A condition that reads all texts of an attribute, or queries another index.
    pub const SCAN: u32 = 1000;
}

#[derive(Debug)]
pub(crate) struct Allowance {
    bytes: Cell<usize>,
    weight: Cell<u32>,
}

/// The allowance is used up.
#[derive(Debug)]
pub(crate) struct AllowanceError;

impl Allowance {
    pub fn new() -> Self {
        Self { bytes: Cell::new(MAX_BYTES), weight: Cell::new(MAX_WEIGHT) }
    }

    /// Must be called before an expression is parsed.
    pub fn take_text(&self, text: &str) -> Result<(), FilterError> {
        let left = self.bytes.get().checked_sub(text.len()).ok_or_else(|| {
            FilterError::Syntax(format!(
                "The filter is too long: it may have at most {MAX_BYTES} bytes."
            ))
        })?;
        self.bytes.set(left);
        Ok(())
    }

    pub fn take(&self, weight: u32) -> Result<(), AllowanceError> {
        let left = self.weight.get().checked_sub(weight);
        self.weight.set(left.unwrap_or(0));
        left.map(drop).ok_or(AllowanceError)
    }
}
