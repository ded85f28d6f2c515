use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{INVALID_UID, TestServer, without};

const INVALID_ID: &str = "is invalid. A document identifier can be of type integer or string, \
     only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and underscores (_), \
     and can not be more than 511 bytes.";

/// A shared server with a few cities.
fn cities(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "name": "Porto", "stats": {"founded": 1123, "area": 41.4}},
            {"id": 2, "name": "Lyon", "stats": {"founded": -43, "area": 47.9}},
            {"id": "x-3", "name": "Turin", "tags": ["alps"], "_vectors": {"m": [1]}},
        ]),
    );
    server
}

fn page(results: Value, offset: u64, limit: u64, total: u64) -> Value {
    json!({"results": results, "offset": offset, "limit": limit, "total": total})
}

#[test]
fn one_document() {
    let server = cities("one");
    server
        .call("GET /indexes/one/documents/1")
        .is(200, json!({"id": 1, "name": "Porto", "stats": {"founded": 1123, "area": 41.4}}));
    let get = |rest: &str| server.call(&format!("GET /indexes/one/documents/{rest}"));
    get("1?fields=name").is(200, json!({"name": "Porto"}));
    get("1?fields=stats.area,name").is(200, json!({"name": "Porto", "stats": {"area": 41.4}}));
    get("1?fields=*").is(200, get("1").json());
    get("1?fields=").is(200, json!({}));
    get("1?fields=nope").is(200, json!({}));
    get("1?fields=name&fields=id").is(200, json!({"id": 1}));
    get("x-3").is(200, json!({"id": "x-3", "name": "Turin", "tags": ["alps"]}));
    get("x-3?retrieveVectors=true")
        .is(200, json!({"id": "x-3", "name": "Turin", "tags": ["alps"], "_vectors": {"m": [1]}}));
    get("1?fields=id&retrieveVectors=true").is(200, json!({"id": 1, "_vectors": {}}));
    for (path, id) in [("2a", "2a"), ("01", "01"), ("a%20b", "a b"), ("X-3", "X-3"), ("1.0", "1.0")]
    {
        get(path).is_error(404, "document_not_found", &format!("Document `{id}` not found."));
    }
    get("1?offset=1").is_error(
        400,
        "bad_request",
        "Unknown parameter `offset`: expected one of `fields`, `retrieveVectors`, `useNetwork`",
    );
    get("1?retrieveVectors=yes").is_error(
        400,
        "invalid_document_retrieve_vectors",
        "Invalid value in parameter `retrieveVectors`: could not parse `yes` as a boolean, expected either `true` or `false`",
    );
    server.call("GET /indexes/ghost/documents/1").is_error(
        404,
        "index_not_found",
        "Index `ghost` not found.",
    );
    server.call("GET /indexes/b!d/documents/1").is_error(
        400,
        "invalid_index_uid",
        &format!("`b!d` {INVALID_UID}"),
    );
}

#[test]
fn a_page_of_documents() {
    let server = TestServer::shared();
    let documents: Vec<Value> = (0..25).map(|id| json!({"id": id})).collect();
    server.with_documents("paged", json!(documents));
    let get = |query: &str| server.call(&format!("GET /indexes/paged/documents{query}"));
    let ids =
        |range: std::ops::Range<u64>| json!(range.map(|id| json!({"id": id})).collect::<Vec<_>>());
    get("").is(200, page(ids(0..20), 0, 20, 25));
    get("?limit=3").is(200, page(ids(0..3), 0, 3, 25));
    get("?offset=24&limit=5").is(200, page(ids(24..25), 24, 5, 25));
    get("?offset=1000000").is(200, page(json!([]), 1_000_000, 20, 25));
    get("?limit=0&offset=7").is(200, page(json!([]), 7, 0, 25));
    get("?offset=%2B5&limit=1").is(200, page(ids(5..6), 5, 1, 25));
    get("?limit=002&offset=003").is(200, page(ids(3..5), 3, 2, 25));
    get("?limit=18446744073709551615&offset=24").is(200, page(ids(24..25), 24, u64::MAX, 25));
    for name in ["limit", "offset"] {
        for value in ["-1", "abc", "1.5", "", "18446744073709551616"] {
            get(&format!("?{name}={value}")).is_error(
                400,
                &format!("invalid_document_{name}"),
                &format!("Invalid value in parameter `{name}`: could not parse `{value}` as a positive integer"),
            );
        }
    }
}

