//! One index never waits for another: small writes while a large import runs elsewhere.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use engine::keys::Access;
use tasks::{Method, Status};

use crate::support::Instance;

fn documents(from: u32, count: u32) -> String {
    let mut json = String::from("[");
    for id in from..from + count {
        let comma = if id == from { "" } else { "," };
        let _ = write!(
            json,
            "{comma}{{\"id\":{id},\"name\":\"package number {id}\",\"words\":[\"package\",\"number\"],\
             \"downloads\":{},\"repo\":\"https://example.org/{}/{id}\",\"owner\":\"owner{}\"}}",
            id.wrapping_mul(2_654_435_761) % 1_000_000,
            id % 1000,
            id % 977,
        );
    }
    json.push(']');
    json
}

#[test]
fn a_large_import_does_not_delay_small_writes_to_another_index() {
    let instance = Instance::new();
    instance.wait(&instance.add("small", Method::Replace, r#"[{"id":1}]"#));

    let imports: Vec<_> = (0..6)
        .map(|part| instance.add("large", Method::Replace, &documents(part * 50_000, 50_000)))
        .collect();
    let last = imports.last().expect("there are imports");
    let begun = Instant::now();
    let mut delays = Vec::new();
    while instance.engine().task(&Access::full(), last.uid).expect("kept").status
        != Status::Succeeded
    {
        let started = Instant::now();
        let write =
            instance.add("small", Method::Update, &format!("[{{\"id\":{}}}]", delays.len()));
        assert_eq!(instance.wait(&write).status, Status::Succeeded);
        delays.push(started.elapsed());
        std::thread::sleep(Duration::from_millis(5));
    }
    let import = begun.elapsed();
    delays.sort_unstable();
    let p50 = delays[delays.len() / 2];
    let p99 = delays[delays.len() * 99 / 100];
    eprintln!(
        "{} small writes during an import of {import:?}, p50 {p50:?}, p99 {p99:?}",
        delays.len()
    );
    assert!(delays.len() >= 10, "the import was over too soon to tell");
    // Measured against the import, which a slow machine makes longer too. One write may meet a
    // pause of the machine, most do not.
    assert!(p50 * 20 <= import, "p50 of small writes was {p50:?} of {import:?}");
    assert!(p99 * 2 <= import, "p99 of small writes was {p99:?} of {import:?}");
}
