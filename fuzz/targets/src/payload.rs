//! Payloads of documents in their three forms. What passes the check when it is sent must be
//! readable when its task runs, with as many documents.

use document::{Document, Format, PayloadError};

/// Fails where the target would.
pub fn run(payload: &[u8]) {
    for format in [
        Format::Json,
        Format::Ndjson,
        Format::Csv { delimiter: b',' },
        Format::Csv { delimiter: 0 },
    ] {
        let checked = document::check(format, payload);
        let mut count = 0_u64;
        let read = document::for_each::<PayloadError>(format, payload, |document| {
            count += 1;
            let json = document.to_json();
            Document::parse(&json).expect("what is written can be read");
            Ok(())
        });
        match checked {
            Ok(expected) => {
                read.expect("what was checked can be read");
                assert_eq!(count, expected);
            }
            Err(error) => drop(error.to_string()),
        }
        let mut out = Vec::new();
        let _ = document::write_ndjson(format, payload, &mut out);
    }
}
