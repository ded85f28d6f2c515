use serde_json::json;

use crate::harness::{INVALID_UID, Setup, TestServer, members};

#[test]
fn the_figures_of_an_index() {
    let server = TestServer::shared();
    server.with_documents(
        "figures",
        json!([{"id": 1, "title": "a"}, {"id": 2, "title": "b", "pages": 3, "_vectors": {"m": [1]}}]),
    );
    let stats = server.call("GET /indexes/figures/stats").json();
    assert_eq!(
        members(&stats),
        [
            "numberOfDocuments",
            "rawDocumentDbSize",
            "avgDocumentSize",
            "isIndexing",
            "numberOfEmbeddings",
            "numberOfEmbeddedDocuments",
            "fieldDistribution"
        ]
    );
    assert_eq!(stats["numberOfDocuments"], 2);
    assert_eq!(stats["fieldDistribution"], json!({"id": 2, "pages": 1, "title": 2}));
    assert!(stats["rawDocumentDbSize"].as_u64().unwrap() > 0);
    assert!(stats["avgDocumentSize"].as_u64().unwrap() > 0);

    let line = "GET /indexes/figures/stats?showInternalDatabaseSizes=true&sizeFormat=human";
    let stats = server.call(line).json();
    assert!(stats["rawDocumentDbSize"].as_str().unwrap().ends_with('B'));
    for (name, size) in stats["internalDatabaseSizes"].as_object().unwrap() {
        assert!(size.as_str().unwrap().ends_with('B'), "{name}");
    }
}

#[test]
fn the_figures_of_the_instance() {
    let server = TestServer::start(Setup::default());
    let stats = server.call("GET /stats").json();
    assert_eq!(members(&stats), ["databaseSize", "usedDatabaseSize", "lastUpdate", "indexes"]);
    assert_eq!((&stats["lastUpdate"], &stats["indexes"]), (&json!(null), &json!({})));
    server.with_documents("b", json!([{"id": 1}]));
    server.with_documents("a", json!([{"id": 1}, {"id": 2}]));
    let stats = server.call("GET /stats?sizeFormat=raw&showInternalDatabaseSizes=false").json();
    assert_eq!(members(&stats["indexes"]), ["a", "b"]);
    assert_eq!(stats["indexes"]["a"]["numberOfDocuments"], 2);
    assert_eq!(stats["lastUpdate"], server.call("GET /indexes/a").json()["updatedAt"]);
    assert!(stats["databaseSize"].as_u64().unwrap() > 0);
    let human = server.call("GET /stats?sizeFormat=human").json();
    assert!(human["databaseSize"].as_str().unwrap().ends_with('B'));
}

#[test]
fn rejects_invalid_stats_parameters() {
    let server = TestServer::shared();
    for path in ["/stats", "/indexes/ghost/stats"] {
        for value in ["yes", "", "True", "1"] {
            server.call(&format!("GET {path}?showInternalDatabaseSizes={value}")).is_error(
                400,
                "invalid_stats_show_internal_database_sizes",
                &format!("Invalid value in parameter `showInternalDatabaseSizes`: could not parse `{value}` as a boolean, expected either `true` or `false`"),
            );
        }
        for (value, hint) in [("Human", "did you mean `human`? "), ("kb", ""), ("", "")] {
            server.call(&format!("GET {path}?sizeFormat={value}")).is_error(
                400,
                "invalid_stats_size_format",
                &format!("Unknown value `{value}` for parameter `sizeFormat`: {hint}expected one of `human`, `raw`"),
            );
        }
        server.call(&format!("GET {path}?sizeformat=raw")).is_error(
            400,
            "bad_request",
            "Unknown parameter `sizeformat`: did you mean `sizeFormat`? expected one of `showInternalDatabaseSizes`, `sizeFormat`",
        );
    }
    server.call("GET /indexes/ghost/stats").is_error(
        404,
        "index_not_found",
        "Index `ghost` not found.",
    );
    server.call("GET /indexes/bad!/stats").is_error(
        400,
        "invalid_index_uid",
        &format!("`bad!` {INVALID_UID}"),
    );
}
