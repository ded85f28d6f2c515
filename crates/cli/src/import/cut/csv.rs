//! CSV: the header names the fields, every record is a document. Records are sent as they stand
//! in the file; what they hold is looked at only to count fields and to see the id.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use document::{Format, PrimaryKey, check_document_id};

use super::{Cut, Cutter, Lost, check_size};
use crate::import::text::{Point, Text};

pub(crate) struct CsvCutter {
    text: Text,
    reader: Reader,
    delimiter: u8,
    /// The first record as it stands in the file, with the end of its line.
    header: Vec<u8>,
    columns: Vec<Column>,
    fields: Fields,
}

#[derive(Debug)]
struct Column {
    name: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Boolean,
}

impl Column {
    /// The part behind the last colon is a kind, if it is the name of one.
    fn new(title: &str) -> Self {
        let (name, kind) = match title.rsplit_once(':') {
            Some((name, "string")) => (name, Kind::Text),
            Some((name, "number")) => (name, Kind::Number),
            Some((name, "boolean")) => (name, Kind::Boolean),
            _ => (title, Kind::Text),
        };
        Self { name: name.to_owned(), kind }
    }

    /// Whether the server takes the cell for sure.
    fn takes(&self, cell: &[u8]) -> bool {
        let Ok(text) = str::from_utf8(cell) else { return false };
        let text = text.trim();
        match self.kind {
            Kind::Text => true,
            Kind::Number => text.is_empty() || text.parse::<f64>().is_ok_and(f64::is_finite),
            Kind::Boolean => matches!(text, "" | "true" | "false"),
        }
    }

    /// Whether the cell is an id for sure.
    fn takes_id(&self, cell: &[u8]) -> bool {
        let Ok(text) = str::from_utf8(cell) else { return false };
        match self.kind {
            Kind::Text => check_document_id(text),
            Kind::Number => text.trim().parse::<i64>().is_ok(),
            Kind::Boolean => false,
        }
    }
}

/// The fields of one record.
#[derive(Debug)]
struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
    /// The file ended before the record did.
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
    /// Reads the header. The text is at the beginning of the file.
    pub(crate) fn new(text: Text, delimiter: u8) -> Result<Self, Lost> {
        let fields = Fields { bytes: vec![0; 4096], ends: vec![0; 64], count: 0, is_open: false };
        let reader = reader(delimiter);
        let mut header = Vec::new();
        let mut cutter =
            Self { text, reader, delimiter, header: Vec::new(), columns: Vec::new(), fields };
        let Some(_) = cutter.record(&mut header)? else {
            let reason = "the file is empty; a CSV file begins with the names of its fields";
            return Err(Lost::At { line: 1, reason: reason.to_owned() });
        };
        for place in 0..cutter.fields.count {
            let name = cutter.fields.get(place).unwrap_or_default();
            let name = str::from_utf8(name)
                .map_err(|_| Lost::At { line: 1, reason: "the header is not UTF-8".to_owned() })?;
            cutter.columns.push(Column::new(name));
        }
        cutter.header = header;
        Ok(cutter)
    }

    /// Goes on at another place, between two records of the same file.
    pub(crate) fn resume(self, text: Text) -> Self {
        Self { text, reader: reader(self.delimiter), ..self }
    }

    /// Puts the next record at the end of `out`, with the end of its line. None at the end.
    fn record(&mut self, out: &mut Vec<u8>) -> Result<Option<u64>, Lost> {
        // Blank lines are no records.
        if self.text.skip_all(|byte| matches!(byte, b'\r' | b'\n'))?.is_none() {
            return Ok(None);
        }
        let (begin, line) = (out.len(), self.text.point().line);
        let mut bytes = 0;
        self.fields.count = 0;
        loop {
            let ahead = self.text.look()?;
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
        // The reader ends a record at the first of the two letters that may end a line.
        if out.last() == Some(&b'\r') && self.text.look()?.first() == Some(&b'\n') {
            self.text.skip(1)?;
        }
        while out.len() > begin && matches!(out.last(), Some(b'\r' | b'\n')) {
            out.pop();
        }
        out.push(b'\n');
        Ok(Some(line))
    }

    fn fault(&self, first: u64, out: &[u8]) -> Option<String> {
        let (expected, found) = (self.columns.len(), self.fields.count);
        let breaks = memchr::memchr_iter(b'\n', out).count() as u64 - 1;
        if expected == found {
            // Where a quote is not closed, the rest of the file looks like one field.
            let quotes = memchr::memchr_iter(b'"', out).count();
            let is_lost = self.fields.is_open && breaks > 0 && !quotes.is_multiple_of(2);
            return is_lost.then(|| "a quote is not closed, up to the end of the file".to_owned());
        }
        let noun = if expected == 1 { "field" } else { "fields" };
        let mut fault = format!("expected {expected} {noun}, found {found}");
        if breaks > 0 {
            let last = first + breaks;
            fault += &format!(" (the record goes on to line {last}; is a quote not closed?)");
        }
        Some(fault)
    }
}

fn reader(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).build()
}

impl Cutter for CsvCutter {
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<Cut>, Lost> {
        let begin = out.len();
        let Some(line) = self.record(out)? else { return Ok(None) };
        let fault = self.fault(line, &out[begin..]);
        Ok(Some(Cut { line, fault }))
    }

    fn point(&self) -> Point {
        self.text.point()
    }

    fn format(&self) -> Format {
        Format::Csv { delimiter: self.delimiter }
    }

    fn header(&self) -> &[u8] {
        &self.header
    }

    fn is_surely_good(&self, key: &PrimaryKey) -> bool {
        // Of columns with the same name the last one counts.
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
