//! Finds the documents in JSON and NDJSON payloads. What is done with each is up to the caller,
//! who reads it from the scanner.

use std::convert::Infallible;

use crate::Format;
use crate::scanner::{Fault, Scanner};

/// Why reading ended early.
#[derive(Debug)]
pub(crate) enum Stop<E> {
    /// The payload is no list of documents.
    Fault,
    Caller(E),
}

impl<E> From<Fault> for Stop<E> {
    fn from(Fault: Fault) -> Self {
        Stop::Fault
    }
}

/// Steps through the payload; `each` must read one object from the scanner.
pub(crate) fn read<'a, E>(
    format: Format,
    payload: &'a [u8],
    mut each: impl FnMut(&mut Scanner<'a>) -> Result<(), Stop<E>>,
) -> Result<(), Stop<E>> {
    let text = str::from_utf8(payload).map_err(|_| Stop::Fault)?;
    let mut scanner = Scanner::new(text);
    if format == Format::Ndjson {
        while scanner.peek().is_some() {
            each(&mut scanner)?;
        }
        return Ok(());
    }
    if scanner.peek() == Some(b'[') {
        scanner.array(0, each)?;
    } else {
        each(&mut scanner)?;
    }
    Ok(scanner.expect_end()?)
}

/// Checks the whole payload and counts its documents.
pub(crate) fn count(format: Format, payload: &[u8]) -> Result<u64, Stop<Infallible>> {
    let mut count = 0;
    read(format, payload, |scanner| {
        if scanner.peek() != Some(b'{') {
            return Err(Stop::Fault);
        }
        scanner.value(0)?;
        count += 1;
        Ok(())
    })?;
    Ok(count)
}
