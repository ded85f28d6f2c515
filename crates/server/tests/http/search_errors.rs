//! Invalid searches: types, names, combinations, and which error comes first.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{INVALID_UID, TestServer};

const POST_NAMES: &str = "`q`, `offset`, `limit`, `page`, `hitsPerPage`, `attributesToRetrieve`, \
    `attributesToCrop`, `cropLength`, `cropMarker`, `attributesToHighlight`, `highlightPreTag`, \
    `highlightPostTag`, `showMatchesPosition`, `filter`, `sort`, `distinct`, `facets`, \
    `matchingStrategy`, `attributesToSearchOn`, `rankingScoreThreshold`, `locales`, `hybrid`, \
    `vector`, `retrieveVectors`, `media`, `personalize`, `useNetwork`, `showRankingScore`, \
    `showRankingScoreDetails`, `showPerformanceDetails`";

fn server(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(index, json!([{"id": 1, "title": "The Lantern Keeper"}]));
    server
}

#[track_caller]
fn refused(server: &TestServer, index: &str, body: &Value, code: &str, message: &str) {
    let line = format!("POST /indexes/{index}/search");
    server.call_json(&line, body.clone()).is_error(400, code, message);
}

#[test]
fn every_field_has_a_type_and_a_code() {
    let server = server("search_types");
    let integer = ("a positive integer", json!(-1), "a negative integer: `-1`");
    let text = ("a string", json!(3), "a positive integer: `3`");
    let list = ("an array", json!("id"), "a string: `\"id\"`");
    let flag = ("a boolean", json!("true"), "a string: `\"true\"`");
    let object = ("an object", json!("x"), "a string: `\"x\"`");
    let number = ("a number", json!("0.5"), "a string: `\"0.5\"`");
    // Whether null is taken for "not given".
    for (field, (expected, bad, found), code, nullable) in [
        ("q", text.clone(), "q", true),
        ("offset", integer.clone(), "offset", false),
        ("limit", integer.clone(), "limit", false),
        ("page", integer.clone(), "page", true),
        ("hitsPerPage", integer.clone(), "hits_per_page", true),
        ("attributesToRetrieve", list.clone(), "attributes_to_retrieve", true),
        ("attributesToCrop", list.clone(), "attributes_to_crop", true),
        ("cropLength", integer, "crop_length", false),
        ("cropMarker", text.clone(), "crop_marker", false),
        ("attributesToHighlight", list.clone(), "attributes_to_highlight", true),
        ("highlightPreTag", text.clone(), "highlight_pre_tag", false),
        ("highlightPostTag", text.clone(), "highlight_post_tag", false),
        ("showMatchesPosition", flag.clone(), "show_matches_position", false),
        ("sort", list.clone(), "sort", true),
        ("distinct", text.clone(), "distinct", true),
        ("facets", list.clone(), "facets", true),
        ("matchingStrategy", text, "matching_strategy", false),
        ("attributesToSearchOn", list.clone(), "attributes_to_search_on", true),
        ("rankingScoreThreshold", number, "ranking_score_threshold", true),
        ("locales", list.clone(), "locales", true),
        ("hybrid", object.clone(), "hybrid_query", true),
        ("vector", list, "vector", true),
        ("retrieveVectors", flag.clone(), "retrieve_vectors", false),
        ("personalize", object, "personalize", true),
        ("useNetwork", flag.clone(), "use_network", true),
        ("showRankingScore", flag.clone(), "show_ranking_score", false),
        ("showRankingScoreDetails", flag.clone(), "show_ranking_score_details", false),
        ("showPerformanceDetails", flag, "show_performance_details", false),
    ] {
        let code = format!("invalid_search_{code}");
        let wrong = |found: &str| {
            format!("Invalid value type at `.{field}`: expected {expected}, but found {found}")
        };
        refused(&server, "search_types", &json!({field: bad}), &code, &wrong(found));
        let null = server.call_json("POST /indexes/search_types/search", json!({field: null}));
        match nullable {
            true => assert_eq!(null.status, 200, "{field}: {}", null.text()),
            false => null.is_error(400, &code, &wrong("null")),
        }
    }
    for field in ["filter", "media"] {
        let null = server.call_json("POST /indexes/search_types/search", json!({field: null}));
        assert_eq!(null.status, 200, "{field}");
    }
}

