//! The feature `legacySearch`: single searches are answered as older versions did.

use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings, members};

fn server() -> TestServer {
    let server = TestServer::start(Setup::default());
    change_settings(
        &server,
        "books",
        json!({"filterableAttributes": ["kind"], "pagination": {"maxTotalHits": 7}}),
    );
    let books: Value = (0..20).map(|id| json!({"id": id, "kind": "k"})).collect();
    server.with_documents("books", books);
    server
}

fn switch(server: &TestServer, on: bool) {
    server.call_json("PATCH /experimental-features", json!({"legacySearch": on}));
}

#[test]
fn totals_facets_and_metadata_are_those_of_before() {
    let server = server();
    let ask = |body: Value| {
        let request = server.request("POST /indexes/books/search");
        request.header("Meili-Include-Metadata", "true").json(&body).send().json()
    };
    let asked = || {
        let window = ask(json!({"limit": 3, "q": "", "facets": []}));
        let page = ask(json!({"hitsPerPage": 2, "facets": ["kind"]}));
        (window, page)
    };
    let (window, page) = asked();
    assert_eq!(window["estimatedTotalHits"], 20);
    assert_eq!((&page["totalHits"], &page["totalPages"]), (&json!(20), &json!(10)));
    assert!(window.get("facetDistribution").is_none());
    assert_eq!(members(&window["metadata"]), ["query", "queryUid", "indexUid", "primaryKey"]);

    switch(&server, true);
    let (window, page) = asked();
    assert_eq!(window["estimatedTotalHits"], 7);
    assert_eq!((&page["totalHits"], &page["totalPages"]), (&json!(7), &json!(4)));
    assert_eq!((&window["facetDistribution"], &window["facetStats"]), (&json!({}), &json!({})));
    assert_eq!(page["facetDistribution"], json!({"kind": {"k": 20}}));
    assert_eq!(members(&window["metadata"]), ["queryUid", "indexUid", "primaryKey"]);
    let several = json!({"queries": [{"indexUid": "books", "limit": 1}]});
    let several = server.call_json("POST /multi-search", several).json();
    assert_eq!(several["results"][0]["estimatedTotalHits"], 7);
    assert!(several["results"][0].get("facetDistribution").is_none());

    switch(&server, false);
    assert_eq!(asked().0["estimatedTotalHits"], 20);
}

#[test]
fn mistakes_do_not_name_the_index_and_quote_what_was_sent() {
    let server = server();
    let refused = |body: Value| {
        let answer = server.call_json("POST /indexes/books/search", body);
        answer.json()["message"].as_str().unwrap().to_owned()
    };
    let unfilterable = "Attribute `other` is not filterable. Available filterable attribute \
        patterns are: `kind`.\n";
    let body = json!({"filter": "other = 1"});
    let now = refused(body.clone());
    assert_eq!(now, format!("Index `books`: {unfilterable}2:7 \"other\" = \"1\""));
    switch(&server, true);
    assert_eq!(refused(body), format!("{unfilterable}1:6 other = 1"));
    assert!(refused(json!({"sort": ["kind:asc"]})).starts_with("Attribute `kind`"));
}
