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
