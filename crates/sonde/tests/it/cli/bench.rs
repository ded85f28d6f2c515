//! Figures of a short measurement.

use serde_json::json;

use crate::cli::instance::Instance;

#[test]
fn searches_are_measured() {
    let instance = Instance::start();
    instance.write_and_wait("POST", "/indexes/a/documents", &json!([{"id": 1, "t": "some words"}]));
    instance.write("queries", "some\nwords\n\n{\"q\": \"some\", \"limit\": 1}\n");
    let bench = ["bench", "a", "--queries", "queries", "--clients", "2", "--seconds", "4"];
    let ran = instance.run(&bench).succeeded();
    let figure = |name: &str| -> f64 {
        let line = ran.out.lines().find(|line| line.starts_with(name)).expect("a figure");
        let number = line[name.len()..].trim().split(' ').next().expect("a number");
        number.replace(',', "").parse().expect("a number")
    };
    assert!(figure("searches") > 10.0 && figure("rate") > 10.0, "{ran:?}");
    assert!(figure("errors") == 0.0, "{ran:?}");
    assert!(figure("p50") <= figure("p90") && figure("p90") <= figure("p99"), "{ran:?}");
    assert!(figure("p99") <= figure("longest"), "{ran:?}");

    instance.write("wrong", "{\"q\": 1}\n");
    let ran = instance.run(&["bench", "a", "--queries", "wrong"]);
    assert!(ran.code == 1 && ran.err.contains("invalid_search_q"), "{ran:?}");
    instance.write("wrong", "some\n{\"q\"\n");
    let ran = instance.run(&["bench", "a", "--queries", "wrong"]);
    assert!(ran.code == 1 && ran.err.contains("wrong:2: "), "{ran:?}");
}
