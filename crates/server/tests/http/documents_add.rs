use serde_json::{Value, json};

use crate::harness::{INVALID_UID, TestServer, without};

#[test]
fn post_replaces_and_put_merges() {
    let server = TestServer::shared();
    let line = "POST /indexes/merge/documents";
    let answer = server.call_json(line, json!([{"id": 1, "a": 1, "b": {"c": 1, "d": 2}}]));
    assert_eq!(answer.status, 202);
    assert_eq!(
        without(answer.json(), &["taskUid", "enqueuedAt"]),
        json!({"indexUid": "merge", "status": "enqueued", "type": "documentAdditionOrUpdate"})
    );
    assert_eq!(
        answer.task(&server)["details"],
        json!({"receivedDocuments": 1, "indexedDocuments": 1})
    );
    let put = server.call_json("PUT /indexes/merge/documents", json!({"id": 1, "b": {"c": 3}}));
    put.task(&server);
    server.call("GET /indexes/merge/documents/1").is(200, json!({"id": 1, "a": 1, "b": {"c": 3}}));
    server.call_json("POST /indexes/merge/documents", json!([{"id": 1, "z": 0}])).task(&server);
    server.call("GET /indexes/merge/documents/1").is(200, json!({"id": 1, "z": 0}));
}

#[test]
fn documents_come_as_json_ndjson_or_csv() {
    let server = TestServer::shared();
    for (kind, body) in [
        ("application/json", "[{\"id\":1}]"),
        ("application/JSON; charset=utf-8", "{\"id\":2}"),
        ("application/x-ndjson", "{\"id\":3}\n{\"id\":4}"),
        ("text/csv", "id:number,n\n5,x\n"),
        ("TEXT/CSV; header=present", "id:number\n6\n"),
    ] {
        let answer = server.request("POST /indexes/kinds/documents").body(kind, body).send();
        assert_eq!(answer.task(&server)["status"], "succeeded", "{kind}");
    }
    let ids = server.call("GET /indexes/kinds/documents?fields=id").json();
    assert_eq!(
        ids["results"],
        json!([{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}, {"id": 6}])
    );
}

#[test]
fn other_content_types_are_refused() {
    let server = TestServer::shared();
    const LIST: &str = "`application/json`, `application/x-ndjson`, `text/csv`";
    for line in ["POST /indexes/typed/documents", "PUT /indexes/typed/documents"] {
        server.request(line).bytes("[]").send().is_error(
            415,
            "missing_content_type",
            &format!("A Content-Type header is missing. Accepted values for the Content-Type header are: {LIST}"),
        );
        for (kind, shown) in [
            ("text/plain", "text/plain"),
            ("application/xml; charset=utf-8", "application/xml"),
            ("application/vnd.api+json", "application/vnd.api"),
            ("text/json", "text/json"),
            ("nonsense", "nonsense"),
            ("text/csv, application/json", "text/csv, application/json"),
        ] {
            server.request(line).body(kind, "[]").send().is_error(
                415,
                "invalid_content_type",
                &format!("The Content-Type `{shown}` is invalid. Accepted values for the Content-Type header are: {LIST}"),
            );
        }
    }
}

#[test]
fn a_payload_must_be_there_and_well_formed() {
    let server = TestServer::shared();
    let send = |kind: &str, body: &str| {
        server.request("POST /indexes/malformed/documents").body(kind, body).send()
    };
    for (kind, name) in
        [("application/json", "json"), ("application/x-ndjson", "ndjson"), ("text/csv", "csv")]
    {
        send(kind, "").is_error(400, "missing_payload", &format!("A {name} payload is missing."));
    }
    for (kind, body, message) in [
        (
            "application/json",
            "[{\"id\":1},]",
            "The `json` payload provided is malformed. `Couldn't serialize document value: trailing comma at line 1 column 11`.",
        ),
        (
            "application/json",
            "\"x\"",
            "The `json` payload provided is malformed. `Couldn't serialize document value: data are neither an object nor a list of objects`.",
        ),
        (
            "application/x-ndjson",
            "{\"id\":9}\n{id:10}\n",
            "The `ndjson` payload provided is malformed. `Couldn't serialize document value: key must be a string at line 2 column 2`.",
        ),
        (
            "text/csv",
            "id,a\n1,2,3\n",
            "The `csv` payload provided is malformed: `CSV error: record 1 (line: 2, byte: 5): found record with 3 fields, but the previous record has 2 fields`.",
        ),
        (
            "text/csv",
            "id:number\nx\n",
            "The `csv` payload provided is malformed: `Error parsing number \"x\" at line 1: invalid float literal`.",
        ),
    ] {
        send(kind, body).is_error(400, "malformed_payload", message);
    }
    assert_eq!(server.call("GET /indexes/malformed").status, 404);
}