#[test]
fn items_and_members_are_checked_in_their_place() {
    let server = server("search_items");
    let text = |place: &str| {
        format!(
            "Invalid value type at `.{place}`: expected a string, but found a positive integer: `1`"
        )
    };
    let number = |place: &str| {
        format!("Invalid value type at `.{place}`: expected a number, but found null")
    };
    let between = |place: &str, name: &str| {
        format!(
            "Invalid value at `.{place}`: the value of `{name}` is invalid, expected a float \
             between `0.0` and `1.0`."
        )
    };
    let hybrid_names = "expected one of `semanticRatio`, `embedder`";
    for (body, code, message) in [
        (json!({"attributesToRetrieve": ["id", 1]}), "attributes_to_retrieve", text("attributesToRetrieve[1]")),
        (json!({"attributesToCrop": [1]}), "attributes_to_crop", text("attributesToCrop[0]")),
        (json!({"attributesToHighlight": [1]}), "attributes_to_highlight", text("attributesToHighlight[0]")),
        (json!({"attributesToSearchOn": [1]}), "attributes_to_search_on", text("attributesToSearchOn[0]")),
        (json!({"sort": [1]}), "sort", text("sort[0]")),
        (json!({"facets": [1]}), "facets", text("facets[0]")),
        (json!({"locales": [1]}), "locales", text("locales[0]")),
        (json!({"vector": [1, null]}), "vector", number("vector[1]")),
        (json!({"rankingScoreThreshold": 1.1}), "ranking_score_threshold", between("rankingScoreThreshold", "rankingScoreThreshold")),
        (json!({"rankingScoreThreshold": -0.1}), "ranking_score_threshold", between("rankingScoreThreshold", "rankingScoreThreshold")),
        (json!({"hybrid": {}}), "hybrid_query", "Missing field `embedder` inside `.hybrid`".to_owned()),
        (json!({"hybrid": {"embedder": 1}}), "embedder", text("hybrid.embedder")),
        (json!({"hybrid": {"embedder": "e", "semanticRatio": 2}}), "semantic_ratio", between("hybrid.semanticRatio", "semanticRatio")),
        (json!({"hybrid": {"embedder": "e", "semanticRatio": null}}), "semantic_ratio", number("hybrid.semanticRatio")),
        (json!({"hybrid": {"embeder": "e"}}), "hybrid_query", format!("Unknown field `embeder` inside `.hybrid`: did you mean `embedder`? {hybrid_names}")),
        (json!({"personalize": {}}), "personalize", "Missing field `userContext` inside `.personalize`".to_owned()),
        (json!({"personalize": {"userContext": 1}}), "personalize_user_context", text("personalize.userContext")),
        (json!({"personalize": {"user": "x"}}), "personalize", "Unknown field `user` inside `.personalize`: expected one of `userContext`".to_owned()),
        (json!({"matchingStrategy": "LAST"}), "matching_strategy", "Unknown value `LAST` at `.matchingStrategy`: expected one of `last`, `all`, `frequency`".to_owned()),
    ] {
        refused(&server, "search_items", &body, &format!("invalid_search_{code}"), &message);
    }
}

#[test]
fn locales_are_codes_that_are_known() {
    let server = server("search_locales");
    let line = "POST /indexes/search_locales/search";
    server.call_json(line, json!({"locales": ["en", "xx"]})).is_error_like(
        400,
        "invalid_search_locales",
        "Unknown value `xx` at `.locales[1]`: expected one of `af`, `ak`, `am`, `ar`, `az`, `be`, `bn`,",
    );
    server.call_json(line, json!({"locales": [""]})).is_error_like(
        400,
        "invalid_search_locales",
        "`yid`, `zho`, `zul`, `cmn`",
    );
    for good in [json!([]), json!(["en"]), json!(["eng", "fr", "cmn"])] {
        assert_eq!(server.call_json(line, json!({"locales": good})).status, 200);
    }
}

#[test]
fn unknown_fields_are_refused_with_a_hint() {
    let server = server("search_unknown");
    for (field, hint) in [
        ("query", ""),
        ("Q", ""),
        ("limits", "did you mean `limit`? "),
        ("attributeToRetrieve", "did you mean `attributesToRetrieve`? "),
        ("hybridEmbedder", ""),
    ] {
        let message = format!("Unknown field `{field}`: {hint}expected one of {POST_NAMES}");
        refused(&server, "search_unknown", &json!({field: 1}), "bad_request", &message);
    }
}

