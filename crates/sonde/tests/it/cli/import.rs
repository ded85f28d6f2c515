//! Files of every form become the same documents.

use std::io::Write;
use std::process::Command;

use serde_json::{Value, json};
use testkit::skip;

use crate::cli::instance::Instance;

const ARRAY: &str = r#"[
  {"id": 1, "name": "Ada, \"the first\"", "born": 1815, "tags": ["a", {"b": "}]"}]},
  {"id": 2, "name": "Grace", "born": 1906, "tags": []}
]
"#;

fn people() -> Vec<Value> {
    serde_json::from_str(ARRAY).expect("JSON")
}

/// Without tags, which CSV has no form for.
fn plain_people() -> Vec<Value> {
    let mut people = people();
    for person in &mut people {
        person["id"] = person["id"].to_string().into();
        person.as_object_mut().expect("an object").shift_remove("tags");
    }
    people
}

/// A CSV file of so many rows, about 100 bytes each.
fn rows(count: u64) -> String {
    let mut csv = "id,name,city,age:number,note\n".to_owned();
    for id in 0..count {
        let (city, age) = (id % 977, 18 + id % 70);
        csv += &format!(
            "{id},Person Number {id},City {city},{age},\"a note, with words of number {id} and {city} in it\"\n"
        );
    }
    csv
}

fn compressed(program: &str, bytes: &str) -> Option<Vec<u8>> {
    let mut child = Command::new(program)
        .arg("-c")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(bytes.as_bytes()).ok()?;
    Some(child.wait_with_output().ok()?.stdout)
}

#[test]
fn files_of_every_form_become_documents() {
    let instance = Instance::start();
    let lines: String = people().iter().map(|person| format!("{person}\n\n")).collect();
    let loose: String = people().iter().map(|person| format!("{person:#}")).collect();
    let csv =
        "\u{feff}id,name,born:number\r\n1,\"Ada, \"\"the first\"\"\",1815\r\n2,Grace,1906\r\n";
    instance.write("array.json", ARRAY);
    instance.write("loose.json", &loose);
    instance.write("one.json", people()[0].to_string());
    instance.write("lines.ndjson", &lines);
    instance.write("lines.jsonl", &lines);
    instance.write("table.csv", csv);
    instance.write(
        "semicolons.csv",
        "id;name;born:number\n1;\"Ada, \"\"the first\"\"\";1815\n2;Grace;1906",
    );
    instance.write(
        "tabs.tsv",
        "id\tname\tborn:number\n1\t\"Ada, \"\"the first\"\"\"\t1815\n2\tGrace\t1906",
    );
    let mut imports: Vec<(&str, &[&str], Vec<Value>)> = vec![
        ("array.json", &[], people()),
        ("loose.json", &[], people()),
        ("one.json", &[], people()[..1].to_vec()),
        ("lines.ndjson", &["--batch-documents", "1"], people()),
        ("lines.jsonl", &["--batch-size", "10 B"], people()),
        ("table.csv", &["--batch-documents", "1"], plain_people()),
        ("semicolons.csv", &["--csv-delimiter", ";"], plain_people()),
        ("tabs.tsv", &[], plain_people()),
    ];
    // Read by their beginning, not by what they are called.
    for (program, name, bytes, expected) in [
        ("gzip", "array.json.gz", ARRAY, people()),
        ("gzip", "table.csv.gz", csv, plain_people()),
        ("zstd", "lines.ndjson.zst", lines.as_str(), people()),
        ("zstd", "table.csv.zst", csv, plain_people()),
    ] {
        match compressed(program, bytes) {
            Some(bytes) => {
                instance.write(name, bytes);
                imports.push((name, &[], expected));
            }
            None => skip(format!("{program} is not installed: {name} was not imported")),
        }
    }
    for (number, (file, options, expected)) in imports.iter().enumerate() {
        let index = format!("people{number}");
        let arguments = [&["import", file, "--index", &index], *options].concat();
        let ran = instance.run(&arguments).succeeded();
        let documents = if expected.len() == 1 { "1 document" } else { "2 documents" };
        assert!(ran.out.starts_with(&format!("{documents} in `{index}`, in ")), "{file}: {ran:?}");
        assert_eq!(instance.documents(&index), with_vectors(expected), "{file}");
    }
    from_stdin(&instance, &lines);
    several_at_once_and_updates(&instance);
}

/// The form in which documents are listed with their vectors.
fn with_vectors(expected: &[Value]) -> Vec<Value> {
    let mut expected = expected.to_vec();
    for document in &mut expected {
        document["_vectors"] = json!({});
    }
    expected
}

fn from_stdin(instance: &Instance, lines: &str) {
    let piped = ["import", "-", "--format", "ndjson", "--index", "piped"];
    instance.run_with_input(&piped, lines.as_bytes()).succeeded();
    assert_eq!(instance.documents("piped"), with_vectors(&people()));
    let nameless = instance.run_with_input(&["import", "-", "--index", "piped"], b"");
    assert_eq!(nameless.code, 2, "{nameless:?}");
    assert!(nameless.err.contains("use --format"), "{nameless:?}");
}

fn several_at_once_and_updates(instance: &Instance) {
    instance.write("a.csv", "sku,grid,price:number\nx,1,5\n");
    instance.write("b.ndjson", "{\"sku\": \"y\", \"grid\": 2}\n");
    let two = ["import", "a.csv", "b.ndjson", "-i", "shop", "--primary-key", "sku", "--no-wait"];
    let ran = instance.run(&two).succeeded();
    assert!(ran.out.starts_with("2 documents sent to `shop`"), "{ran:?}");
    instance.wait();
    instance.write("c.ndjson", "{\"sku\": \"x\", \"price\": 6}\n");
    instance.run(&["import", "c.ndjson", "-i", "shop", "--update"]).succeeded();
    let updated = instance.get("/indexes/shop/documents/x");
    assert_eq!(updated, json!({"sku": "x", "grid": "1", "price": 6}));
    instance.run(&["import", "c.ndjson", "-i", "shop"]).succeeded();
    assert_eq!(instance.get("/indexes/shop/documents/x"), json!({"sku": "x", "price": 6}));
}

/// `IMPORT_ROWS=200000 cargo test -p sonde --test it a_large_file -- --nocapture` shows what it
/// takes.
#[test]
fn a_large_file_goes_in_many_batches() {
    let given = std::env::var("IMPORT_ROWS").ok().and_then(|rows| rows.parse().ok());
    let count = given.unwrap_or(20_000);
    let instance = Instance::start();
    let csv = rows(count);
    instance.write("rows.csv", &csv);
    let size = std::env::var("IMPORT_BATCH").unwrap_or_else(|_| "100 kB".to_owned());
    let ran = instance.run(&["import", "rows.csv", "--index", "rows", "--batch-size", &size]);
    let ran = ran.succeeded();
    eprintln!("{} bytes by {size}: {}", csv.len(), ran.out);
    assert_eq!(instance.count("rows"), count);
    let last = instance.get(&format!("/indexes/rows/documents/{}", count - 1));
    assert_eq!(last["name"], format!("Person Number {}", count - 1));
}
