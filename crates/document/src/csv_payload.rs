//! Reads CSV into documents: the header names the fields and may type them, every record is one
//! document with all of them.

use std::borrow::Cow;
use std::ops::Range;

use csv::{ReaderBuilder, StringRecord};
use serde_json::Number;

use crate::text::write_string;
use crate::{Document, PayloadError};

/// Calls `each` for every record, in order.
pub(crate) fn read<E: From<PayloadError>>(
    delimiter: u8,
    payload: &[u8],
    mut each: impl FnMut(Document<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(payload);
    let header = reader.headers().map_err(malformed)?;
    let columns: Vec<Column> = header.iter().map(Column::parse).collect();

    let mut record = StringRecord::new();
    let mut json = String::new();
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(columns.len());
    let mut line = 0;
    while reader.read_record(&mut record).map_err(malformed)? {
        line += 1;
        json.clear();
        ranges.clear();
        for (column, cell) in columns.iter().zip(&record) {
            let start = json.len();
            column.write_value(cell, line, &mut json)?;
            ranges.push(start..json.len());
        }
        let names = columns.iter().map(|column| Cow::Borrowed(column.name.as_str()));
        let values = ranges.iter().map(|range| Cow::Borrowed(&json[range.clone()]));
        each(Document::from_fields(names.zip(values)))?;
    }
    Ok(())
}

fn malformed(error: csv::Error) -> PayloadError {
    PayloadError::MalformedCsv { reason: error.to_string() }
}

struct Column {
    name: String,
    column_type: ColumnType,
}

enum ColumnType {
    Text,
    Number,
    Boolean,
}

impl Column {
    /// The part after the last colon is a type, if it is the name of one.
    fn parse(header: &str) -> Self {
        let (name, column_type) = match header.rsplit_once(':') {
            Some((name, "string")) => (name, ColumnType::Text),
            Some((name, "number")) => (name, ColumnType::Number),
            Some((name, "boolean")) => (name, ColumnType::Boolean),
            _ => (header, ColumnType::Text),
        };
        Self { name: name.to_owned(), column_type }
    }

    /// Writes the JSON of one cell. `line` counts records from 1.
    fn write_value(&self, cell: &str, line: u64, out: &mut String) -> Result<(), PayloadError> {
        let refuse = |column_type: &str, problem: &str| PayloadError::MalformedCsv {
            reason: format!("Error parsing {column_type} {cell:?} at line {line}: {problem}"),
        };
        match self.column_type {
            ColumnType::Text if cell.is_empty() => out.push_str("null"),
            ColumnType::Text => write_string(cell, out),
            ColumnType::Number => {
                out.push_str(&number(cell.trim()).map_err(|problem| refuse("number", &problem))?);
            }
            ColumnType::Boolean => match cell.trim() {
                "" => out.push_str("null"),
                word @ ("true" | "false") => out.push_str(word),
                _ => {
                    return Err(refuse("boolean", "provided string was not `true` or `false`"));
                }
            },
        }
        Ok(())
    }
}

/// Parses a 64-bit integer, else a float. Infinities and NaN are accepted as null, since JSON has
/// no such values.
fn number(text: &str) -> Result<Cow<'static, str>, String> {
    if text.is_empty() {
        return Ok(Cow::Borrowed("null"));
    }
    if let Ok(integer) = text.parse::<i64>() {
        return Ok(Cow::Owned(integer.to_string()));
    }
    let float: f64 = text.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?;
    match Number::from_f64(float) {
        Some(number) => Ok(Cow::Owned(number.to_string())),
        None if text.bytes().any(|byte| byte.is_ascii_digit()) => {
            Err("number out of range".to_owned())
        }
        None => Ok(Cow::Borrowed("null")),
    }
}
