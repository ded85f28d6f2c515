//! Payloads of documents in the three formats: checked on arrival, read when their task runs, and
//! shown while it waits.

use std::convert::Infallible;

use crate::json_payload::{self, ReadError};
use crate::{Document, Format, PayloadError, csv_payload, json_error};

/// Validates the whole payload and returns its number of documents. [`for_each`] can read what
/// passes here.
pub fn check(format: Format, payload: &[u8]) -> Result<u64, PayloadError> {
    refuse_empty(format, payload)?;
    match format {
        Format::Json | Format::Ndjson => {
            json_payload::count(format, payload).map_err(|_| json_error::describe(format, payload))
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
            each(document).map_err(ReadError::Caller)
        })
        .map_err(|error| match error {
            ReadError::Caller(error) => error,
            ReadError::Malformed => json_error::describe(format, payload).into(),
        }),
        Format::Csv { delimiter } => csv_payload::read(delimiter, payload, each),
    }
}

/// Writes the documents of a payload: NDJSON unchanged, the other formats as objects without
/// separators.
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
        .map_err(|_| json_error::describe(format, payload)),
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
