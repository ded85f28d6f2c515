//! Sorted pages of documents.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::TestServer;

fn cities(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "name": "Lyon", "pop": 522, "_geo": {"lat": 45.7, "lng": 4.8}},
            {"id": 2, "name": "Oslo", "pop": null},
            {"id": 3, "name": "Faro", "pop": 67, "_geo": {"lat": 37, "lng": -7.9}},
            {"id": 4, "name": "Bern", "pop": "few"},
        ]),
    );
    server
}

fn sortable(server: &TestServer, index: &str) {
    let body = json!({"sortableAttributes": ["pop", "name", "_geo"]});
    let task = server.call_json(&format!("PATCH /indexes/{index}/settings"), body).task(server);
    assert_eq!(task["status"], "succeeded");
}

#[test]
fn pages_are_sorted() {
    let server = cities("sorted");
    sortable(&server, "sorted");
    let fetch = |body: Value| {
        let answer = server.call_json("POST /indexes/sorted/documents/fetch", body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let page = answer.json();
        let ids = page["results"].as_array().expect("results").iter().map(|d| d["id"].clone());
        (ids.collect::<Value>(), page["total"].clone())
    };
    for (body, ids, total) in [
        (json!({"sort": null}), json!([1, 2, 3, 4]), 4),
        (json!({"sort": []}), json!([1, 2, 3, 4]), 4),
        (json!({"sort": ["name:desc"]}), json!([2, 1, 3, 4]), 4),
        // Numbers, then texts, then what has neither: both ways.
        (json!({"sort": ["pop:asc"]}), json!([3, 1, 4, 2]), 4),
        (json!({"sort": ["pop:desc"]}), json!([1, 3, 4, 2]), 4),
        (json!({"sort": ["_geoPoint(38, -8):asc", "name:asc"]}), json!([3, 1, 4, 2]), 4),
        (json!({"sort": ["name:asc"], "offset": 1, "limit": 2}), json!([3, 1]), 4),
        (json!({"sort": ["name:asc"], "offset": 9}), json!([]), 4),
        (json!({"sort": ["name:asc"], "ids": [2, 1, 3]}), json!([3, 1, 2]), 3),
    ] {
        assert_eq!(fetch(body.clone()), (ids, json!(total)), "{body}");
    }
    let line =
        "GET /indexes/sorted/documents?fields=id&sort=_geoPoint(38,-8):desc,name:asc&limit=2";
    assert_eq!(server.call(line).json()["results"], json!([{"id": 1}, {"id": 3}]));
    let line = "GET /indexes/sorted/documents?fields=id&limit=2&sort=%22name:desc%20,%20pop:asc%22";
    assert_eq!(server.call(line).json()["results"], json!([{"id": 2}, {"id": 1}]));
}

#[test]
fn complaints_do_not_name_the_index() {
    let server = cities("missorted");
    let code = "invalid_document_sort";
    let fetch = |index: &str, body: Value| {
        server.call_json(&format!("POST /indexes/{index}/documents/fetch"), body)
    };
    let direction = |item: &str| {
        format!(
            "Invalid syntax for the sort parameter: expected expression ending by `:asc` or \
             `:desc`, found `{item}`."
        )
    };
    for (query, found) in [("", ""), ("name", "name"), ("name:asc,id", "id"), ("a:ASC", "a:ASC")] {
        let line = format!("GET /indexes/missorted/documents?sort={query}");
        server.call(&line).is_error(400, code, &direction(found));
        let body = json!({"sort": query.split(',').collect::<Vec<_>>()});
        // Before it is asked whether there is such an index.
        fetch("missorted_ghost", body).is_error(400, code, &direction(found));
    }
    fetch("missorted", json!({"sort": ["_geoPoint(95, 4):asc"]})).is_error(
        400,
        code,
        "Bad latitude `95`. Latitude must be contained between -90 and 90 degrees.",
    );
    fetch("missorted_ghost", json!({"sort": ["name:asc"]})).is_error(
        404,
        "index_not_found",
        "Index `missorted_ghost` not found.",
    );
    let body = json!({"sort": ["name:asc"]});
    fetch("missorted", body.clone()).is_error(
        400,
        code,
        "Attribute `name` is not sortable. This index does not have configured sortable attributes.",
    );
    sortable(&server, "missorted");
    assert_eq!(fetch("missorted", body).status, 200);
    fetch("missorted", json!({"sort": ["id:asc"]})).is_error(
        400,
        code,
        "Attribute `id` is not sortable. Available sortable attributes are: `_geo, name, pop`.",
    );
    // What is wrong with the filter is told first.
    fetch("missorted", json!({"sort": ["id:asc"], "filter": "a = 1"})).is_error_like(
        400,
        "invalid_document_filter",
        "Attribute `a` is not filterable.",
    );
}
