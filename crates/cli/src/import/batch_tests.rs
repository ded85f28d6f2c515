//! Batches hold every good document once, in order, and never more than they may.

use std::io::{BufReader, Cursor};
use std::sync::mpsc::sync_channel;

use document::PrimaryKey;

use super::*;
use crate::import::cut::{CsvCutter, JsonCutter, LineCutter};
use crate::import::source::SourceReader;

fn run(
    format: FileFormat,
    text: &str,
    key: Key,
    bytes: usize,
    skips_errors: bool,
) -> Vec<BatchEvent> {
    let reader = BufReader::new(Cursor::new(text.as_bytes().to_vec()));
    let text = SourceReader::new(Box::new(reader), FilePosition::START);
    let cutter: Box<dyn Cutter> = match format {
        FileFormat::Json => Box::new(JsonCutter::new(text)),
        FileFormat::Lines => Box::new(LineCutter::new(text)),
        FileFormat::Csv { delimiter } => Box::new(CsvCutter::new(text, delimiter).unwrap()),
    };
    let limits = Limits { bytes: Arc::new(AtomicUsize::new(bytes)), documents: 1000, skips_errors };
    let (sender, receiver) = sync_channel(10_000);
    make_batches(cutter, key, format, &limits, &AtomicU64::new(0), &sender);
    drop(sender);
    receiver.into_iter().collect()
}

fn id() -> Key {
    Key::Known(PrimaryKey::new("id"))
}

/// Returns the errors as they are shown.
fn errors(events: &[BatchEvent]) -> Vec<String> {
    let shown = |error: &LineError| match error.column {
        Some(column) => format!("{}:{column}: {}", error.line, error.reason),
        None => format!("{}: {}", error.line, error.reason),
    };
    events
        .iter()
        .filter_map(|events| match events {
            BatchEvent::Skipped(error) => Some(shown(error)),
            BatchEvent::Stopped(error) | BatchEvent::Unusable(error) => {
                Some(format!("stop {}", shown(error)))
            }
            _ => None,
        })
        .collect()
}

fn bodies(events: Vec<BatchEvent>) -> Vec<String> {
    let batches = events.into_iter().filter_map(|events| match events {
        BatchEvent::Batch(batch) => Some(batch),
        _ => None,
    });
    batches.map(|batch| String::from_utf8(batch.body).unwrap()).collect()
}

#[test]
fn batches_of_csv_each_have_the_header() {
    let csv = FileFormat::Csv { delimiter: b';' };
    let events = run(csv, "id;name\n1;a\n2;b\n3;c\n4;d\n5;e", id(), 16, false);
    assert_eq!(bodies(events), ["id;name\n1;a\n2;b\n", "id;name\n3;c\n4;d\n", "id;name\n5;e\n"]);
}

#[test]
fn arrays_are_sent_as_lines() {
    let events = run(FileFormat::Json, "[{\"id\":1},{\"id\":2}\n,{\"id\":\n3}]", id(), 20, false);
    assert_eq!(bodies(events), ["{\"id\":1}\n{\"id\":2}\n{\"id\":\n3}\n"]);
}

#[test]
fn bad_documents_stop_the_import_or_are_skipped() {
    let lines = "{\"id\":1}\n{\"id\": x}\n{\"id\":\"a b\"}\n{\"name\":3}\n[]\n{\"id\":4}\n";
    let stop_error = run(FileFormat::Lines, lines, id(), 1000, false);
    assert_eq!(errors(&stop_error), ["stop 2:8: expected value"]);
    assert_eq!(bodies(stop_error), ["{\"id\":1}\n"]);

    let skipped = run(FileFormat::Lines, lines, id(), 1000, true);
    let told = errors(&skipped);
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[0], "2:8: expected value");
    assert!(told[1].starts_with("3: Document identifier `\"a b\"` is invalid."), "{told:?}");
    assert_eq!(told[2], "4: Document doesn't have a `id` attribute: `{\"name\":3}`.");
    assert!(told[3].starts_with("5:"), "{told:?}");
    assert_eq!(bodies(skipped), ["{\"id\":1}\n{\"id\":4}\n"]);
}

#[test]
fn cells_are_checked_by_what_their_column_takes() {
    let csv = FileFormat::Csv { delimiter: b',' };
    let text = "id:number,sold:boolean\n1,true\n2,maybe\n3\nx,false\n4,\n";
    let events = run(csv, text, id(), 1000, true);
    let told = errors(&events);
    assert_eq!(
        told[0],
        "3: Error parsing boolean \"maybe\": provided string was not `true` or `false`"
    );
    assert_eq!(told[1], "4: expected 2 fields, found 1");
    assert!(told[2].starts_with("5: Error parsing number \"x\": "), "{told:?}");
    assert_eq!(bodies(events), ["id:number,sold:boolean\n1,true\n4,\n"]);
}

#[test]
fn the_key_is_found_as_the_server_finds_it() {
    let found =
        run(FileFormat::Lines, "{\"sku_ID\":1}\n{\"sku_ID\":2}", Key::FromFirst, 1000, false);
    assert!(
        matches!(found.last(), Some(BatchEvent::End(Key::Known(key))) if key.as_str() == "sku_ID")
    );
    let none = run(FileFormat::Lines, "{\"name\":1}\n", Key::FromFirst, 1000, true);
    assert!(errors(&none)[0].starts_with("stop 1: The primary key inference failed"), "{none:?}");
    let left_to_the_server = run(FileFormat::Lines, "{\"name\":1}\n", Key::Unknown, 1000, false);
    assert_eq!(bodies(left_to_the_server), ["{\"name\":1}\n"]);
}

#[test]
fn halves_of_a_batch_are_batches() {
    let csv = FileFormat::Csv { delimiter: b',' };
    let mut events = run(csv, "id,n\n1,a\n2,b\n3,c\n", id(), 1000, false);
    let BatchEvent::Batch(batch) = events.remove(0) else { panic!("no batch") };
    let (from, to) = (batch.from, batch.to());
    let [first, second] = batch.split().unwrap();
    assert_eq!(first.body, b"id,n\n1,a\n");
    assert_eq!((first.documents(), first.from, first.to().line), (1, from, 3));
    assert_eq!(second.body, b"id,n\n2,b\n3,c\n");
    assert_eq!((second.documents(), second.from, second.to()), (2, first.to(), to));
    let [third, _] = second.split().unwrap();
    assert_eq!(third.body, b"id,n\n2,b\n");
    assert!(third.split().is_err());
}
