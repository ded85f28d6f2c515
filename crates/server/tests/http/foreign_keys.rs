//! Foreign keys: documents of another index in hits, and filters that ask something of them.

use serde_json::{Value, json};

use super::harness::{Answer, Setup, TestServer};

/// `books` refer to `people`, of which `name` and `id` are displayed.
fn library() -> TestServer {
    let server = TestServer::start(Setup::default());
    let features = json!({"foreignKeys": true, "editDocumentsByFunction": true});
    server.call_json("PATCH /experimental-features", features);
    server.with_documents(
        "people",
        json!([
            {"id": "oakes", "name": "Mira Oakes", "born": 1961, "secret": 1},
            {"id": "brandt", "name": "Ivo Brandt", "born": 1970},
            {"id": "7", "name": "Seven", "born": 1990},
        ]),
    );
    let settings =
        json!({"displayedAttributes": ["name", "id"], "filterableAttributes": ["born", "name"]});
    set(&server, "people", settings);
    server.with_documents(
        "books",
        json!([
            {"id": 1, "title": "Tide", "by": "oakes", "price": 1.50},
            {"id": 2, "title": "Voices", "by": ["brandt", "oakes", "nobody"]},
            {"id": 3, "title": "Numbers", "by": 7, "made": [{"with": "brandt"}, {"with": null}]},
            {"id": 4, "title": "Odd", "by": [{"x": "oakes"}, true, null, 1.5, "a b"]},
            {"id": 5, "title": "Nobody"},
        ]),
    );
    let keys = json!([
        {"foreignIndexUid": "people", "fieldName": "by"},
        {"foreignIndexUid": "people", "fieldName": "made.with"},
    ]);
    set(&server, "books", json!({"foreignKeys": keys, "filterableAttributes": ["by", "title"]}));
    server
}

fn set(server: &TestServer, index: &str, settings: Value) {
    let task = server.call_json(&format!("PATCH /indexes/{index}/settings"), settings).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
}

fn search(server: &TestServer, body: Value) -> Answer {
    server.call_json("POST /indexes/books/search", body)
}

