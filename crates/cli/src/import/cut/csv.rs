//! Cuts CSV: the header names the fields, every record is a document. Records are sent unchanged;
//! they are parsed only to count fields and to check the id.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use document::{Format, PrimaryKey, check_document_id};

use super::{CutDocument, CutError, Cutter, check_size};
use crate::import::source::{FilePosition, SourceReader};

pub(crate) struct CsvCutter {
    text: SourceReader,
    reader: Reader,
    delimiter: u8,
    /// The first record as it is in the file, with its line end.
    header: Vec<u8>,
    columns: Vec<Column>,
    fields: Fields,
}

#[derive(Debug)]
struct Column {
    name: String,
    column_type: ColumnType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnType {
    Text,
    Number,
    Boolean,
}

impl Column {
    /// Parses a title; the part after the last colon is a type if it names one.
    fn new(title: &str) -> Self {
        let (name, column_type) = match title.rsplit_once(':') {
            Some((name, "string")) => (name, ColumnType::Text),
            Some((name, "number")) => (name, ColumnType::Number),
            Some((name, "boolean")) => (name, ColumnType::Boolean),
            _ => (title, ColumnType::Text),
        };
        Self { name: name.to_owned(), column_type }
    }

    /// Returns whether the server is certain to accept the cell.
    fn takes(&self, cell: &[u8]) -> bool {
        let Ok(text) = str::from_utf8(cell) else { return false };
        let text = text.trim();
        match self.column_type {
            ColumnType::Text => true,
            ColumnType::Number => text.is_empty() || text.parse::<f64>().is_ok_and(f64::is_finite),
            ColumnType::Boolean => matches!(text, "" | "true" | "false"),
        }
    }

    /// Returns whether the cell is certainly a valid id.
    fn takes_id(&self, cell: &[u8]) -> bool {
        let Ok(text) = str::from_utf8(cell) else { return false };
        match self.column_type {
            ColumnType::Text => check_document_id(text),
            ColumnType::Number => text.trim().parse::<i64>().is_ok(),
            ColumnType::Boolean => false,
        }
    }
}

/// The fields of one record.
#[derive(Debug)]
struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
    /// True if the file ended before the record did.
    is_open: bool,
}

impl Fields {
    fn get(&self, place: usize) -> Option<&[u8]> {
        let end = *self.ends[..self.count].get(place)?;
        let begin = if place == 0 { 0 } else { self.ends[place - 1] };
        self.bytes.get(begin..end)
    }
}

impl CsvCutter {
    /// Reads the header; `text` is at the beginning of the file.
    pub(crate) fn new(text: SourceReader, delimiter: u8) -> Result<Self, CutError> {
        let fields = Fields { bytes: vec![0; 4096], ends: vec![0; 64], count: 0, is_open: false };
        let reader = reader(delimiter);
        let mut header = Vec::new();
        let mut cutter =
            Self { text, reader, delimiter, header: Vec::new(), columns: Vec::new(), fields };
        let Some(_) = cutter.record(&mut header)? else {
            let reason = "the file is empty; a CSV file starts with a header of field names";
            return Err(CutError::At { line: 1, reason: reason.to_owned() });
        };
        for place in 0..cutter.fields.count {
            let name = cutter.fields.get(place).unwrap_or_default();
            let name = str::from_utf8(name).map_err(|_| CutError::At {
                line: 1,
                reason: "the header is not UTF-8".to_owned(),
            })?;
            cutter.columns.push(Column::new(name));
        }
        cutter.header = header;
        Ok(cutter)
    }

    /// Continues at another position, between two records of the same file.
    pub(crate) fn resume(self, text: SourceReader) -> Self {
        Self { text, reader: reader(self.delimiter), ..self }
    }

    /// Appends the next record to `out`, with its line end, and returns its line; `None` at the end
    /// of the file.
    fn record(&mut self, out: &mut Vec<u8>) -> Result<Option<u64>, CutError> {
        // Blank lines are not records.
        if self.text.skip_all(|byte| matches!(byte, b'\r' | b'\n'))?.is_none() {
            return Ok(None);
        }
        let (begin, line) = (out.len(), self.text.point().line);
        let mut bytes = 0;
        self.fields.count = 0;
        loop {
            let ahead = self.text.peek()?;
            self.fields.is_open = ahead.is_empty();
            let (result, read, wrote, ended) = self.reader.read_record(
                ahead,
                &mut self.fields.bytes[bytes..],
                &mut self.fields.ends[self.fields.count..],
            );
            self.text.take(read, out)?;
            bytes += wrote;
            self.fields.count += ended;
            match result {
                ReadRecordResult::InputEmpty => check_size(out.len() - begin, line)?,
                ReadRecordResult::OutputFull => {
                    self.fields.bytes.resize(self.fields.bytes.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    self.fields.ends.resize(self.fields.ends.len() * 2, 0);
                }
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(None),
            }
        }
        // The reader ends a record at the `\r` of a `\r\n`.
        if out.last() == Some(&b'\r') && self.text.peek()?.first() == Some(&b'\n') {
            self.text.skip(1)?;
        }
        while out.len() > begin && matches!(out.last(), Some(b'\r' | b'\n')) {
            out.pop();
        }
        out.push(b'\n');
        Ok(Some(line))
    }

    fn record_error(&self, first: u64, out: &[u8]) -> Option<String> {
        let (expected, found) = (self.columns.len(), self.fields.count);
        let breaks = memchr::memchr_iter(b'\n', out).count() as u64 - 1;
        if expected == found {
            // After an unclosed quote, the rest of the file looks like one field.
            let quotes = memchr::memchr_iter(b'"', out).count();
            let is_lost = self.fields.is_open && breaks > 0 && !quotes.is_multiple_of(2);
            return is_lost.then(|| "a quote is not closed, up to the end of the file".to_owned());
        }
        let noun = if expected == 1 { "field" } else { "fields" };
        let mut error = format!("expected {expected} {noun}, found {found}");
        if breaks > 0 {
            let last = first + breaks;
            error += &format!(" (the record goes on to line {last}; is a quote not closed?)");
        }
        Some(error)
    }
}

fn reader(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).build()
}

impl Cutter for CsvCutter {
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<CutDocument>, CutError> {
        let begin = out.len();
        let Some(line) = self.record(out)? else { return Ok(None) };
        let error = self.record_error(line, &out[begin..]);
        Ok(Some(CutDocument { line, error }))
    }

    fn point(&self) -> FilePosition {
        self.text.point()
    }

    fn format(&self) -> Format {
        Format::Csv { delimiter: self.delimiter }
    }

    fn header(&self) -> &[u8] {
        &self.header
    }

    fn is_surely_good(&self, key: &PrimaryKey) -> bool {
        // The last of several columns with the same name counts.
        let Some(place) = self.columns.iter().rposition(|column| column.name == key.as_str())
        else {
            return false;
        };
        let cell = |place: usize| self.fields.get(place).unwrap_or_default();
        self.columns[place].takes_id(cell(place))
            && self.columns.iter().enumerate().all(|(place, column)| column.takes(cell(place)))
    }
}

impl std::fmt::Debug for CsvCutter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvCutter").field("text", &self.text).finish_non_exhaustive()
    }
}
