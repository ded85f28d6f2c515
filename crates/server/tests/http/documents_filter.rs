//! Filters of the routes that read, delete and edit documents. Complaints quote the filter as it
//! was sent; only tasks name their index.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{Setup, TestServer};

fn cities(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "name": "Lyon", "pop": 522},
            {"id": 2, "name": "Oslo", "pop": 709},
            {"id": 3, "name": "Faro", "pop": 67},
            {"id": 4, "name": "Oslo", "pop": 1},
        ]),
    );
    let equality = json!({"facetSearch": true, "filter": {"equality": true, "comparison": false}});
    let settings = json!({"filterableAttributes":
        ["pop", {"attributePatterns": ["name"], "features": equality}]});
    let task = server.call_json(&format!("PATCH /indexes/{index}/settings"), settings);
    assert_eq!(task.task(&server)["status"], "succeeded");
    server
}

#[test]
fn a_page_is_cut_from_what_passes() {
    let server = cities("filtered");
    let fetch = |body| server.call_json("POST /indexes/filtered/documents/fetch", body);
    for (body, ids, total) in [
        (json!({"filter": "name = oslo"}), json!([2, 4]), 2),
        (json!({"filter": ["name = oslo", "pop > 500"]}), json!([2]), 1),
        (json!({"filter": [["name = lyon", "pop < 70"]], "limit": 2}), json!([1, 3]), 3),
        (json!({"filter": "pop > 60", "offset": 1, "limit": 1}), json!([2]), 3),
        (json!({"filter": "pop > 60", "ids": [3, 4, 99]}), json!([3]), 1),
        (json!({"filter": null}), json!([1, 2, 3, 4]), 4),
        (json!({"filter": " "}), json!([1, 2, 3, 4]), 4),
        (json!({"filter": [[]]}), json!([1, 2, 3, 4]), 4),
    ] {
        let answer = fetch(body.clone());
        assert_eq!(answer.status, 200, "{body}: {}", answer.text());
        let page = answer.json();
        let found: Value =
            page["results"].as_array().expect("results").iter().map(|d| d["id"].clone()).collect();
        assert_eq!((&found, &page["total"]), (&ids, &json!(total)), "{body}");
    }
    let get = |filter: &str| {
        server.call(&format!("GET /indexes/filtered/documents?fields=id&filter={filter}"))
    };
    assert_eq!(get("name=faro").json()["results"], json!([{"id": 3}]));
    assert_eq!(get("[%22name=oslo%22,%22pop=1%22]").json()["results"], json!([{"id": 4}]));
    assert_eq!(get("").json()["total"], 4);
    assert_eq!(get("%20").json()["total"], 4);
}

#[test]
fn complaints_quote_the_filter_as_it_was_sent() {
    let server = cities("misfiltered");
    let code = "invalid_document_filter";
    let known = "Available filterable attribute patterns are: `name`, `pop`.";
    for (filter, message) in [
        (
            json!(5),
            "Invalid syntax for the filter parameter: `expected String, Array, found: 5`."
                .to_owned(),
        ),
        (
            json!([["a", 2]]),
            "Invalid syntax for the filter parameter: `expected String, found: 2`.".to_owned(),
        ),
        (json!("pop >"), "Was expecting a value but instead got nothing.\n6:6 pop >".to_owned()),
        (json!("size = 1"), format!("Attribute `size` is not filterable. {known}\n1:5 size = 1")),
        (
            json!(["pop = 1", "size = 'x'"]),
            format!("Attribute `size` is not filterable. {known}\n1:5 size = 'x'"),
        ),
    ] {
        let body = json!({"filter": filter});
        server
            .call_json("POST /indexes/misfiltered/documents/fetch", body.clone())
            .is_error(400, code, &message);
        // Whether the index exists is told first.
        server.call_json("POST /indexes/misfiltered_ghost/documents/fetch", body).is_error(
            404,
            "index_not_found",
            "Index `misfiltered_ghost` not found.",
        );
    }
    server.call("GET /indexes/misfiltered/documents?filter=null").is_error(
        400,
        code,
        "Invalid syntax for the filter parameter: `expected String, Array, found: null`.",
    );
    let contains = json!({"filter": "name CONTAINS x"});
    server.call_json("POST /indexes/misfiltered/documents/fetch", contains).is_error_like(
        400,
        "feature_not_enabled",
        "\n6:14 name CONTAINS x",
    );
    // Known under this code wherever it happens.
    let operator = json!({"filter": "name > x"});
    server.call_json("POST /indexes/misfiltered/documents/fetch", operator).is_error_like(
        400,
        "invalid_search_filter",
        "Filter operator `>` is not allowed for the attribute `name`.",
    );
}