fn hits(server: &TestServer, body: Value) -> Value {
    let answer = search(server, body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["hits"].clone()
}

fn found(server: &TestServer, filter: Value) -> Vec<u64> {
    let hits = hits(server, json!({"filter": filter, "attributesToRetrieve": ["id"]}));
    hits.as_array().unwrap().iter().map(|hit| hit["id"].as_u64().unwrap()).collect()
}

#[test]
fn hits_show_documents_in_the_place_of_their_ids() {
    let server = library();
    let oakes = json!({"id": "oakes", "name": "Mira Oakes"});
    let brandt = json!({"id": "brandt", "name": "Ivo Brandt"});
    let seven = json!({"id": "7", "name": "Seven"});
    let whole = hits(&server, json!({}));
    assert_eq!(
        whole,
        json!([
            {"id": 1, "title": "Tide", "by": oakes, "price": 1.50},
            {"id": 2, "title": "Voices", "by": [brandt, oakes, {}]},
            {"id": 3, "title": "Numbers", "by": seven, "made": [{"with": brandt}, {"with": null}]},
            {"id": 4, "title": "Odd", "by": [{"x": "oakes"}, true, null, 1.5, "a b"]},
            {"id": 5, "title": "Nobody"},
        ])
    );
    assert!(search(&server, json!({"q": "tide"})).text().contains(r#""price":1.5"#));
    let line = "GET /indexes/books/search?q=tide&attributesToRetrieve=by&showRankingScore=false";
    assert_eq!(server.call(line).json()["hits"], json!([{"by": oakes}]));
    // Documents themselves keep their ids.
    assert_eq!(server.call("GET /indexes/books/documents/1").json()["by"], "oakes");

    // `_formatted` shows the same, whether the query matches an id or not.
    let formatted = |query: &str| {
        let body = json!({"q": query, "attributesToHighlight": ["*"]});
        hits(&server, body)[0]["_formatted"].clone()
    };
    let tide = json!({"id": "1", "title": "<em>Tide</em>", "by": oakes, "price": "1.5"});
    assert_eq!(formatted("tide"), tide);
    assert_eq!(formatted("numbers")["by"], seven);
    assert_eq!(formatted("nobody voices")["by"], json!([brandt, oakes, {}]));
    let cropped = json!({"q": "oakes", "attributesToCrop": ["by:1"], "attributesToHighlight": ["by"],
        "attributesToRetrieve": ["id"]});
    let cropped = hits(&server, cropped);
    assert_eq!(cropped[0], json!({"id": 1, "_formatted": {"id": "1", "by": oakes}}));
    let second = cropped.as_array().unwrap().iter().find(|hit| hit["id"] == 2).unwrap();
    assert_eq!(second["_formatted"]["by"], json!([brandt, oakes, {}]));
    // What cannot be an id is text like any other.
    let odd = formatted("odd b");
    assert_eq!(odd["by"], json!([{"x": "oakes"}, true, null, "1.5", "a <em>b</em>"]));
}

#[test]
fn an_index_is_missed_only_for_ids_of_it() {
    let server = library();
    let keys = json!([{"foreignIndexUid": "ghosts", "fieldName": "by"}]);
    set(&server, "books", json!({"foreignKeys": keys}));
    let missing = |body: Value| {
        search(&server, body).is_error(404, "index_not_found", "Index `ghosts` not found.");
    };
    missing(json!({}));
    missing(json!({"q": "tide", "attributesToRetrieve": ["by"]}));
    missing(json!({"filter": "_foreign(by, born = 1961)", "limit": 0}));
    for body in [
        json!({"q": "tide", "attributesToRetrieve": ["title"]}),
        json!({"q": "odd"}),
        json!({"q": "nobody", "matchingStrategy": "all", "attributesToRetrieve": ["id"]}),
        json!({"limit": 0}),
    ] {
        assert_eq!(search(&server, body.clone()).status, 200, "{body}");
    }
}

#[test]
fn an_index_can_refer_to_itself() {
    let server = library();
    let keys = json!([{"foreignIndexUid": "people", "fieldName": "boss"}]);
    server.with_documents("people", json!([{"id": "8", "name": "Eight", "boss": "7"}]));
    let settings = json!({"foreignKeys": keys, "displayedAttributes": ["*"],
        "filterableAttributes": ["boss", "name"]});
    set(&server, "people", settings);
    let body = json!({"filter": "_foreign(boss, name = seven)"});
    let answer = server.call_json("POST /indexes/people/search", body).json();
    let seven = json!({"id": "7", "name": "Seven", "born": 1990});
    assert_eq!(answer["hits"], json!([{"id": "8", "name": "Eight", "boss": seven}]));
}

#[test]
fn filters_ask_something_of_foreign_documents() {
    let server = library();
    for (filter, expected) in [
        (json!("_foreign(by, born > 1965)"), &[2, 3][..]),
        (json!("_foreign(by, name = \"mira oakes\" AND born < 1965)"), &[1, 2]),
        (json!("NOT _foreign(by, born > 1965)"), &[1, 4, 5]),
        (json!("_foreign(by, born = 1961) AND title = voices"), &[2]),
        (json!(["_foreign(by, born = 1961)", ["_foreign(by, born = 1970)", "title = odd"]]), &[2]),
        (json!("_foreign(by, born = 1)"), &[]),
    ] {
        assert_eq!(found(&server, filter.clone()), expected, "{filter}");
    }

    let body = json!({"filter": "_foreign(by, born > 1965)", "fields": ["id"]});
    let fetched = server.call_json("POST /indexes/books/documents/fetch", body).json();
    assert_eq!(fetched["results"], json!([{"id": 2}, {"id": 3}]));
    let line = "GET /indexes/books/documents?fields=id&filter=_foreign(by,born=1961)";
    assert_eq!(server.call(line).json()["results"], json!([{"id": 1}, {"id": 2}]));
    let body = json!({"facetName": "title", "filter": "_foreign(by, born = 1990)"});
    let facets = server.call_json("POST /indexes/books/facet-search", body).json();
    assert_eq!(facets["facetHits"], json!([{"value": "Numbers", "count": 1}]));
}

#[test]
fn rejects_invalid_foreign_filters() {
    let server = library();
    let patterns = "Available filterable attribute patterns are: `born`, `name`.";
    for (filter, code, message) in [
        (
            "_foreign(by, age = 1)",
            "invalid_document_filter",
            format!(
                "Index `people`: Attribute `age` is not filterable. {patterns}\n14:17 _foreign(by, age = 1)"
            ),
        ),
        // The foreign index comes first.
        (
            "size = 1 AND _foreign(by, age = 1)",
            "invalid_document_filter",
            format!(
                "Index `people`: Attribute `age` is not filterable. {patterns}\n\
                 27:30 size = 1 AND _foreign(by, age = 1)"
            ),
        ),
        (
            "_foreign(title, born = 1)",
            "invalid_search_filter",
            "Index `books`: Field `title` is not a foreign key".to_owned(),
        ),
        // Told before what is wrong in another index.
        (
            "_foreign(by, age = 1) OR _foreign(nope, born = 1)",
            "invalid_search_filter",
            "Index `books`: Field `nope` is not a foreign key".to_owned(),
        ),
        (
            "_foreign(by, _foreign(by, born = 1))",
            "invalid_search_filter",
            "Index `books`: Nested foreign filters are not supported".to_owned(),
        ),
        // The field must be filterable here, too. The ids that were found are not told.
        (
            "_foreign(made.with, born = 1970)",
            "invalid_search_filter",
            "Index `books`: Attribute `made.with` is not filterable. Available filterable attribute \
             patterns are: `by`, `title`.\n11:20 _foreign(\"made.with\", \"born\" = \"1970\")"
                .to_owned(),
        ),
    ] {
        search(&server, json!({"filter": filter})).is_error(400, code, &message);
    }
    // Where documents are read the filter is shown as it was sent.
    let line = "POST /indexes/books/documents/fetch";
    server.call_json(line, json!({"filter": "_foreign(made.with, born = 1970)"})).is_error(
        400,
        "invalid_document_filter",
        "Attribute `made.with` is not filterable. Available filterable attribute patterns are: \
         `by`, `title`.\n10:19 _foreign(made.with, born = 1970)",
    );
    server.call_json(line, json!({"filter": "_foreign(title, born = 1)"})).is_error(
        400,
        "invalid_search_filter",
        "Index `books`: Field `title` is not a foreign key",
    );
}

#[test]
fn writes_by_filter_do_not_read_other_indexes() {
    let server = library();
    let filter = "title = odd OR _foreign(by, born = 1961)";
    let message =
        format!("Filter condition `_foreign` is not supported for this endpoint.\n25:27 {filter}");
    let line = "POST /indexes/books/documents/delete";
    server.call_json(line, json!({"filter": filter})).is_error(
        400,
        "invalid_document_filter",
        &message,
    );
    let line = "POST /indexes/books/documents/edit";
    server.call_json(line, json!({"filter": filter, "function": "doc.x = 1"})).is_error(
        400,
        "invalid_document_filter",
        &format!("Index `books`: {message}"),
    );
}

#[test]
fn a_foreign_filter_may_find_a_hundred_documents() {
    let server = library();
    let people: Vec<Value> = (0..101).map(|n| json!({"id": n + 1000, "born": n})).collect();
    server.with_documents("people", json!(people));
    server.with_documents("books", json!([{"id": 6, "title": "Late", "by": 1099}]));
    assert_eq!(found(&server, json!("_foreign(by, born < 100)")), [6]);
    // Together, not each for itself.
    let filter = "_foreign(by, born < 60) OR _foreign(by, born 50 TO 99)";
    assert_eq!(found(&server, json!(filter)), [6]);
    for filter in
        ["_foreign(by, born < 101)", "_foreign(by, born < 100) OR _foreign(by, born = 100)"]
    {
        search(&server, json!({"filter": filter})).is_error(
            400,
            "invalid_search_filter",
            "Index `people`: Foreign filter is retrieving too many documents, foreign filters \
             can't retrieve more than 100 documents per index",
        );
    }
}

/// Foreign keys are kept, but not used while the feature is off.
#[test]
fn without_the_feature_hits_keep_their_ids() {
    let server = library();
    server.call_json("PATCH /experimental-features", json!({"foreignKeys": false}));
    assert_eq!(hits(&server, json!({"q": "tide"}))[0]["by"], "oakes");
    let federated = json!({"federation": {}, "queries": [{"indexUid": "books", "q": "tide"}]});
    let federated = server.call_json("POST /multi-search", federated).json();
    assert_eq!(federated["hits"][0]["by"], "oakes");
    search(&server, json!({"filter": "_foreign(by, born = 1)"})).is_error_like(
        400,
        "feature_not_enabled",
        "using a foreign filter requires enabling the `foreign_keys` experimental feature.",
    );
}

#[test]
fn an_export_refuses_foreign_filters_with_their_place() {
    let server = library();
    let filter = "title = odd OR _foreign(by, born = 1961)";
    let body = json!({"url": "http://nowhere.example", "indexes": {"books": {"filter": filter}}});
    server.call_json("POST /export", body).is_error(
        400,
        "invalid_document_filter",
        &format!("Filter condition `_foreign` is not supported for this endpoint.\n25:27 {filter}"),
    );
}
