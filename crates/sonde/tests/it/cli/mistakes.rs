//! Errors are reported with their position, and no valid document is lost.

use serde_json::json;

use crate::cli::instance::{CommandOutput, Instance, client};
use crate::support::process::run_command;

const CSV: &str =
    "id,name,born:number\n1,Ada,1815\n2,Grace\n3,Alan,early\n4 4,Kurt,1906\n5,Emmy,1882\n";

#[test]
fn a_bad_line_stops_or_is_left_out() {
    let instance = Instance::start();
    instance.write("people.csv", CSV);
    let stopped = instance.run(&["import", "people.csv", "--index", "people"]);
    assert_eq!(stopped.code, 1, "{stopped:?}");
    assert!(stopped.err.contains("people.csv:3: expected 3 fields, found 2\n"), "{stopped:?}");
    assert!(stopped.err.contains("1 document before it was sent. Fix the file"), "{stopped:?}");
    instance.wait();
    assert_eq!(instance.count("people"), 1);

    // What was sent is not sent again.
    let skipped = instance.run(&["import", "people.csv", "--index", "people", "--skip-errors"]);
    let skipped = skipped.succeeded();
    for line in [
        "people.csv: resuming at line 3",
        "people.csv:3: expected 3 fields, found 2",
        "people.csv:4: Error parsing number \"early\": ",
        "people.csv:5: Document identifier `\"4 4\"` is invalid.",
    ] {
        assert!(skipped.err.contains(line), "{line}: {skipped:?}");
    }
    assert!(skipped.out.starts_with("2 documents in `people`"), "{skipped:?}");
    assert!(skipped.out.contains("; 1 sent before the interruption; 3 skipped"), "{skipped:?}");
    assert_eq!(instance.count("people"), 2);

    json_mistakes(&instance);
    refused_by_the_server(&instance);
    bad_calls(&instance);
}

fn json_mistakes(instance: &Instance) {
    instance.write("a.ndjson", "{\"id\": 1}\n{\"id\": 2,}\n");
    let ran = instance.run(&["import", "a.ndjson", "--index", "a"]);
    assert!(ran.code == 1 && ran.err.contains("a.ndjson:2:"), "{ran:?}");
    instance.write("a.json", "[{\"id\": 1},\n{\"id\": 2},\n{\"id\": \n");
    let ran = instance.run(&["import", "a.json", "--index", "a", "--skip-errors"]);
    let told = "a.json:3: the document that starts here is incomplete";
    assert!(ran.code == 1 && ran.err.contains(told), "{ran:?}");
    instance.write("b.ndjson", "{\"name\": 1}\n");
    let ran = instance.run(&["import", "b.ndjson", "--index", "b"]);
    let told = "b.ndjson:1: The primary key inference failed";
    assert!(
        ran.code == 1 && ran.err.contains(told) && ran.err.contains("--primary-key"),
        "{ran:?}"
    );
    // Leaving documents out would not help.
    assert!(ran.err.contains("nothing was sent") && !ran.err.contains("--skip-errors"), "{ran:?}");
    instance.write("b.csv", "id;name\n1;Ada\n");
    let ran = instance.run(&["import", "b.csv", "--index", "b"]);
    assert!(ran.code == 1 && ran.err.contains("--csv-delimiter ';'"), "{ran:?}");
}

/// Only the server knows that positions are required.
fn refused_by_the_server(instance: &Instance) {
    let settings = json!({"filterableAttributes": ["_geo"]});
    instance.write_and_wait("PATCH", "/indexes/places/settings", &settings);
    instance.write(
        "places.ndjson",
        "{\"id\": 1, \"_geo\": {\"lat\": 1, \"lng\": 2}}\n{\"id\": 2}\n{\"id\": 3}\n{\"id\": 4, \"_geo\": \"here\"}\n",
    );
    let import = ["import", "places.ndjson", "--index", "places", "--batch-documents", "2"];
    let ran = instance.run(&import);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("places.ndjson:4: "), "{ran:?}");
    assert!(ran.err.contains("(invalid_document_geo_field)"), "{ran:?}");
    assert!(ran.err.contains("added none of the 2 documents on lines 3-4"), "{ran:?}");
    assert!(ran.out.contains("refused"), "{ran:?}");
}

fn bad_calls(instance: &Instance) {
    for (arguments, code, told) in [
        (vec!["import", "people.csv"], 2, "--index"),
        (vec!["import", "none.csv", "--index", "a"], 1, "none.csv: "),
        (vec!["import", "stderr", "--index", "a"], 2, "use --format"),
        (vec!["import", "people.csv", "--index", "a b"], 1, "invalid_index_uid"),
        (vec!["import", "people.csv", "--index", "a", "--batch-size", "91 MB"], 2, "at most 90 MB"),
        (vec!["import", "people.csv", "--index", "a", "--csv-delimiter", "ab"], 2, "one ASCII"),
        (
            vec!["import", "people.csv", "--index", "places", "--primary-key", "sku"],
            1,
            "primary key `id`",
        ),
        (vec!["search", "none", "word"], 1, "index_not_found"),
    ] {
        let ran = instance.run(&arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        assert!(ran.err.contains(told), "{arguments:?}: {ran:?}");
    }
    // A port that nothing listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("its address").to_string();
    drop(free);
    let mut command = client(&instance.path(""));
    let ran = CommandOutput::of(run_command(command.args(["search", "a", "b", "--url", &address])));
    assert!(ran.code == 1 && ran.err.contains("cannot be reached"), "{ran:?}");
}

#[test]
fn bodies_get_smaller_where_the_server_takes_less() {
    let instance = Instance::start_with(None, &["--http-payload-size-limit", "2000"]);
    let line = |id: u32| format!("{{\"id\": {id}, \"text\": \"{}\"}}\n", "x".repeat(300));
    let mut lines: String = (0..40).map(line).collect();
    lines += &format!("{{\"id\": 40, \"text\": \"{}\"}}\n", "x".repeat(3000));
    lines += &line(41);
    instance.write("a.ndjson", &lines);
    let stopped = instance.run(&["import", "a.ndjson", "--index", "a"]);
    assert_eq!(stopped.code, 1, "{stopped:?}");
    assert!(
        stopped.err.contains("a.ndjson:41: The provided payload reached the size limit."),
        "{stopped:?}"
    );
    let ran = instance.run(&["import", "a.ndjson", "--index", "a", "--skip-errors"]).succeeded();
    assert!(ran.err.contains("a.ndjson:41: "), "{ran:?}");
    assert_eq!(instance.count("a"), 41);
}

#[test]
fn keys_are_sent() {
    let instance = Instance::with_key("a key of sixteen bytes");
    instance.write("a.ndjson", "{\"id\": 1}\n");
    instance.run(&["import", "a.ndjson", "--index", "a"]).succeeded();
    let ran = instance.run(&["search", "a", "--key", "another"]);
    assert!(ran.code == 1 && ran.err.contains("invalid_api_key"), "{ran:?}");
    assert!(ran.err.contains("--key or SONDE_API_KEY"), "{ran:?}");
    // A key that may add documents and do nothing else will do.
    let body = json!({"actions": ["documents.add"], "indexes": ["a"], "expiresAt": null});
    let key =
        instance.send("POST", "/keys", Some(&body))["key"].as_str().expect("a key").to_owned();
    instance.run(&["import", "a.ndjson", "--index", "a", "--no-wait", "--key", &key]).succeeded();
}
