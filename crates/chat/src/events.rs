//! Incremental reader of server-sent events, which returns only their data.

/// Events are a few hundred bytes; a sender of more than this is no provider.
const MAX_EVENT_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct EventReader {
    /// The incomplete line.
    line: Vec<u8>,
    /// The data of the incomplete event.
    data: Option<Vec<u8>>,
    /// True if the last line ended with a carriage return; a line feed right after belongs to it.
    after_return: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EventError {
    TooLong,
    NotText,
}

impl EventReader {
    /// Reads the next bytes and returns the data of completed events.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, EventError> {
        let mut complete = Vec::new();
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_return) && *first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.grow_line(rest)?;
                break;
            };
            self.grow_line(&rest[..end])?;
            self.after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            complete.extend(self.end_line()?);
        }
        Ok(complete)
    }

    /// Returns the data of an event cut off by the end of the stream.
    pub fn finish(mut self) -> Result<Option<String>, EventError> {
        let last = self.end_line()?;
        match last {
            Some(last) => Ok(Some(last)),
            None => self.data.take().map(text).transpose(),
        }
    }

    fn grow_line(&mut self, bytes: &[u8]) -> Result<(), EventError> {
        let collected = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
        if collected + bytes.len() > MAX_EVENT_BYTES {
            return Err(EventError::TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Reads a line; a blank one ends the event.
    fn end_line(&mut self) -> Result<Option<String>, EventError> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take().map(text).transpose();
        }
        let value = match line.strip_prefix(b"data") {
            Some(b"") => &b""[..],
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => value,
            // A comment, or a field that is not needed.
            _ => return Ok(None),
        };
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
        Ok(None)
    }
}

fn text(data: Vec<u8>) -> Result<String, EventError> {
    String::from_utf8(data).map_err(|_| EventError::NotText)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<Vec<String>, EventError> {
        let mut reader = EventReader::default();
        let mut events = Vec::new();
        for piece in pieces {
            events.extend(reader.push(piece)?);
        }
        events.extend(reader.finish()?);
        Ok(events)
    }

    #[test]
    fn the_same_events_come_out_however_the_bytes_are_cut() {
        let whole = "retry: 3\n\ndata: é1\n\n: a comment\nid: 7\ndata:two\r\ndata:  lines\r\n\r\n\
                     event: x\rdata\r\rdata: [DONE]";
        let expected = ["é1", "two\n lines", "", "[DONE]"];
        assert_eq!(read(&[whole.as_bytes()]).unwrap(), expected);
        for cut in 1..whole.len() {
            let (first, rest) = whole.as_bytes().split_at(cut);
            assert_eq!(read(&[first, rest]).unwrap(), expected, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = whole.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes).unwrap(), expected);
    }

    #[test]
    fn fields_without_data_are_no_event() {
        assert!(read(&[b"event: ping\n\n:\n\ndatabase: x\n\n"]).unwrap().is_empty());
    }

    #[test]
    fn endless_lines_and_events_are_refused() {
        let line = vec![b'x'; 1 << 16];
        let mut reader = EventReader::default();
        let endless = (0..20).try_for_each(|_| reader.push(&line).map(drop));
        assert_eq!(endless, Err(EventError::TooLong));
        let line = [b"data:", &line[..], b"\n"].concat();
        let mut reader = EventReader::default();
        let endless = (0..20).try_for_each(|_| reader.push(&line).map(drop));
        assert_eq!(endless, Err(EventError::TooLong));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert_eq!(read(&[b"data: \xff\n\n"]), Err(EventError::NotText));
    }
}
