//! Looks at each document before it is sent, by the rules of the server: one bad document would
//! make it refuse all that came with it, and only here is known on which line it stands.

use document::{Document, DocumentError, PayloadError, PrimaryKey, for_each};

use super::cut::Cutter;

/// What is known of the field that holds the ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Known(PrimaryKey),
    /// The first document will say it, as it will to the server.
    FromFirst,
    /// The server knows it, and will tell whether ids are right.
    Unknown,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// With the line within the document, from 1, and the column where that is known.
    Document { line: u64, column: Option<u64>, reason: String },
    /// No document can be taken in.
    All(String),
}

impl Unfit {
    fn document(reason: String) -> Self {
        Self::Document { line: 1, column: None, reason }
    }
}

impl From<PayloadError> for Unfit {
    fn from(error: PayloadError) -> Self {
        match error {
            PayloadError::MalformedJson { text, .. } => placed(&text),
            PayloadError::MalformedCsv { reason } => Self::document(without_line(&reason)),
            PayloadError::Missing { .. } => Self::document(error.to_string()),
        }
    }
}

impl From<DocumentError> for Unfit {
    fn from(error: DocumentError) -> Self {
        Self::document(error.to_string())
    }
}

/// The ids are nowhere to be seen. A header that is one field only may be cut by another letter.
fn no_key(error: DocumentError, csv_header: &[u8]) -> Unfit {
    let advice = match delimiter_of_one_field(csv_header) {
        Some(b'\t') => "Are its fields separated by tabs? (--csv-delimiter $'\\t')".to_owned(),
        Some(other) => {
            let other = char::from(other);
            format!("Are its fields separated by `{other}`? (--csv-delimiter '{other}')")
        }
        None => "Here that is --primary-key.".to_owned(),
    };
    Unfit::All(format!("{error} {advice}"))
}

/// The letter that may separate the fields of a header without a comma.
fn delimiter_of_one_field(header: &[u8]) -> Option<u8> {
    if header.contains(&b',') {
        return None;
    }
    b";\t|".iter().copied().find(|letter| header.contains(letter))
}

/// Says how many documents the text holds that was cut last.
pub(crate) fn check(key: &mut Key, cutter: &dyn Cutter, text: &[u8]) -> Result<u64, Unfit> {
    if let Key::Known(known) = key
        && cutter.is_surely_good(known)
    {
        return Ok(1);
    }
    let mut documents = 0;
    each(cutter, text, |document| {
        if *key == Key::FromFirst {
            let inferred = PrimaryKey::infer(document);
            *key = Key::Known(inferred.map_err(|error| no_key(error, cutter.header()))?);
        }
        if let Key::Known(known) = key {
            known.id_of(document)?;
        }
        documents += 1;
        Ok(())
    })?;
    Ok(documents)
}

/// Reads the documents of the text that was cut last; one, as a rule.
pub(crate) fn each(
    cutter: &dyn Cutter,
    text: &[u8],
    mut see: impl FnMut(&Document<'_>) -> Result<(), Unfit>,
) -> Result<(), Unfit> {
    if cutter.header().is_empty() {
        return for_each(cutter.format(), text, |document| see(&document));
    }
    let payload = [cutter.header(), text].concat();
    for_each::<Unfit>(cutter.format(), &payload, |document| see(&document)).map_err(|unfit| {
        match unfit {
            // What csv says of lines counts the header.
            Unfit::Document { reason, .. } => Unfit::document(reason),
            other => other,
        }
    })
}

/// `expected value at line 1 column 5`, taken apart.
fn placed(text: &str) -> Unfit {
    let parts = text.rsplit_once(" at line ").and_then(|(reason, place)| {
        let (line, column) = place.split_once(" column ")?;
        Some((reason, line.parse().ok()?, column.parse().ok()?))
    });
    match parts {
        Some((reason, line, column)) => {
            Unfit::Document { line, column: Some(column), reason: reason.to_owned() }
        }
        None => Unfit::document(text.to_owned()),
    }
}

/// The line in a text about CSV counts from the payload, not from the file.
fn without_line(reason: &str) -> String {
    reason.replacen(" at line 1:", ":", 1)
}
