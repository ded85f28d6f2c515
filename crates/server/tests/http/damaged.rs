//! An index that is not as it was written: named, never served, and no harm to the others.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::{Setup, TestServer, search};

/// The manifest of the index whose documents hold this text.
fn manifest_of(data: &Path, text: &str) -> PathBuf {
    let folders = fs::read_dir(data.join("indexes")).unwrap().flatten();
    let holds = |folder: &PathBuf| {
        let mut files = fs::read_dir(folder).unwrap().flatten().map(|file| file.path());
        files.any(|file| {
            let bytes = fs::read(&file).unwrap();
            bytes.windows(text.len()).any(|part| part == text.as_bytes())
        })
    };
    let folder = folders.map(|folder| folder.path()).find(holds).expect("the index");
    let files = fs::read_dir(folder).unwrap().flatten().map(|file| file.path());
    let is_manifest =
        |file: &PathBuf| file.file_name().unwrap().to_str().unwrap().starts_with("manifest-");
    files.filter(is_manifest).max().expect("a manifest")
}

#[test]
fn one_damaged_index_leaves_the_others_as_they_are() {
    let server = TestServer::start(Setup::default());
    for (index, field) in [("apples", "pippin"), ("bread", "crusty"), ("cheese", "mature")] {
        server.with_documents(index, json!([{"id": 1, field: "one"}, {"id": 2}]));
    }
    let folder = server.into_folder();
    let manifest = manifest_of(&folder.path().join("data"), "crusty");
    let mut bytes = fs::read(&manifest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&manifest, bytes).unwrap();

    let server = TestServer::start(Setup { folder: Some(folder), ..Setup::default() });
    let listed = server.call("GET /indexes");
    assert_eq!(listed.status, 200);
    let body = listed.json();
    let names: Vec<_> =
        body["results"].as_array().unwrap().iter().map(|index| &index["uid"]).collect();
    assert_eq!(names, ["apples", "cheese"]);
    assert_eq!(body["total"], 3, "it is still there");
    assert_eq!(listed.header("x-sonde-damaged-indexes"), Some("bread"));
    assert_eq!(server.call("GET /indexes?limit=1").header("x-sonde-damaged-indexes"), None);

    let stats = server.call("GET /stats");
    assert_eq!(stats.status, 200);
    assert_eq!(stats.header("x-sonde-damaged-indexes"), Some("bread"));
    let body = stats.json();
    assert_eq!(body["indexes"]["apples"]["numberOfDocuments"], 2);
    assert_eq!(body["indexes"].get("bread"), None);
    assert_eq!(search(&server, "cheese", json!({"q": "one"}))["hits"][0]["id"], 1);

    server.call_json("PATCH /experimental-features", json!({"metrics": true}));
    let metrics = server.call("GET /metrics").text();
    assert!(metrics.contains("meilisearch_index_count 3\n"), "{metrics}");

    // Its own routes say what is wrong, and with which file.
    let file = manifest.file_name().unwrap().to_str().unwrap();
    for line in ["GET /indexes/bread", "GET /indexes/bread/stats", "GET /indexes/bread/documents/1"]
    {
        let answer = server.call(line);
        answer.is_error_like(500, "internal", "Index `bread`: ");
        assert!(answer.text().contains(file), "{}", answer.text());
    }
    let added = server.call_json("POST /indexes/bread/documents", json!([{"id": 3}]));
    let task = added.task(&server);
    assert_eq!((&task["status"], &task["error"]["code"]), (&json!("failed"), &json!("internal")));
    server.with_documents("apples", json!([{"id": 3}]));

    // It can be deleted and made again.
    assert_eq!(server.call("DELETE /indexes/bread").task(&server)["status"], "succeeded");
    server.with_documents("bread", json!([{"id": 1}]));
    let listed = server.call("GET /indexes");
    assert_eq!(listed.json()["results"].as_array().unwrap().len(), 3);
    assert_eq!(listed.header("x-sonde-damaged-indexes"), None);
}

#[test]
fn damage_of_invisible_indexes_is_not_disclosed() {
    const MASTER: &str = "a-master-key-of-the-tests";
    let secured = |folder| Setup { folder, master_key: Some(MASTER), ..Setup::default() };
    let server = TestServer::start(secured(None));
    for (index, field) in [("apples", "pippin"), ("bread", "crusty")] {
        server.with_documents(index, json!([{"id": 1, field: "one"}]));
    }
    let folder = server.into_folder();
    let manifest = manifest_of(&folder.path().join("data"), "crusty");
    fs::write(manifest, "torn").unwrap();

    let server = TestServer::start(secured(Some(folder)));
    let scoped = json!({
        "actions": ["indexes.get", "stats.get"],
        "indexes": ["apples"],
        "expiresAt": null,
    });
    let key = server.call_json("POST /keys", scoped).json()["key"].as_str().unwrap().to_owned();
    for line in ["GET /indexes", "GET /stats"] {
        let answer = server.request(line).with_key(&key).send();
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("x-sonde-damaged-indexes"), None, "{line}");
        assert_eq!(
            server.call(line).header("x-sonde-damaged-indexes"),
            Some("bread"),
            "{line} of who may see all"
        );
    }
}
