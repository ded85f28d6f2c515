//! One index never waits for another: small writes while a large import runs elsewhere.

mod support;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use engine::keys::Access;
use support::Instance;
use tasks::{Method, Status};

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
    delays.sort_unstable();
    let p99 = delays[delays.len() * 99 / 100];
    eprintln!(
        "{} small writes during the import, p50 {:?}, p99 {p99:?}",
        delays.len(),
        delays[delays.len() / 2]
    );
    assert!(delays.len() >= 10, "the import was over too soon to tell");
    assert!(p99 <= Duration::from_millis(100), "p99 of small writes was {p99:?}");
}
