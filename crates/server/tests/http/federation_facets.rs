//! The facets of a federated search, index by index and as one.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{Answer, TestServer, change_settings, members};

fn library(name: &str) -> (Arc<TestServer>, String, String) {
    let server = TestServer::shared();
    let (books, films) = (format!("{name}_books"), format!("{name}_films"));
    for uid in [&books, &films] {
        change_settings(&server, uid, json!({"filterableAttributes": ["genre", "lang", "year"]}));
    }
    server.with_documents(
        &books,
        json!([
            {"id": 1, "title": "silver river", "year": 1998, "lang": "en", "genre": ["travel", "nature"]},
            {"id": 2, "title": "quiet garden", "year": 2005, "lang": "de", "genre": ["nature"]},
        ]),
    );
    server.with_documents(
        &films,
        json!([
            {"id": 3, "title": "silver", "year": 2011, "lang": "en", "genre": "crime"},
            {"id": 4, "title": "river", "year": 1987, "lang": "en", "genre": "Drama"},
        ]),
    );
    (server, books, films)
}

#[track_caller]
fn ask(server: &TestServer, queries: Value, federation: Value) -> Answer {
    server.call_json("POST /multi-search", json!({"queries": queries, "federation": federation}))
}

#[test]
fn each_index_counts_what_its_queries_find() {
    let (server, books, films) = library("fed_facets");
    let both = json!([{"indexUid": books}, {"indexUid": films, "q": "silver"}]);
    let facets = |by_index: Value| {
        let answer = ask(&server, both.clone(), json!({"facetsByIndex": by_index, "limit": 0}));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["facetsByIndex"].clone()
    };
    assert_eq!(
        facets(json!({&books: ["lang", "year"], &films: ["lang"]})),
        json!({
            &books: {
                "distribution": {"lang": {"de": 1, "en": 1}, "year": {"1998": 1, "2005": 1}},
                "stats": {"year": {"min": 1998.0, "max": 2005.0}},
            },
            &films: {"distribution": {"lang": {"en": 1}}, "stats": {}},
        })
    );
    // Named without patterns, with none, or not at all.
    assert_eq!(
        facets(json!({&books: [], &films: null})),
        json!({&books: {"distribution": {}, "stats": {}}})
    );
    assert_eq!(facets(json!({})), Value::Null);
    // The documents of several queries count once.
    let twice = json!([{"indexUid": books, "q": "silver"}, {"indexUid": books, "q": "silver river"},
                       {"indexUid": books, "filter": "lang = de"}]);
    let answer = ask(&server, twice, json!({"facetsByIndex": {&books: ["*"]}, "limit": 0})).json();
    assert_eq!(
        answer["facetsByIndex"][&books]["distribution"],
        json!({"genre": {"nature": 2, "travel": 1}, "lang": {"de": 1, "en": 1},
               "year": {"1998": 1, "2005": 1}})
    );
}