#[test]
fn delete_by_filter_deletes_matching_documents() {
    let server = cities("deleted_by");
    let delete = |filter: Value| {
        let line = "POST /indexes/deleted_by/documents/delete?customMetadata=why";
        let answer = server.call_json(line, json!({"filter": filter}));
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.task(&server)
    };
    let task = delete(json!("name = oslo"));
    assert_eq!(
        (&task["type"], &task["customMetadata"]),
        (&json!("documentDeletion"), &json!("why"))
    );
    assert_eq!(
        task["details"],
        json!({"providedIds": 0, "deletedDocuments": 2, "originalFilter": "\"name = oslo\""})
    );
    let task = delete(json!([["pop = 522", "pop = 1"]]));
    assert_eq!(
        task["details"],
        json!({"providedIds": 0, "deletedDocuments": 1, "originalFilter": "[[\"pop = 522\",\"pop = 1\"]]"})
    );
    let task = delete(json!("size = 1"));
    assert_eq!(task["status"], "failed");
    assert_eq!(task["error"]["code"], "invalid_document_filter");
    assert_eq!(
        task["error"]["message"],
        "Index `deleted_by`: Attribute `size` is not filterable. Available filterable attribute \
         patterns are: `name`, `pop`.\n1:5 size = 1"
    );
    assert_eq!(
        task["details"],
        json!({"providedIds": 0, "deletedDocuments": 0, "originalFilter": "\"size = 1\""})
    );
    assert_eq!(
        server.call("GET /indexes/deleted_by/documents?fields=id").json()["results"],
        json!([{"id": 3}])
    );
    let ghost = server
        .call_json("POST /indexes/deleted_ghost/documents/delete", json!({"filter": "a = 1"}))
        .task(&server);
    assert_eq!(ghost["error"]["message"], "Index `deleted_ghost` not found.");
}

#[test]
fn edit_by_filter_edits_matching_documents() {
    let server = TestServer::start(Setup::default());
    server.with_documents("edited_by", json!([{"id": 1, "n": 1}, {"id": 2, "n": 2}]));
    let features = json!({"editDocumentsByFunction": true});
    assert_eq!(server.call_json("PATCH /experimental-features", features).status, 200);
    let edit = |filter: &str| {
        let body = json!({"function": "doc.seen = true", "filter": filter});
        server.call_json("POST /indexes/edited_by/documents/edit", body).task(&server)
    };
    let task = edit("n = 2");
    assert_eq!(
        task["error"]["message"],
        "Index `edited_by`: Attribute `n` is not filterable. This index does not have configured \
         filterable attributes.\n1:2 n = 2"
    );
    let body = json!({"filterableAttributes": ["n", "_geo"]});
    server.call_json("PATCH /indexes/edited_by/settings", body).task(&server);
    assert_eq!(
        edit("n = 2")["details"],
        json!({
            "editedDocuments": 1, "deletedDocuments": 1, "originalFilter": "\"n = 2\"",
            "context": null, "function": "doc.seen = true",
        })
    );
    assert_eq!(
        server.call("GET /indexes/edited_by/documents").json()["results"],
        json!([{"id": 1, "n": 1}, {"id": 2, "n": 2, "seen": true}])
    );
    // What a function makes of a document is looked at as if it had been sent.
    let body = json!({"function": "doc[\"_geo\"] = 5", "filter": "n = 2"});
    let task = server.call_json("POST /indexes/edited_by/documents/edit", body).task(&server);
    assert_eq!(task["error"]["code"], "invalid_document_geo_field", "{task}");
    assert_eq!(
        task["error"]["message"],
        "Index `edited_by`: The `_geo` field in the document with the id: `\"2\"` is not an object. \
         Was expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got `5`."
    );
}

/// A place that cannot be one fails what brings it, once places matter.
#[test]
fn places_are_checked_where_they_are_indexed() {
    let server = TestServer::shared();
    server.with_documents("placed", json!([{"id": 1, "_geo": "nowhere"}]));
    let message = "Index `placed`: The `_geo` field in the document with the id: `\"1\"` is not an \
        object. Was expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got \
        `\"nowhere\"`.";
    let index = |settings: Value| {
        server.call_json("PATCH /indexes/placed/settings", settings).task(&server)
    };
    for settings in
        [json!({"filterableAttributes": ["_geo"]}), json!({"sortableAttributes": ["_geo"]})]
    {
        let task = index(settings);
        assert_eq!(task["error"]["code"], "invalid_document_geo_field", "{task}");
        assert_eq!(task["error"]["message"], message);
    }
    let line = "POST /indexes/placed/documents";
    server.call_json(line, json!([{"id": 1, "_geo": {"lat": 1, "lng": "2"}}])).task(&server);
    assert_eq!(index(json!({"filterableAttributes": ["_geo"]}))["status"], "succeeded");
    for method in ["POST", "PUT"] {
        let line = format!("{method} /indexes/placed/documents");
        let task = server.call_json(&line, json!([{"id": 1, "_geo": "nowhere"}])).task(&server);
        assert_eq!(task["error"]["message"], message, "{method}");
        assert_eq!(task["details"], json!({"receivedDocuments": 1, "indexedDocuments": 0}));
    }
    assert_eq!(
        server.call("GET /indexes/placed/documents/1").json(),
        json!({"id": 1, "_geo": {"lat": 1, "lng": "2"}})
    );
}
