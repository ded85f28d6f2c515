//! Judged queries against a real server: figures that can be computed by hand, comparisons, and
//! copies of an index that are gone afterwards.

use std::process::Stdio;

use serde_json::{Value, json};
use testkit::wait_until;

use crate::cli::instance::{CommandOutput, Instance};

const QUERIES: &str = "id\ttext\n1\tharbour\n2\tnight\n3\tdesert\n4\tnothing is judged here\n";
const QRELS: &str =
    "query\tdocument\tgrade\n1\ta\t2\n1\tb\t1\n2\tb\t1\n3\tc\t1\n3\tgone\t1\n9\ta\t1\n";

fn instance() -> Instance {
    let instance = Instance::start();
    fill(&instance);
    instance
}

fn fill(instance: &Instance) {
    let settings =
        json!({"searchableAttributes": ["title", "text"], "filterableAttributes": ["kind"]});
    instance.write_and_wait("PATCH", "/indexes/films/settings", &settings);
    instance.write_and_wait(
        "POST",
        "/indexes/films/documents",
        &json!([
            {"sku_id": "a", "title": "Night", "text": "a harbour", "kind": 1},
            {"sku_id": "b", "title": "Harbour", "text": "at night", "kind": 1},
            {"sku_id": "c", "title": "Desert", "text": "sand", "kind": 2}
        ]),
    );
    instance.write("q.tsv", QUERIES);
    instance.write("r.tsv", QRELS);
}

const EVALUATE: [&str; 7] =
    ["evaluate", "--index", "films", "--queries", "q.tsv", "--qrels", "r.tsv"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    EVALUATE.iter().chain(more).copied().collect()
}

fn indexes(instance: &Instance) -> Vec<String> {
    let page = instance.get("/indexes");
    let results = page["results"].as_array().expect("indexes").iter();
    results.map(|index| index["uid"].as_str().expect("a name").to_owned()).collect()
}

#[track_caller]
fn close(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() < 1e-4, "{value}, not {expected}");
}

#[test]
fn figures_are_those_computed_by_hand() {
    let instance = instance();
    let ran = instance.run(&with(&["--json", "--show-worst", "1"])).succeeded();
    assert!(
        ran.err.contains("1 of 4 documents with a grade above 0 is not in `films`: gone"),
        "{ran:?}"
    );
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(
        (&report["queries"], &report["queriesWithoutJudgement"], &report["judgedQueriesNotAsked"]),
        (&json!(3), &json!(1), &json!(1))
    );
    let run = &report["runs"][0];
    // The title comes before the text: query 1 finds b, a; query 2 finds a, b; query 3 finds c of
    // the two that it should.
    let ndcg = [(1.0 + 3.0 / 1.58496) / (3.0 + 1.0 / 1.58496), 1.0 / 1.58496, 1.0 / 1.63093];
    close(&run["ndcg"], ndcg.iter().sum::<f64>() / 3.0);
    close(&run["recall"], (1.0 + 1.0 + 0.5) / 3.0);
    close(&run["mrr"], (1.0 + 0.5 + 1.0) / 3.0);
    close(&run["precision"], (0.2 + 0.1 + 0.1) / 3.0);
    assert_eq!(report["worst"][0]["id"], "3");
    assert!(run["msPerQuery"].as_f64().is_some_and(|time| time > 0.0), "{report}");

    let ran = instance.run(&with(&["--at", "1"])).succeeded();
    assert!(ran.out.contains("MRR@1                0.6667\n"), "{ran:?}");
    assert!(ran.out.contains("\n3 queries.\n1 query skipped: no judged document"), "{ran:?}");
}

#[test]
fn bodies_are_compared() {
    let instance = instance();
    instance.write("second.json", "{\"filter\": \"kind = 2\"}");
    let bodies = with(&["--body", "{}", "--body", "@second.json"]);
    let ran = instance.run(&bodies).succeeded();
    for part in [
        "first:  `films` as it is\nsecond: `films` as it is, searched with {\"filter\":\"kind = 2\"}\n",
        "difference",
        "not distinguishable from chance",
        "3 queries at NDCG@10: 0 better, 1 equal, 2 worse.",
    ] {
        assert!(ran.out.contains(part), "{part}: {ran:?}");
    }
    assert_eq!(indexes(&instance), ["films"]);
}

