//! Reads the lines of an entry one at a time, with a limit on their length.

use std::io::{BufRead, BufReader, Read};

/// Far above any document, even one with many vectors.
const LONGEST_LINE: u64 = 512 << 20;

pub(crate) enum LineError<E> {
    Io(std::io::Error),
    TooLong,
    /// The error of the callback.
    Other(E),
}

/// Calls `each` for every line that is not empty.
pub(crate) fn for_each<E>(
    data: impl Read,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), LineError<E>> {
    let mut data = BufReader::with_capacity(1 << 17, data);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut data).take(LONGEST_LINE + 1);
        let read = limited.read_until(b'\n', &mut line).map_err(LineError::Io)?;
        if read == 0 {
            return Ok(());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if line.len() as u64 > LONGEST_LINE {
            return Err(LineError::TooLong);
        }
        if !line.is_empty() {
            each(&line).map_err(LineError::Other)?;
        }
    }
}
