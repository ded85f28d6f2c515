use serde_json::json;

use crate::harness::{Setup, TestServer, members, without};

#[test]
fn a_batch_tells_what_ran_together() {
    let server = TestServer::shared();
    let answer = server.call_json("POST /indexes/batched/documents", json!([{"id": 1}]));
    let batch_uid = answer.task(&server)["batchUid"].as_u64().unwrap();
    let batch = server.call(&format!("GET /batches/{batch_uid}?x=1")).json();
    assert_eq!(
        members(&batch),
        [
            "uid",
            "progress",
            "details",
            "stats",
            "duration",
            "startedAt",
            "finishedAt",
            "batchStrategy"
        ]
    );
    assert_eq!(batch["uid"], batch_uid);
    assert_eq!(batch["progress"], json!(null));
    assert_eq!(batch["details"], json!({"receivedDocuments": 1, "indexedDocuments": 1}));
    let stats = &batch["stats"];
    assert_eq!(stats["totalNbTasks"], 1);
    assert_eq!(stats["status"], json!({"succeeded": 1}));
    assert_eq!(stats["types"], json!({"documentAdditionOrUpdate": 1}));
    assert_eq!(stats["indexUids"], json!({"batched": 1}));
    assert!(batch["duration"].as_str().unwrap().starts_with("PT"));
    assert!(batch["batchStrategy"].as_str().unwrap().starts_with("batched all enqueued tasks"));
}

#[test]
fn a_batch_tells_what_it_changed_on_disk() {
    let server = TestServer::shared();
    let batch_of = |line: &str, body| {
        let uid = server.call_json(line, body).task(&server)["batchUid"].as_u64().unwrap();
        server.call(&format!("GET /batches/{uid}")).json()
    };
    let documents = json!([{"id": 1, "text": "salt and copper"}]);
    let added = batch_of("POST /indexes/measured/documents", documents);
    assert_eq!(
        members(&added["stats"]),
        [
            "totalNbTasks",
            "status",
            "types",
            "indexUids",
            "progressTrace",
            "writeChannelCongestion",
            "internalDatabaseSizes"
        ]
    );
    let congestion = &added["stats"]["writeChannelCongestion"];
    assert_eq!(members(congestion), ["attempts", "blocking_attempts", "blocking_ratio"]);
    assert!(congestion["attempts"].as_u64() >= Some(1), "{congestion}");
    assert!(congestion["blocking_ratio"].is_f64(), "{congestion}");
    let sizes = added["stats"]["internalDatabaseSizes"].as_object().unwrap();
    for component in ["documents", "text"] {
        let size = sizes[component].as_str().unwrap();
        let (now, change) = size.split_once(" (+").unwrap();
        assert_eq!(format!("{now})"), change, "everything is new: {size}");
    }

    // Nothing was written, so there is nothing to tell.
    let nothing = batch_of("POST /indexes/measured/documents/delete-batch", json!([2]));
    assert_eq!(nothing["stats"].get("writeChannelCongestion"), None, "{nothing}");
    assert_eq!(nothing["stats"].get("internalDatabaseSizes"), None, "{nothing}");
    let gone = batch_of("POST /indexes/measured/documents/delete-batch", json!([1]));
    let sizes = gone["stats"]["internalDatabaseSizes"].as_object().unwrap();
    assert!(sizes["documents"].as_str().unwrap().starts_with("0 B (-"), "{sizes:?}");
}

#[test]
fn deletions_and_snapshots_tell_that_they_only_run_with_their_kind() {
    let server = TestServer::start(Setup::default());
    for (line, kind) in
        [("DELETE /tasks?uids=900", "taskDeletion"), ("POST /snapshots", "snapshotCreation")]
    {
        let uid = server.call(line).task(&server)["batchUid"].as_u64().unwrap();
        let batch = server.call(&format!("GET /batches/{uid}")).json();
        let expected = format!(
            "stopped after the last task of type `{kind}` because they cannot be batched with tasks of any other type."
        );
        assert_eq!(batch["batchStrategy"], expected);
    }
}

#[test]
fn batches_are_listed_like_tasks() {
    let server = TestServer::start(Setup::default());
    server
        .call("GET /batches")
        .is(200, json!({"results": [], "total": 0, "limit": 20, "from": null, "next": null}));
    for uid in ["a", "b", "a"] {
        server.call_json("POST /indexes", json!({"uid": uid})).task(&server);
    }
    for (query, expected, rest) in [
        ("", vec![2, 1, 0], json!({"total": 3, "limit": 20, "from": 2, "next": null})),
        ("?limit=1", vec![2], json!({"total": 3, "limit": 1, "from": 2, "next": 1})),
        (
            "?reverse=true&from=1",
            vec![1, 2],
            json!({"total": 3, "limit": 20, "from": 1, "next": null}),
        ),
        ("?statuses=failed", vec![2], json!({"total": 1, "limit": 20, "from": 2, "next": null})),
        ("?indexUids=b", vec![1], json!({"total": 1, "limit": 20, "from": 1, "next": null})),
        (
            "?statuses=enqueued",
            vec![],
            json!({"total": 0, "limit": 20, "from": null, "next": null}),
        ),
        ("?uids=0,1", vec![1, 0], json!({"total": 2, "limit": 20, "from": 1, "next": null})),
    ] {
        let page = server.call(&format!("GET /batches{query}")).json();
        let uids: Vec<u64> = page["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|batch| batch["uid"].as_u64().unwrap())
            .collect();
        assert_eq!(uids, expected, "{query}");
        assert_eq!(without(page, &["results"]), rest, "{query}");
    }
}

#[test]
fn a_batch_is_found_by_its_number() {
    let server = TestServer::shared();
    server.call("GET /batches/4294967295").is_error(
        404,
        "batch_not_found",
        "Batch `4294967295` not found.",
    );
    for uid in ["abc", "-1", "4294967296", "1.0"] {
        server.call(&format!("GET /batches/{uid}")).is_error(
            400,
            "invalid_batch_uids",
            &format!("Batch uid `{uid}` is invalid. It should only contain numeric characters."),
        );
    }
}