#[test]
fn settings_are_tried_on_a_copy_that_is_deleted() {
    let instance = instance();
    let before = instance.get("/indexes/films/settings");
    let settings = r#"{"searchableAttributes": ["text"]}"#;
    let ran = instance.run(&with(&["--settings", settings, "--json"])).succeeded();
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(
        (&report["runs"][0]["settings"], &report["runs"][1]["settings"]["searchableAttributes"][0]),
        (&Value::Null, &json!("text"))
    );
    // Query 1 finds a alone, query 2 finds b alone, query 3 nothing.
    close(&report["runs"][1]["ndcg"], (3.0 / (3.0 + 1.0 / 1.58496) + 1.0) / 3.0);
    assert_eq!(report["comparison"]["ndcg"]["better"], 2);
    assert_eq!(instance.get("/indexes/films/settings"), before);
    assert_eq!(indexes(&instance), ["films"]);

    // Also where the settings are refused, at once or by their task, and with two of them.
    for (wrong, told) in [
        (r#"{"searchableAttributes": 1}"#, "invalid_settings_searchable_attributes"),
        (r#"{"none": 1}"#, "Unknown field `none`"),
        (
            r#"{"embedders": {"e": {"source": "rest", "url": "http://127.0.0.1:1", "request": "{{text}}", "response": "{{embedding}}"}}}"#,
            "task ",
        ),
    ] {
        let ran = instance.run(&with(&["--settings", "{}", "--settings", wrong]));
        assert!(ran.code == 1 && ran.err.contains(told), "{ran:?}");
        instance.wait();
        assert_eq!(indexes(&instance), ["films"]);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_evaluation_deletes_its_copy() {
    let instance = instance();
    let many: String = (0..20_000).map(|id| format!("{id}\tnight {id}\n")).collect();
    instance.write("q.tsv", format!("id\ttext\n{many}"));
    let judged: String = (0..20_000).map(|id| format!("{id} 0 b 1\n")).collect();
    instance.write("r.tsv", judged);
    let mut command = instance.command(&with(&["--settings", "{}", "--settings", "{}"]));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program can be started");
    wait_until("the copy is there", || indexes(&instance).len() >= 2);
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill can be run").success());
    let ran = CommandOutput::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, 130, "{ran:?}");
    instance.wait();
    assert_eq!(indexes(&instance), ["films"]);
}

#[test]
fn mistakes_are_told_where_they_are() {
    let instance = instance();
    instance.write("wrong-q.tsv", "id\ttext\n1\ta\nno tab\n");
    instance.write("wrong-r.tsv", "1\ta\t1\n1\tb\thigh\n");
    instance.write("other-r.tsv", "query\tdocument\tgrade\n77\ta\t1\n");
    instance.write("elsewhere-r.tsv", "1 0 nowhere 1\n2 0 not/an/id 1\n");
    for (queries, qrels, index, code, told) in [
        ("wrong-q.tsv", "r.tsv", "films", 1, "wrong-q.tsv:3: expected the id of a query"),
        ("q.tsv", "wrong-r.tsv", "films", 1, "wrong-r.tsv:2: the grade is `high`"),
        ("q.tsv", "other-r.tsv", "films", 1, "none of the 4 queries has a judged document"),
        ("q.tsv", "elsewhere-r.tsv", "films", 1, "none of the 2 documents with a grade above 0"),
        ("q.tsv", "none.tsv", "films", 1, "none.tsv: "),
        ("q.tsv", "r.tsv", "none", 1, "index_not_found"),
    ] {
        let arguments = ["evaluate", "--index", index, "--queries", queries, "--qrels", qrels];
        let ran = instance.run(&arguments);
        assert!(ran.code == code && ran.err.contains(told), "{told}: {ran:?}");
    }
    for (more, code, told) in [
        (["--body", "{\"q\": \"a\"}"], 2, "--body must not have `q`"),
        (["--body", "{"], 2, "--body: expected a JSON object"),
        (["--body", "{\"filter\": \"none = 1\"}"], 1, "query `1`: "),
        (["--primary-key", "kind"], 2, "has the primary key `sku_id`"),
        (["--at", "0"], 2, "--at"),
    ] {
        let ran = instance.run(&with(&more));
        assert!(ran.code == code && ran.err.contains(told), "{told}: {ran:?}");
    }
}

#[test]
fn a_key_that_may_search_is_enough() {
    let instance = Instance::with_key("a key of sixteen bytes");
    fill(&instance);
    let body = json!({"actions": ["search"], "indexes": ["films"], "expiresAt": null});
    let key =
        instance.send("POST", "/keys", Some(&body))["key"].as_str().expect("a key").to_owned();
    let more = ["--primary-key", "sku_id", "--key", key.as_str()];
    let ran = instance.run(&with(&more)).succeeded();
    assert!(ran.err.contains("this key may not read documents"), "{ran:?}");
    assert!(ran.out.contains("MRR@10               0.8333\n"), "{ran:?}");
    let ran = instance.run(&with(&more[2..]));
    assert!(ran.code == 1 && ran.err.contains("invalid_api_key"), "{ran:?}");
}