#[test]
fn counts_of_several_indexes_are_summed() {
    let (server, books, films) = library("fed_merged");
    let both = json!([{"indexUid": books}, {"indexUid": films}]);
    let merged = |by_index: Value, merge: Value| {
        let federation = json!({"facetsByIndex": by_index, "mergeFacets": merge, "limit": 0});
        let answer = ask(&server, both.clone(), federation);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let genres = json!({&books: ["genre", "year"], &films: ["genre", "lang", "year"]});
    let answer = merged(genres.clone(), json!({}));
    assert_eq!(
        members(&answer),
        [
            "hits",
            "processingTimeMs",
            "limit",
            "offset",
            "estimatedTotalHits",
            "facetDistribution",
            "facetStats",
            "requestUid"
        ]
    );
    let distribution = &answer["facetDistribution"];
    assert_eq!(members(distribution), ["genre", "lang", "year"]);
    assert_eq!(members(&distribution["genre"]), ["Drama", "crime", "nature", "travel"]);
    assert_eq!(distribution["genre"]["nature"], 2);
    assert_eq!(distribution["lang"], json!({"en": 2}));
    assert_eq!(answer["facetStats"], json!({"year": {"min": 1987.0, "max": 2011.0}}));
    let shown = |most: Value| {
        let answer = merged(genres.clone(), json!({"maxValuesPerFacet": most}));
        members(&answer["facetDistribution"]["genre"]).len()
    };
    assert_eq!([shown(json!(2)), shown(json!(0)), shown(json!(null))], [2, 0, 4]);
    let answer = merged(json!({}), json!({}));
    assert_eq!(answer["facetDistribution"], Value::Null);
    // Alone it asks for nothing.
    let answer = ask(&server, both.clone(), json!({"mergeFacets": {}, "limit": 0})).json();
    assert_eq!(answer["facetStats"], Value::Null);
}

#[test]
fn indexes_must_agree_about_the_order_of_merged_values() {
    let (server, books, films) = library("fed_orders");
    let by_count = json!({"faceting": {"sortFacetValuesBy": {"genre": "count"}}});
    change_settings(&server, &films, by_count.clone());
    let both = json!([{"indexUid": books}, {"indexUid": films}]);
    let genres = json!({&books: ["genre"], &films: ["genre"]});
    let merging = json!({"facetsByIndex": genres, "mergeFacets": {}});
    ask(&server, both.clone(), merging.clone()).is_error(
        400,
        "invalid_multi_search_facet_order",
        &format!(
            "Inside `.queries[1]`: Inside `.federation.facetsByIndex.{films}`: Inconsistent order \
             for values in facet `genre`: index `{books}` orders alphabetically, but index \
             `{films}` orders by count.\n - Hint: Remove `federation.mergeFacets` or change \
             `faceting.sortFacetValuesBy` to be consistent in settings."
        ),
    );
    assert_eq!(ask(&server, both.clone(), json!({"facetsByIndex": genres})).status, 200);
    let others = json!({"facetsByIndex": {&books: ["genre"], &films: ["lang"]}, "mergeFacets": {}});
    assert_eq!(ask(&server, both.clone(), others).status, 200);
    change_settings(&server, &books, by_count);
    let answer = ask(&server, both, merging).json();
    let genres = &answer["facetDistribution"]["genre"];
    assert_eq!(members(genres), ["nature", "travel", "crime", "Drama"]);
}

#[test]
fn facets_are_checked_also_of_indexes_that_no_query_asks() {
    let (server, books, films) = library("fed_unused");
    let query = json!([{"indexUid": films}, {"indexUid": books, "q": "silver"}]);
    let bad = |uid: &str| {
        format!(
            "Inside `.federation.facetsByIndex.{uid}`: Invalid facet distribution: Pattern `title` \
             is not filterable. Available filterable attributes patterns are: `genre, lang, year`."
        )
    };
    ask(&server, query, json!({"facetsByIndex": {&books: ["title"]}})).is_error(
        400,
        "invalid_search_facets",
        &format!("Inside `.queries[1]`: {}", bad(&books)),
    );
    let query = json!([{"indexUid": books, "q": "silver"}]);
    let unused = |by_index: Value| ask(&server, query.clone(), json!({"facetsByIndex": by_index}));
    let note = format!("\n - Note: index `{films}` is not used in queries");
    unused(json!({&films: ["title"]})).is_error(
        400,
        "invalid_search_facets",
        &format!("{}{note}", bad(&films)),
    );
    unused(json!({"fed_unused_none": ["lang"]})).is_error(
        400,
        "index_not_found",
        "Inside `.federation.facetsByIndex.fed_unused_none`: Index `fed_unused_none` not found.\n \
         - Note: index `fed_unused_none` is not used in queries",
    );
    let answer = unused(json!({&books: ["lang"], &films: ["lang"]})).json();
    assert_eq!(members(&answer["facetsByIndex"]), [&books]);
    assert_eq!(unused(json!({&films: ["lang"]})).json()["facetsByIndex"], Value::Null);
}
