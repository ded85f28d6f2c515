//! Measures how long a million small documents take to check and to split into fields.
//!
//!     cargo run --release -p document --example speed

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use document::edit::{Edit, EditFunction, with_deep_stack};
use document::{Document, Format, PayloadError, PrimaryKey, check, for_each};

const DOCUMENTS: u64 = 1_000_000;

#[allow(clippy::print_stdout)]
fn main() {
    let ndjson = generate("\n");
    let json = format!("[{}]", generate(","));
    println!("{} bytes a document", ndjson.len() as u64 / DOCUMENTS);
    for (format, payload) in [(Format::Ndjson, ndjson), (Format::Json, json)] {
        let payload = payload.as_bytes();
        measure(&format!("{}: check", format.name()), || check(format, payload).unwrap());
        measure(&format!("{}: for_each", format.name()), || {
            sum(format, payload, |document| document.len() as u64)
        });
        let primary_key = PrimaryKey::new("id");
        measure(&format!("{}: for_each, id and text", format.name()), || {
            sum(format, payload, |document| {
                (primary_key.id_of(&document).unwrap().len() + document.to_json().len()) as u64
            })
        });
    }
    with_deep_stack(|| {
        let function = EditFunction::compile("doc.downloads += 1", None).unwrap();
        let primary_key = PrimaryKey::new("id");
        let document = generate("\n").lines().next().unwrap().to_owned();
        measure("edit of 100,000", || {
            let edits = (0..100_000).map(|_| function.apply(&primary_key, &document).unwrap());
            edits.filter(|edit| *edit != Edit::Unchanged).count() as u64
        });
    })
    .unwrap();
}

fn sum(format: Format, payload: &[u8], of: impl Fn(Document<'_>) -> u64) -> u64 {
    let mut total = 0;
    for_each::<PayloadError>(format, payload, |document| {
        total += of(document);
        Ok(())
    })
    .unwrap();
    total
}

/// The best of three runs, in seconds of processor time.
#[allow(clippy::print_stdout)]
fn measure(what: &str, work: impl Fn() -> u64) {
    let mut best = f64::MAX;
    let mut result = 0;
    for _ in 0..3 {
        let start = processor_seconds();
        result = work();
        best = best.min(processor_seconds() - start);
    }
    println!("{what:32} {best:.3} s  ({result})");
}

/// Time this thread has been running, so that a busy machine does not count. Where the system
/// does not tell, the time of day.
fn processor_seconds() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let running = schedule.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    match running {
        Some(nanoseconds) => nanoseconds as f64 / 1e9,
        None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64()),
    }
}

/// Documents in the manner of a package registry: a name, a sentence, a few words and numbers.
fn generate(separator: &str) -> String {
    const WORDS: [&str; 8] =
        ["stream", "parser", "colour", "tiny", "promise", "router", "format", "utility"];
    let mut out = String::new();
    for id in 0..DOCUMENTS {
        let word = |offset: u64| WORDS[((id / 3 + offset * 5) % 8) as usize];
        let (a, b, c) = (word(0), word(id % 7), word(id % 5 + 1));
        if id > 0 {
            out.push_str(separator);
        }
        write!(
            out,
            "{{\"id\":{id},\"name\":\"{a}-{b}-{id}\",\"description\":\"A {c} {b} for every {a}\",\
             \"keywords\":[\"{a}\",\"{b}\"],\"downloads\":{},\"license\":\"MIT\",\"score\":0.{}}}",
            id * 37 % 100_000,
            id % 1000
        )
        .expect("writing to a string");
    }
    out
}
