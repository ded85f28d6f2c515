//! A file of an index that is cut short while the server has it mapped. Its index answers which file
//! it is; everything else goes on.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::client::{enqueued, found, send};
use crate::support::http;
use crate::support::process::Server;
use crate::support::tasks::ended_task;

#[test]
fn a_file_that_is_cut_short_fails_its_index_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::spawn(folder.path(), &[] as &[&str]);
    let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
    let documents: Vec<Value> = (0..3000)
        .map(|number| json!({"id": number, "title": format!("common word{number}")}))
        .collect();
    let indexes = folder.path().join("data/indexes");
    let add = |uid: &str| {
        let path = format!("/indexes/{uid}/documents");
        let answer = send(address, "POST", &path, &json!(documents));
        assert_eq!(ended_task(address, enqueued(&answer))["status"], "succeeded");
    };
    add("cut");
    cut_texts(&indexes);
    add("whole");

    let search = json!({"q": "common word1"});
    for _ in 0..3 {
        let answer = send(address, "POST", "/indexes/cut/search", &search);
        let told = answer.json();
        assert_eq!((answer.status, &told["code"]), (500, &json!("internal")), "{told}");
        assert!(told["message"].as_str().unwrap().contains(".text."), "{told}");
        assert_eq!(http::get(address, "/health").expect("an answer").status, 200);
        assert_eq!(found(address, "whole"), 3000);
    }
    // A write would be made of what is lost.
    let path = "/indexes/cut/documents";
    let task = ended_task(address, enqueued(&send(address, "PUT", path, &json!([{"id": 1}]))));
    assert_eq!(task["status"], "failed", "{task}");
    assert!(task["error"]["message"].as_str().unwrap().contains(".text."), "{task}");
    assert_eq!(
        ended_task(address, enqueued(&send(address, "DELETE", "/indexes/cut", &json!(null))))["status"],
        "succeeded"
    );
    assert!(!server.has_ended(), "{}", server.printed());
    let printed = server.printed();
    assert!(!printed.contains("panicked"), "{printed}");
}

/// Cuts the files with words of the only index there is.
fn cut_texts(indexes: &Path) {
    let folder = fs::read_dir(indexes).unwrap().next().unwrap().unwrap().path();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains(".text.") {
            fs::OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap();
            count += 1;
        }
    }
    assert!(count > 0);
}