#[test]
fn a_page_by_body() {
    let server = cities("body");
    let fetch = |body| server.call_json("POST /indexes/body/documents/fetch", body);
    assert_eq!(fetch(json!({})).json()["total"], 3);
    fetch(json!({"offset": 1, "limit": 1, "fields": ["id"]}))
        .is(200, page(json!([{"id": 2}]), 1, 1, 3));
    fetch(json!({"fields": [], "limit": 1})).is(200, page(json!([{}]), 0, 1, 3));
    fetch(json!({"fields": ["*"], "limit": 1})).is(200, page(json!([{}]), 0, 1, 3));
    assert_eq!(fetch(json!({"fields": null})).json()["results"][1]["name"], "Lyon");
    fetch(json!({"retrieveVectors": true, "ids": ["x-3"], "fields": ["id"]}));
    let ignored = server.call_json("POST /indexes/body/documents/fetch?limit=1", json!({}));
    assert_eq!(ignored.json()["limit"], 20);
    for (body, code, message) in [
        (
            json!({"limit": -1}),
            "invalid_document_limit",
            "Invalid value type at `.limit`: expected a positive integer, but found a negative integer: `-1`",
        ),
        (
            json!({"limit": null}),
            "invalid_document_limit",
            "Invalid value type at `.limit`: expected a positive integer, but found null",
        ),
        (
            json!({"offset": 1.5}),
            "invalid_document_offset",
            "Invalid value type at `.offset`: expected a positive integer, but found a number: `1.5`",
        ),
        (
            json!({"fields": "name"}),
            "invalid_document_fields",
            "Invalid value type at `.fields`: expected an array, but found a string: `\"name\"`",
        ),
        (
            json!({"fields": ["name", 3]}),
            "invalid_document_fields",
            "Invalid value type at `.fields[1]`: expected a string, but found a positive integer: `3`",
        ),
        (
            json!({"retrieveVectors": null}),
            "invalid_document_retrieve_vectors",
            "Invalid value type at `.retrieveVectors`: expected a boolean, but found null",
        ),
        (
            json!({"ids": "1"}),
            "invalid_document_ids",
            "Invalid value type at `.ids`: expected an array, but found a string: `\"1\"`",
        ),
        (
            json!({"sort": "a:asc"}),
            "invalid_document_sort",
            "Invalid value type at `.sort`: expected an array, but found a string: `\"a:asc\"`",
        ),
        (
            json!({"sort": [1]}),
            "invalid_document_sort",
            "Invalid value type at `.sort[0]`: expected a string, but found a positive integer: `1`",
        ),
        (
            json!({"useNetwork": "x"}),
            "invalid_document_use_network",
            "Invalid value type at `.useNetwork`: expected a boolean, but found a string: `\"x\"`",
        ),
        (
            json!({"limi": 1}),
            "bad_request",
            "Unknown field `limi`: did you mean `limit`? expected one of `offset`, `limit`, `fields`, `retrieveVectors`, `ids`, `filter`, `sort`, `useNetwork`",
        ),
    ] {
        fetch(body).is_error(400, code, message);
    }
    server.call_json("POST /indexes/ghost/documents/fetch", json!({})).is_error(
        404,
        "index_not_found",
        "Index `ghost` not found.",
    );
}

#[test]
fn fields_of_a_page() {
    let server = cities("fields");
    let get = |fields: &str| {
        let answer = server.call(&format!("GET /indexes/fields/documents?limit=2&fields={fields}"));
        answer.json()["results"].clone()
    };
    assert_eq!(get("name"), json!([{"name": "Porto"}, {"name": "Lyon"}]));
    assert_eq!(get(",name,"), json!([{"name": "Porto"}, {"name": "Lyon"}]));
    assert_eq!(get("stats.area"), json!([{"stats": {"area": 41.4}}, {"stats": {"area": 47.9}}]));
    assert_eq!(get(""), json!([{}, {}]));
    assert_eq!(get("%20name,Name,na*"), json!([{}, {}]));
    assert_eq!(get("name,*"), get("*"));
    assert_eq!(get("*")[0]["id"], 1);
}