#[test]
fn the_first_complaint_is_about_the_body_then_the_name_then_the_index() {
    let server = server("search_order");
    let search =
        |uid: &str, body: Value| server.call_json(&format!("POST /indexes/{uid}/search"), body);
    search("bad%20uid!", json!({"limit": -1})).is_error_like(400, "invalid_search_limit", "");
    search("bad%20uid!", json!({})).is_error(
        400,
        "invalid_index_uid",
        &format!("`bad uid!` {INVALID_UID}"),
    );
    let missing = "Index `search_ghost` not found.";
    search("search_ghost", json!({"q": "x"})).is_error(404, "index_not_found", missing);
    // The shape of a filter is looked at before the index, what it means after.
    search("search_ghost", json!({"filter": 5})).is_error_like(400, "invalid_search_filter", "");
    for body in [
        json!({"filter": "a = 1"}),
        json!({"sort": ["a"]}),
        json!({"facets": ["a"]}),
        json!({"distinct": "a"}),
        json!({"q": "x", "hybrid": {"embedder": "e"}}),
    ] {
        search("search_ghost", body).is_error(404, "index_not_found", missing);
    }
    // Of two bad fields the first in the body is named.
    search("search_order", json!({"offset": -1, "limit": -1})).is_error_like(
        400,
        "invalid_search_offset",
        ".offset",
    );
    search("search_order", json!({"limit": -1, "offset": -1})).is_error_like(
        400,
        "invalid_search_limit",
        ".limit",
    );
}

#[test]
fn bodies_are_json_objects() {
    let server = server("search_bodies");
    let send = |kind: &str, body: &str| {
        server.request("POST /indexes/search_bodies/search").body(kind, body).send()
    };
    send("application/json", "").is_error(400, "missing_payload", "A json payload is missing.");
    send("application/json", "[]").is_error(
        400,
        "bad_request",
        "Invalid value type: expected an object, but found an array: `[]`",
    );
    send("application/json", "{\"q\": \"lan").is_error_like(400, "malformed_payload", "EOF");
    send("text/plain", "{}").is_error_like(415, "invalid_content_type", "`text/plain`");
    let twice = send("application/json", r#"{"limit":5,"limit":7}"#).json();
    assert_eq!(twice["limit"], 7, "the last one counts");
    for method in ["PUT", "PATCH", "DELETE"] {
        server.call(&format!("{method} /indexes/search_bodies/search")).is_empty(405);
    }
}

#[test]
fn vectors_need_hybrid_and_features_need_to_be_on() {
    let server = server("search_features");
    let disabled = |tried: &str, feature: &str, number: u32| {
        format!(
            "{tried} requires enabling the `{feature}` experimental feature. \
             See https://github.com/orgs/meilisearch/discussions/{number}"
        )
    };
    let no_hybrid =
        "Invalid request: missing `hybrid` parameter when `vector` or `media` are present.";
    let hybrid = json!({"embedder": "e"});
    for (body, code, message) in [
        (json!({"vector": [0.1]}), "missing_search_hybrid", no_hybrid.to_owned()),
        (json!({"media": {"image": "x"}}), "missing_search_hybrid", no_hybrid.to_owned()),
        (
            json!({"media": 1, "vector": [1], "hybrid": hybrid}),
            "invalid_search_media_and_vector",
            "Invalid request: both `media` and `vector` parameters are present.".to_owned(),
        ),
        (
            json!({"media": {"image": "x"}, "hybrid": hybrid}),
            "feature_not_enabled",
            disabled("passing `media` in a search query", "multimodal", 846),
        ),
        (
            json!({"useNetwork": false}),
            "feature_not_enabled",
            disabled("passing `useNetwork` in a search query", "network", 805),
        ),
        (
            json!({"q": "a", "personalize": {"userContext": "x"}}),
            "feature_not_enabled",
            disabled("reranking search results", "personalization", 866),
        ),
        (
            json!({"q": "lantern", "hybrid": hybrid}),
            "invalid_search_embedder",
            "Cannot find embedder with name `e`.".to_owned(),
        ),
        (
            json!({"vector": [1.0], "hybrid": hybrid}),
            "invalid_search_embedder",
            "Cannot find embedder with name `e`.".to_owned(),
        ),
    ] {
        refused(&server, "search_features", &body, code, &message);
    }
    // By keywords only, whatever embedder is named.
    for body in [
        json!({"hybrid": hybrid}),
        json!({"q": "  ", "hybrid": {"embedder": "e", "semanticRatio": 1}}),
        json!({"q": "lantern", "hybrid": {"embedder": "e", "semanticRatio": 0}}),
        json!({"vector": [1], "hybrid": {"embedder": "e", "semanticRatio": 0}}),
    ] {
        let answer = server.call_json("POST /indexes/search_features/search", body.clone());
        assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    }
}
