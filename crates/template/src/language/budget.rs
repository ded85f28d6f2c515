//! The budget of one rendering: loop steps, and bytes written or held in variables. It is stored in
//! the registers of the rendering, which every block and filter can access.

use std::io::{self, Write};

use liquid_core::model::{Value, ValueView};
use liquid_core::{Error, Result, Runtime};

use crate::error::RenderError;

const STEPS: u64 = 1_000_000;
const BYTES: u64 = 16 << 20;

#[derive(Debug)]
pub(crate) struct Budget {
    steps_left: u64,
    bytes_left: u64,
    exhausted: Option<RenderError>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps_left: STEPS, bytes_left: BYTES, exhausted: None }
    }
}

impl Budget {
    /// Returns what was exhausted, if anything; the error of Liquid is less specific.
    pub(crate) fn exhausted(&self) -> Option<RenderError> {
        self.exhausted.clone()
    }

    fn take_bytes(&mut self, bytes: u64) -> bool {
        match self.bytes_left.checked_sub(bytes) {
            Some(left) => self.bytes_left = left,
            None => self.exhausted = Some(RenderError::TooLong { limit: BYTES }),
        }
        self.exhausted.is_none()
    }
}

pub(crate) fn take_steps(runtime: &dyn Runtime, steps: u64) -> Result<()> {
    let mut budget = runtime.registers().get_mut::<Budget>();
    match budget.steps_left.checked_sub(steps) {
        Some(left) => budget.steps_left = left,
        None => budget.exhausted = Some(RenderError::TooManySteps { limit: STEPS }),
    }
    if budget.exhausted.is_some() { Err(Error::with_msg("Too many steps")) } else { Ok(()) }
}

pub(crate) fn take_bytes(runtime: &dyn Runtime, bytes: u64) -> Result<()> {
    let kept = runtime.registers().get_mut::<Budget>().take_bytes(bytes);
    if kept { Ok(()) } else { Err(Error::with_msg("Too much text")) }
}

/// Estimates the memory of a value.
pub(crate) fn bytes_of(value: &Value) -> u64 {
    match value {
        Value::Scalar(scalar) => scalar.to_kstr().len() as u64,
        Value::Array(items) => 16 + items.iter().map(|item| 16 + bytes_of(item)).sum::<u64>(),
        Value::Object(members) => {
            16 + members.iter().map(|(k, v)| 32 + k.len() as u64 + bytes_of(v)).sum::<u64>()
        }
        _ => 16,
    }
}

/// Output text that is counted against the budget.
pub(crate) struct BoundedText<'r> {
    bytes: Vec<u8>,
    runtime: &'r dyn Runtime,
}

impl<'r> BoundedText<'r> {
    pub(crate) fn new(runtime: &'r dyn Runtime) -> Self {
        Self { bytes: Vec::new(), runtime }
    }

    pub(crate) fn into_text(self) -> Option<String> {
        String::from_utf8(self.bytes).ok()
    }
}

impl Write for BoundedText<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.runtime.registers().get_mut::<Budget>().take_bytes(bytes.len() as u64) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
