//! Checks each document before it is sent, by the rules of the server: one bad document would make
//! it refuse the whole batch, and only the client knows its line.

use document::{Document, DocumentError, PayloadError, PrimaryKey, for_each};

use super::cut::Cutter;

/// The primary key, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Known(PrimaryKey),
    /// Inferred from the first document, as the server does.
    FromFirst,
    /// Known only to the server, which checks the ids itself.
    Unknown,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CheckError {
    /// An invalid document, with the line within it from 1 and the column if known.
    Document { line: u64, column: Option<u64>, reason: String },
    /// An error that concerns every document.
    All(String),
}

impl CheckError {
    fn document(reason: String) -> Self {
        Self::Document { line: 1, column: None, reason }
    }
}

impl From<PayloadError> for CheckError {
    fn from(error: PayloadError) -> Self {
        match error {
            PayloadError::MalformedJson { text, .. } => parse_position(&text),
            PayloadError::MalformedCsv { reason } => Self::document(without_line(&reason)),
            PayloadError::Missing { .. } => Self::document(error.to_string()),
        }
    }
}

impl From<DocumentError> for CheckError {
    fn from(error: DocumentError) -> Self {
        Self::document(error.to_string())
    }
}

/// Reports that no primary key was found; suggests another delimiter if the header has only one
/// field.
fn missing_key(error: DocumentError, csv_header: &[u8]) -> CheckError {
    let advice = match delimiter_of_one_field(csv_header) {
        Some(b'\t') => "Are its fields separated by tabs? (--csv-delimiter $'\\t')".to_owned(),
        Some(other) => {
            let other = char::from(other);
            format!("Are its fields separated by `{other}`? (--csv-delimiter '{other}')")
        }
        None => "Here that is --primary-key.".to_owned(),
    };
    CheckError::All(format!("{error} {advice}"))
}

/// Guesses the delimiter of a header without a comma.
fn delimiter_of_one_field(header: &[u8]) -> Option<u8> {
    if header.contains(&b',') {
        return None;
    }
    b";\t|".iter().copied().find(|letter| header.contains(letter))
}

/// Checks the text that was cut last and returns its number of documents.
pub(crate) fn check(key: &mut Key, cutter: &dyn Cutter, text: &[u8]) -> Result<u64, CheckError> {
    if let Key::Known(known) = key
        && cutter.is_surely_good(known)
    {
        return Ok(1);
    }
    let mut documents = 0;
    for_each_document(cutter, text, |document| {
        if *key == Key::FromFirst {
            let inferred = PrimaryKey::infer(document);
            *key = Key::Known(inferred.map_err(|error| missing_key(error, cutter.header()))?);
        }
        if let Key::Known(known) = key {
            known.id_of(document)?;
        }
        documents += 1;
        Ok(())
    })?;
    Ok(documents)
}

/// Calls `see` for each document of the text that was cut last; usually one.
pub(crate) fn for_each_document(
    cutter: &dyn Cutter,
    text: &[u8],
    mut see: impl FnMut(&Document<'_>) -> Result<(), CheckError>,
) -> Result<(), CheckError> {
    if cutter.header().is_empty() {
        return for_each(cutter.format(), text, |document| see(&document));
    }
    let payload = [cutter.header(), text].concat();
    for_each::<CheckError>(cutter.format(), &payload, |document| see(&document)).map_err(|error| {
        match error {
            // Line numbers from `csv` include the header.
            CheckError::Document { reason, .. } => CheckError::document(reason),
            other => other,
        }
    })
}

/// Parses messages such as `expected value at line 1 column 5`.
fn parse_position(text: &str) -> CheckError {
    let parts = text.rsplit_once(" at line ").and_then(|(reason, place)| {
        let (line, column) = place.split_once(" column ")?;
        Some((reason, line.parse().ok()?, column.parse().ok()?))
    });
    match parts {
        Some((reason, line, column)) => {
            CheckError::Document { line, column: Some(column), reason: reason.to_owned() }
        }
        None => CheckError::document(text.to_owned()),
    }
}

/// Removes the line number from a CSV message: it counts from the payload, not the file.
fn without_line(reason: &str) -> String {
    reason.replacen(" at line 1:", ":", 1)
}
