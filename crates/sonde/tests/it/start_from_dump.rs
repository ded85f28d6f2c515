//! Starting from a dump, seen from outside the process.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::support::http;
use crate::support::process::{Server, run};
use crate::support::tasks::succeeded;

const END_LIMIT: Duration = Duration::from_secs(60);

/// Makes a dump of a small instance; gives its name in `dumps/`.
fn dump(folder: &Path) -> String {
    let mut server = Server::spawn(folder, &[] as &[&str]);
    let address = server.address().unwrap();
    let documents = json!([{"id": 1, "title": "one"}, {"id": 2, "title": "two"}]);
    let sent = http::send_json(address, "POST", "/indexes/books/documents", &documents).unwrap();
    succeeded(address, &sent.json());
    let sent = http::send_json(address, "POST", "/dumps", &json!({})).unwrap();
    let task = succeeded(address, &sent.json());
    server.signal("TERM");
    server.wait(END_LIMIT).expect("the server ends");
    format!("dumps/{}.dump", task["details"]["dumpUid"].as_str().unwrap())
}

#[test]
fn a_start_can_begin_with_a_dump() {
    let folder = tempfile::tempdir().unwrap();
    let file = dump(folder.path());
    let into = |data: &str, options: &[&str]| {
        let mut words = vec!["--db-path", data, "--http-addr", "127.0.0.1:0"];
        words.extend(options);
        run(folder.path(), &words)
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();

    // Over a database, from nothing, from something damaged: the start ends and leaves nothing.
    let refused = into("data", &["--import-dump", &file]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--ignore-dump-if-db-exists"));
    let refused = into("new", &["--import-dump", "dumps/none.dump"]);
    assert!(text(&refused.stderr).contains("--ignore-missing-dump"));
    let mut bytes = fs::read(folder.path().join(&file)).unwrap();
    bytes.truncate(bytes.len() / 2);
    fs::write(folder.path().join("half.dump"), bytes).unwrap();
    let refused = into("new", &["--import-dump", "half.dump"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("half.dump cannot be imported"));
    assert!(!folder.path().join("new").exists());
    let refused = into("new", &["--ignore-missing-dump"]);
    assert_eq!(refused.status.code(), Some(2));

    fs::rename(folder.path().join("data"), folder.path().join("before")).unwrap();
    let options = ["--import-dump", &file, "--ignore-dump-if-db-exists"];
    for _ in 0..2 {
        // The second time there is a database.
        let mut server = Server::spawn(folder.path(), &options);
        let address = server.address().unwrap();
        let found = http::get(address, "/indexes/books/documents").unwrap().json();
        assert_eq!(found["results"], json!([{"id": 1, "title": "one"}, {"id": 2, "title": "two"}]));
        let tasks = http::get(address, "/tasks").unwrap().json();
        assert_eq!(tasks["total"], 2);
        server.signal("TERM");
        server.wait(END_LIMIT).expect("the server ends");
    }
}