#[test]
fn a_primary_key_that_a_request_names_comes_first_in_documents() {
    let server = TestServer::shared();
    let shown = |index: &str| {
        let hits = server.call(&format!("GET /indexes/{index}/search")).json();
        let listed = server.call(&format!("GET /indexes/{index}/documents")).json();
        let fetched =
            server.call_json(&format!("POST /indexes/{index}/documents/fetch"), json!({}));
        let texts = [&hits["hits"], &listed["results"], &fetched.json()["results"]]
            .map(ToString::to_string);
        let one = server.call(&format!("GET /indexes/{index}/documents/1")).text();
        assert!(texts[0].starts_with(&format!("[{one}")), "{} {one}", texts[0]);
        assert_eq!((&texts[0], &texts[0]), (&texts[1], &texts[2]));
        texts[0].clone()
    };
    let documents = json!([{"name": "oak", "sku": 1}, {"sku": 2, "name": "elm"}]);
    let key_first = r#"[{"sku":1,"name":"oak"},{"sku":2,"name":"elm"}]"#;
    let send = |line: &str, body: &Value| {
        let task = server.call_json(line, body.clone()).task(&server);
        assert_eq!(task["status"], "succeeded", "{task}");
    };
    // With the documents, with the index, and to an index that has none.
    send("POST /indexes/key-sent/documents?primaryKey=sku", &documents);
    assert_eq!(shown("key-sent"), key_first);
    send("POST /indexes", &json!({"uid": "key-made", "primaryKey": "sku"}));
    send("POST /indexes/key-made/documents", &documents);
    assert_eq!(shown("key-made"), key_first);
    send("POST /indexes", &json!({"uid": "key-changed"}));
    send("PATCH /indexes/key-changed", &json!({"primaryKey": "sku"}));
    send("PUT /indexes/key-changed/documents", &documents);
    assert_eq!(shown("key-changed"), key_first);
    // Later documents and updates too.
    send("PUT /indexes/key-sent/documents", &json!([{"price": 3, "sku": 1}]));
    let updated = r#"[{"sku":1,"name":"oak","price":3},{"sku":2,"name":"elm"}]"#;
    assert_eq!(shown("key-sent"), updated);

    // One that is found in the first document stays where it is, and one with dots is no member.
    let inferred = json!([{"name": "oak", "id": 1}]);
    send("POST /indexes/key-found/documents", &inferred);
    send("POST /indexes/key-found/documents?primaryKey=id", &json!([{"name": "elm", "id": 2}]));
    assert_eq!(shown("key-found"), r#"[{"name":"oak","id":1},{"name":"elm","id":2}]"#);
    let dotted = json!([{"name": "oak", "meta": {"id": 1}}, {"t": 1, "meta.id": 2}]);
    send("POST /indexes/key-dotted/documents?primaryKey=meta.id", &dotted);
    assert_eq!(shown("key-dotted"), r#"[{"name":"oak","meta":{"id":1}},{"t":1,"meta.id":2}]"#);
}

#[test]
fn a_delimiter_is_one_ascii_character_for_csv() {
    let server = TestServer::shared();
    let send = |delimiter: &str, kind: &str, body: &str| {
        let line = format!("POST /indexes/delimited/documents?csvDelimiter={delimiter}");
        server.request(&line).body(kind, body).send()
    };
    for (delimiter, body) in [(";", "id;n\n1;a"), ("%09", "id\tn\n2\tb"), ("%7C", "id|n\n3|c")] {
        assert_eq!(send(delimiter, "text/csv", body).task(&server)["status"], "succeeded");
    }
    let prefix =
        "Invalid value in parameter `csvDelimiter`: expected a string of one character, but found";
    let code = "invalid_document_csv_delimiter";
    send("", "text/csv", "id").is_error(400, code, &format!("{prefix} an empty string"));
    for kind in ["text/csv", "application/json"] {
        send(";;", kind, "id").is_error(
            400,
            code,
            &format!("{prefix} the following string of 2 characters: `;;`"),
        );
    }
    for kind in ["text/csv", "application/json", "text/plain", "nonsense"] {
        send("%C3%A9", kind, "id").is_error(
            400,
            code,
            "csv delimiter must be an ascii character. Found: `é`",
        );
    }
    let line = "POST /indexes/delimited/documents?csvDelimiter=%C3%A9";
    assert_eq!(server.request(line).send().json()["code"], code, "without a type");
    for kind in ["application/json", "application/x-ndjson"] {
        send(";", kind, "{}").is_error(
            415,
            "invalid_content_type",
            &format!("The Content-Type `{kind}` does not support the use of a csv delimiter. The csv delimiter can only be used with the Content-Type `text/csv`."),
        );
    }
}

#[test]
fn documents_not_yet_there_can_be_skipped() {
    let server = TestServer::shared();
    server.with_documents("skipping", json!([{"id": 1, "n": "one"}]));
    for value in ["true", "TRUE", "True"] {
        let line = format!("POST /indexes/skipping/documents?skipCreation={value}");
        let task = server.call_json(&line, json!([{"id": 1, "n": value}, {"id": 2}])).task(&server);
        assert_eq!(task["details"]["indexedDocuments"], 2);
        server.call("GET /indexes/skipping/documents").is(
            200,
            json!({"results": [{"id": 1, "n": value}], "offset": 0, "limit": 20, "total": 1}),
        );
    }
    for (value, shown) in [("1", "1"), ("", ""), ("%20true", " true")] {
        let line = format!("PUT /indexes/skipping/documents?skipCreation={value}");
        server.call_json(&line, json!([])).is_error(
            400,
            "invalid_skip_creation",
            &format!("skipCreation must be either `true` or `false`. Found: `{shown}`"),
        );
    }
}

#[test]
fn a_primary_key_can_be_chosen_once() {
    let server = TestServer::shared();
    let add = |key: &str, body| {
        let line = format!("POST /indexes/chosen/documents?primaryKey={key}");
        server.call_json(&line, body).task(&server)
    };
    assert_eq!(add("cl%C3%A9", json!([{"clé": 1, "id": 2}]))["status"], "succeeded");
    assert_eq!(server.call("GET /indexes/chosen").json()["primaryKey"], "clé");
    assert_eq!(add("cl%C3%A9", json!([{"clé": 2}]))["status"], "succeeded");
    let other = add("id", json!([{"clé": 3, "id": 4}]));
    assert_eq!(other["error"]["code"], "index_primary_key_already_exists");
    assert_eq!(other["error"]["message"], "Index already has a primary key: `clé`.");
}

#[test]
fn metadata_is_echoed() {
    let server = TestServer::shared();
    let line =
        "POST /indexes/noted/documents?customMetadata=a%20b%26c&customMetadata=d%20%E2%98%80";
    let answer = server.call_json(line, json!([{"id": 1}]));
    assert_eq!(answer.json()["customMetadata"], "d ☀");
    assert_eq!(answer.task(&server)["customMetadata"], "d ☀");
    let empty = server.call_json("PUT /indexes/noted/documents?customMetadata=", json!([]));
    assert_eq!(empty.json()["customMetadata"], "");
    let none = server.call_json("PUT /indexes/noted/documents", json!([]));
    assert!(none.json().get("customMetadata").is_none());
}

#[test]
fn faults_are_told_in_order() {
    let server = TestServer::shared();
    let line = "POST /indexes/bad%20uid/documents?primarykey=id";
    server.request(line).body("text/plain", "x").send().is_error(
        400,
        "bad_request",
        "Unknown parameter `primarykey`: did you mean `primaryKey`? expected one of `primaryKey`, `csvDelimiter`, `customMetadata`, `skipCreation`",
    );
    server.request("PUT /indexes/bad%20uid/documents").body("text/plain", "x").send().is_error(
        400,
        "invalid_index_uid",
        &format!("`bad uid` {INVALID_UID}"),
    );
}

#[test]
fn an_element_that_is_no_object_is_refused() {
    let server = TestServer::shared();
    let answer = server.call_json("POST /indexes/elements/documents", json!([{"id": 1}, 3]));
    assert!(answer.status == 500 || answer.status == 400, "{}", answer.status);
    assert_eq!(server.call("GET /indexes/elements").status, 404);
}
