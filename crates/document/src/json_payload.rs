//! Finds the documents in JSON and NDJSON payloads; the caller reads each from the scanner.

use std::convert::Infallible;

use json::{ScanError, Scanner};

use crate::Format;

/// Why reading a payload ended early.
#[derive(Debug)]
pub(crate) enum ReadError<E> {
    /// The payload is not a list of documents.
    Malformed,
    Caller(E),
}

impl<E> From<ScanError> for ReadError<E> {
    fn from(ScanError: ScanError) -> Self {
        ReadError::Malformed
    }
}

/// Calls `each` for every document; it must read one object from the scanner.
pub(crate) fn read<'a, E>(
    format: Format,
    payload: &'a [u8],
    mut each: impl FnMut(&mut Scanner<'a>) -> Result<(), ReadError<E>>,
) -> Result<(), ReadError<E>> {
    let text = str::from_utf8(payload).map_err(|_| ReadError::Malformed)?;
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
pub(crate) fn count(format: Format, payload: &[u8]) -> Result<u64, ReadError<Infallible>> {
    let mut count = 0;
    read(format, payload, |scanner| {
        if scanner.peek() != Some(b'{') {
            return Err(ReadError::Malformed);
        }
        scanner.value(0)?;
        count += 1;
        Ok(())
    })?;
    Ok(count)
}
