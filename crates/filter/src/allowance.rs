//! How much a filter may ask for, so that one request can take neither memory nor time without
//! bound: bytes of text, and a weight that grows with what has to be kept and looked up. The depth
//! has a limit of its own in the parser.
//!
//! A filter may come in many pieces; all of them draw on the same allowance.

use std::cell::Cell;

use crate::FilterError;

/// Of all expressions together.
pub(crate) const MAX_BYTES: usize = 16 << 20;
/// About as much as a million values of `IN`.
pub(crate) const MAX_WEIGHT: u32 = 1_000_000;

/// What parts of a filter weigh, after what they cost at worst.
pub(crate) mod weight {
    /// A name or a value: it is kept, and looked up.
    pub const VALUE: u32 = 1;
    /// A condition: a set of documents is made and joined with others.
    pub const CONDITION: u32 = 10;
    /// A number of a place: every shape is compared with every corner.
    pub const COORDINATE: u32 = 50;
    /// A condition for which all texts of an attribute are read, or another index is asked.
    pub const SCAN: u32 = 1000;
}

#[derive(Debug)]
pub(crate) struct Allowance {
    bytes: Cell<usize>,
    weight: Cell<u32>,
}

/// There was not enough left.
#[derive(Debug)]
pub(crate) struct AllowanceError;

impl Allowance {
    pub fn new() -> Self {
        Self { bytes: Cell::new(MAX_BYTES), weight: Cell::new(MAX_WEIGHT) }
    }

    /// To be asked before an expression is read.
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