#[test]
fn documents_by_id() {
    let server = cities("ids");
    let get = |ids: &str| server.call(&format!("GET /indexes/ids/documents?fields=id&ids={ids}"));
    get("2").is(200, page(json!([{"id": 2}]), 0, 20, 1));
    get("x-3,1,1,99").is(200, page(json!([{"id": 1}, {"id": "x-3"}]), 0, 20, 2));
    get("").is(200, page(json!([]), 0, 20, 0));
    get("1,,2&limit=1&offset=1").is(200, page(json!([{"id": 2}]), 1, 1, 2));
    let code = "invalid_document_ids";
    get("%201").is_error(
        400,
        code,
        &format!("In `.ids[0]`: Document identifier `\" 1\"` {INVALID_ID}"),
    );
    get("1,a%20b").is_error(
        400,
        code,
        &format!("In `.ids[1]`: Document identifier `\"a b\"` {INVALID_ID}"),
    );

    let fetch = |ids: Value| {
        let body = json!({"ids": ids, "fields": ["id"]});
        server.call_json("POST /indexes/ids/documents/fetch", body)
    };
    fetch(json!([1, "2", "1"])).is(200, page(json!([{"id": 1}, {"id": 2}]), 0, 20, 2));
    fetch(json!([])).is(200, page(json!([]), 0, 20, 0));
    assert_eq!(fetch(json!(null)).json()["total"], 3);
    for (value, shown) in [(json!(1.5), "1.5"), (json!(null), "null"), (json!([1]), "[1]")] {
        fetch(json!([value])).is_error(
            400,
            code,
            &format!("In `.ids[0]`: Document identifier `{shown}` {INVALID_ID}"),
        );
    }
    // Told before the index is looked for.
    server
        .call_json("POST /indexes/ghost/documents/fetch", json!({"ids": ["bad id"]}))
        .is_error_like(400, code, "In `.ids[0]`");
}

#[test]
fn the_network_needs_its_feature() {
    let server = cities("networked");
    for answer in [
        server.call_json("POST /indexes/networked/documents/fetch", json!({"useNetwork": false})),
        server.call("GET /indexes/networked/documents?useNetwork=true"),
        server.call("GET /indexes/networked/documents/1?useNetwork=false"),
    ] {
        answer.is_error_like(
            400,
            "feature_not_enabled",
            "passing `useNetwork` in a search query requires enabling the `network` experimental feature.",
        );
    }
    let null = json!({"useNetwork": null});
    assert_eq!(server.call_json("POST /indexes/networked/documents/fetch", null).status, 200);
    server.call("GET /indexes/networked/documents?useNetwork=maybe").is_error(
        400,
        "invalid_document_use_network",
        "Invalid value in parameter `useNetwork`: could not parse `maybe` as a boolean, expected either `true` or `false`",
    );
}

#[test]
fn unknown_parameters_are_refused_before_the_index_is_looked_for() {
    let server = TestServer::shared();
    const LIST: &str = "expected one of `offset`, `limit`, `fields`, `retrieveVectors`, `ids`, `filter`, `sort`, `useNetwork`";
    for (query, start) in [
        ("limi=3", "Unknown parameter `limi`: did you mean `limit`? "),
        ("q=3", "Unknown parameter `q`: "),
        ("=1", "Unknown parameter ``: "),
    ] {
        server.call(&format!("GET /indexes/ghost/documents?{query}")).is_error(
            400,
            "bad_request",
            &format!("{start}{LIST}"),
        );
    }
    server.call("GET /indexes/ghost/documents").is_error(
        404,
        "index_not_found",
        "Index `ghost` not found.",
    );
}

#[test]
fn numbers_and_order_of_fields_survive() {
    let server = TestServer::shared();
    let text = r#"[{"z":1.0,"id":"n","a":123456789012345678901234567890,"m":1e2}]"#;
    let send = server.request("POST /indexes/exact/documents").body("application/json", text);
    send.send().task(&server);
    let back = server.call("GET /indexes/exact/documents/n").text();
    // Fields keep the order in which they were sent; numbers keep their value.
    assert!(back.starts_with(r#"{"z":1.0,"id":"n","a":"#), "{back}");
    let envelope = server.call("GET /indexes/exact/documents").text();
    assert!(envelope.contains(&back));
    assert_eq!(
        without(server.call("GET /indexes/exact/documents").json(), &["results"]),
        json!({"offset": 0, "limit": 20, "total": 1})
    );
}
