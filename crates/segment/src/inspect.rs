//! Describes a file for people: its kind, its sections, and their totals. It reports damage of a
//! file instead of failing.

use roaring::RoaringBitmap;

use crate::columns::{self, ColumnsReader};
use crate::directory::FileBytes;
use crate::documents::{self, DocumentsReader};
use crate::error::{Result, SegmentError};
use crate::frame::{Check, Frame};
use crate::geo::{self, GeoReader};
use crate::text::{self, TextReader};

pub fn inspect(bytes: &FileBytes, name: &str) -> String {
    let mut out = Vec::new();
    if let Err(error) = describe(bytes, name, &mut out) {
        out.push(format!("problem: {error}"));
    }
    out.push(String::new());
    out.join("\n")
}

fn describe(bytes: &FileBytes, name: &str, out: &mut Vec<String>) -> Result<()> {
    out.push(format!("file: {name}, {} bytes", bytes.len()));
    let frame = Frame::read(name, bytes.clone())?;
    out.push(format!("kind: {}, version {}", frame.kind(), frame.version()));
    out.push("sections:".to_owned());
    for section in frame.sections() {
        let check = match section.check {
            Check::AtOpen => "checked at open",
            Check::InPieces => "checked in pieces",
        };
        out.push(format!(
            "  {}  at {:>10}  {:>10} bytes  {:5.1} %  xxh3 {:016x}  {check}",
            section.tag,
            section.offset,
            section.length,
            percent(section.length, frame.length()),
            section.checksum,
        ));
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

fn describe_documents(reader: &DocumentsReader, out: &mut Vec<String>) {
    let sizes = reader.sizes();
    out.push(count_and_range("documents", reader.doc_ids()));
    out.push(format!(
        "json: {} bytes stored as {} ({:.1} %) in {} blocks, dictionary of {} bytes",
        sizes.raw_json,
        sizes.stored_json,
        percent(sizes.stored_json, sizes.raw_json),
        reader.block_count(),
        reader.dictionary().map_or(0, |dictionary| dictionary.bytes().len()),
    ));
    let ids_each = each(sizes.ids, reader.len());
    out.push(format!("ids: {} bytes, {ids_each:.1} a document", sizes.ids));
    out.push(format!("whole file: {:.1} % of the json", percent(sizes.file, sizes.raw_json)));
    out.push("fields:".to_owned());
    let fields = reader.fields();
    out.extend(fields.map(|(name, set)| format!("  {name}: {} documents", set.len())));
}

fn describe_text(reader: &TextReader, out: &mut Vec<String>) {
    let sizes = reader.sizes();
    out.push(count_and_range("documents", reader.doc_ids()));
    out.push(format!(
        "words: {}, dictionary of {} bytes ({:.1} a word), documents of words {} bytes",
        reader.word_count(),
        sizes.dictionary,
        each(sizes.dictionary, reader.word_count().into()),
        sizes.postings,
    ));
    out.push(format!(
        "tokens: {}, {} bytes ({:.1} a token)",
        reader.token_count(),
        sizes.tokens,
        each(sizes.tokens, reader.token_count()),
    ));
    let unions = reader.union_count();
    out.push(format!("unions over prefixes: {unions}, {} bytes", sizes.prefixes));
    out.push(format!("attributes: {}", reader.fields().join(", ")));
}

fn describe_geo(reader: &GeoReader, out: &mut Vec<String>) {
    out.push(count_and_range("points", reader.documents_with_point()));
    out.push(count_and_range("shapes", reader.documents_with_shape()));
}

fn describe_columns(reader: &ColumnsReader, out: &mut Vec<String>) -> Result<()> {
    let sizes = reader.sizes();
    out.push(format!(
        "columns: {}, {} bytes of data, {} bytes of names and descriptions",
        reader.names().len(),
        sizes.data,
        sizes.tables,
    ));
    for name in reader.names() {
        let Some(column) = reader.column(name)? else {
            continue;
        };
        let strings = column.value_count() - column.number_count();
        let shape = if column.is_multi() { "several a document" } else { "one a document" };
        out.push(format!(
            "  {name}: {} documents, {} null, {} empty; {} numbers, {strings} strings, {shape}; {} bytes",
            column.exists().len(),
            column.null().len(),
            column.empty().len(),
            column.number_count(),
            column.stored_bytes(),
        ));
    }
    Ok(())
}

fn count_and_range(what: &str, ids: &RoaringBitmap) -> String {
    let (first, last) = (ids.min().unwrap_or_default(), ids.max().unwrap_or_default());
    format!("{what}: {}, DocIds {first} to {last}", ids.len())
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn each(total: u64, count: u64) -> f64 {
    total as f64 / count.max(1) as f64
}
