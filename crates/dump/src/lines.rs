//! Lines of an entry, one at a time, none longer than what a document can be.

use std::io::{BufRead, BufReader, Read};

/// A document with many vectors is long; this is far above any of them and below any memory.
const LONGEST_LINE: u64 = 512 << 20;

pub(crate) enum LineFault<E> {
    Io(std::io::Error),
    TooLong,
    /// Of the one who takes the lines.
    Other(E),
}

/// Empty lines are left out.
pub(crate) fn for_each<E>(
    data: impl Read,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), LineFault<E>> {
    let mut data = BufReader::with_capacity(1 << 17, data);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut data).take(LONGEST_LINE + 1);
        let read = limited.read_until(b'\n', &mut line).map_err(LineFault::Io)?;
        if read == 0 {
            return Ok(());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if line.len() as u64 > LONGEST_LINE {
            return Err(LineFault::TooLong);
        }
        if !line.is_empty() {
            each(&line).map_err(LineFault::Other)?;
        }
    }
}
