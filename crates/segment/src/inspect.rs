//! Describes a file for people: its kind, its sections, and their totals. It reports damage of a
//! file instead of failing.

use std::fmt::Write;

use crate::columns::{self, ColumnsReader};
use crate::directory::FileBytes;
use crate::documents::{self, DocumentsReader};
use crate::error::{Result, SegmentError};
use crate::frame::{Check, Frame};
use crate::geo::{self, GeoReader};
use crate::text::{self, TextReader};

pub fn inspect(bytes: &FileBytes, name: &str) -> String {
    let mut out = String::new();
    let described = describe(bytes, name, &mut out);
    if let Err(error) = described {
        line(&mut out, format_args!("problem: {error}"));
    }
    out
}

fn describe(bytes: &FileBytes, name: &str, out: &mut String) -> Result<()> {
    line(out, format_args!("file: {name}, {} bytes", bytes.len()));
    let frame = Frame::read(name, bytes.clone())?;
    line(out, format_args!("kind: {}, version {}", frame.kind(), frame.version()));
    line(out, format_args!("sections:"));
    for section in frame.sections() {
        let check = match section.check {
            Check::AtOpen => "checked at open",
            Check::InPieces => "checked in pieces",
        };
        line(
            out,
            format_args!(
                "  {}  at {:>10}  {:>10} bytes  {:5.1} %  xxh3 {:016x}  {check}",
                section.tag,
                section.offset,
                section.length,
                percent(section.length, frame.length()),
                section.checksum,
            ),
        );
    }
    if frame.kind() == documents::KIND {
        describe_documents(&DocumentsReader::from_bytes(name, bytes.clone())?, out);
    } else if frame.kind() == text::KIND {
        describe_text(&TextReader::from_bytes(name, bytes.clone())?, out);
    } else if frame.kind() == geo::KIND {
        describe_geo(&GeoReader::from_bytes(name, bytes.clone())?, out);
    } else if frame.kind() == columns::KIND {
        describe_columns(&ColumnsReader::from_bytes(name, bytes.clone())?, out)?;
    } else if let Some(problem) = frame.verify().into_iter().next() {
        return Err(SegmentError::Damaged { file: problem.file, what: problem.what });
    }
    Ok(())
}

fn describe_documents(reader: &DocumentsReader, out: &mut String) {
    let sizes = reader.sizes();
    let ids = reader.doc_ids();
    line(
        out,
        format_args!(
            "documents: {}, DocIds {} to {}",
            reader.len(),
            ids.min().unwrap_or_default(),
            ids.max().unwrap_or_default(),
        ),
    );
    line(
        out,
        format_args!(
            "json: {} bytes stored as {} ({:.1} %) in {} blocks, dictionary of {} bytes",
            sizes.raw_json,
            sizes.stored_json,
            percent(sizes.stored_json, sizes.raw_json),
            reader.block_count(),
            reader.dictionary().map_or(0, |dictionary| dictionary.bytes().len()),
        ),
    );
    line(
        out,
        format_args!(
            "ids: {} bytes, {:.1} a document",
            sizes.ids,
            sizes.ids as f64 / reader.len().max(1) as f64
        ),
    );
    line(out, format_args!("whole file: {:.1} % of the json", percent(sizes.file, sizes.raw_json)));
    line(out, format_args!("fields:"));
    for (name, set) in reader.fields() {
        line(out, format_args!("  {name}: {} documents", set.len()));
    }
}

fn describe_text(reader: &TextReader, out: &mut String) {
    let sizes = reader.sizes();
    let ids = reader.doc_ids();
    line(
        out,
        format_args!(
            "documents: {}, DocIds {} to {}",
            ids.len(),
            ids.min().unwrap_or_default(),
            ids.max().unwrap_or_default(),
        ),
    );
    let each = |bytes: u64, count: u64| bytes as f64 / count.max(1) as f64;
    line(
        out,
        format_args!(
            "words: {}, dictionary of {} bytes ({:.1} a word), documents of words {} bytes",
            reader.word_count(),
            sizes.dictionary,
            each(sizes.dictionary, reader.word_count().into()),
            sizes.postings,
        ),
    );
    line(
        out,
        format_args!(
            "tokens: {}, {} bytes ({:.1} a token)",
            reader.token_count(),
            sizes.tokens,
            each(sizes.tokens, reader.token_count()),
        ),
    );
    line(
        out,
        format_args!("unions over prefixes: {}, {} bytes", reader.union_count(), sizes.prefixes),
    );
    line(out, format_args!("attributes: {}", reader.fields().join(", ")));
}

fn describe_geo(reader: &GeoReader, out: &mut String) {
    let described =
        [("points", reader.documents_with_point()), ("shapes", reader.documents_with_shape())];
    for (what, ids) in described {
        line(
            out,
            format_args!(
                "{what}: {}, DocIds {} to {}",
                ids.len(),
                ids.min().unwrap_or_default(),
                ids.max().unwrap_or_default(),
            ),
        );
    }
}

fn describe_columns(reader: &ColumnsReader, out: &mut String) -> Result<()> {
    let sizes = reader.sizes();
    line(
        out,
        format_args!(
            "columns: {}, {} bytes of data, {} bytes of names and descriptions",
            reader.names().len(),
            sizes.data,
            sizes.tables,
        ),
    );
    for name in reader.names() {
        let Some(column) = reader.column(name)? else {
            continue;
        };
        let strings = column.value_count() - column.number_count();
        let shape = if column.is_multi() { "several a document" } else { "one a document" };
        line(
            out,
            format_args!(
                "  {name}: {} documents, {} null, {} empty; {} numbers, {strings} strings, {shape}; {} bytes",
                column.exists().len(),
                column.null().len(),
                column.empty().len(),
                column.number_count(),
                column.stored_bytes(),
            ),
        );
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}
