//! A payload of documents in any of the three forms: checked when it arrives, read when its task
//! runs, shown while its task waits.

use std::convert::Infallible;

use crate::json_payload::{self, Stop};
use crate::{Document, Format, PayloadError, csv_payload, refusal};

/// Reads the whole payload and says how many documents it holds. What passes here can be read by
/// [`for_each`].
pub fn check(format: Format, payload: &[u8]) -> Result<u64, PayloadError> {
    refuse_empty(format, payload)?;
    match format {
        Format::Json | Format::Ndjson => {
            json_payload::count(format, payload).map_err(|_| refusal::of(format, payload))
        }
        Format::Csv { delimiter } => {
            let mut count = 0;
            csv_payload::read::<PayloadError>(delimiter, payload, |_| {
                count += 1;
                Ok(())
            })?;
            Ok(count)
        }
    }
}

/// Calls `each` for every document of a payload, in order.
pub fn for_each<E: From<PayloadError>>(
    format: Format,
    payload: &[u8],
    mut each: impl FnMut(Document<'_>) -> Result<(), E>,
) -> Result<(), E> {
    refuse_empty(format, payload)?;
    match format {
        Format::Json | Format::Ndjson => json_payload::read(format, payload, |scanner| {
            let document = Document::read(scanner)?;
            each(document).map_err(Stop::Caller)
        })
        .map_err(|stop| match stop {
            Stop::Caller(error) => error,
            Stop::Fault => refusal::of(format, payload).into(),
        }),
        Format::Csv { delimiter } => csv_payload::read(delimiter, payload, each),
    }
}

/// Shows the documents of a payload: NDJSON as it was sent, the other forms as objects without
/// anything between them.
pub fn write_ndjson(format: Format, payload: &[u8], out: &mut Vec<u8>) -> Result<(), PayloadError> {
    let mut json = String::new();
    let mut write = |document: Document<'_>| {
        json.clear();
        document.write_json(&mut json);
        out.extend_from_slice(json.as_bytes());
    };
    match format {
        Format::Ndjson => {
            out.extend_from_slice(payload);
            Ok(())
        }
        Format::Json => json_payload::read::<Infallible>(format, payload, |scanner| {
            write(Document::read_as_sent(scanner)?);
            Ok(())
        })
        .map_err(|_| refusal::of(format, payload)),
        Format::Csv { delimiter } => csv_payload::read(delimiter, payload, |document| {
            write(document);
            Ok(())
        }),
    }
}

fn refuse_empty(format: Format, payload: &[u8]) -> Result<(), PayloadError> {
    if payload.is_empty() {
        return Err(PayloadError::Missing { format: format.name() });
    }
    Ok(())
}

#[cfg(test)]
#[path = "payload_tests.rs"]
mod tests;
