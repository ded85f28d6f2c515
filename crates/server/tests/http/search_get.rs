//! Searches in a query string: the form of each parameter and its complaints.

use std::sync::Arc;

use serde_json::json;

use super::harness::TestServer;

const GET_NAMES: &str = "`q`, `offset`, `limit`, `page`, `hitsPerPage`, `attributesToRetrieve`, \
    `attributesToCrop`, `cropLength`, `cropMarker`, `attributesToHighlight`, `highlightPreTag`, \
    `highlightPostTag`, `showMatchesPosition`, `filter`, `sort`, `distinct`, `facets`, \
    `matchingStrategy`, `attributesToSearchOn`, `rankingScoreThreshold`, `locales`, \
    `hybridEmbedder`, `hybridSemanticRatio`, `vector`, `retrieveVectors`, \
    `personalizeUserContext`, `useNetwork`, `showRankingScore`, `showRankingScoreDetails`, \
    `showPerformanceDetails`";

fn server(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    let documents = json!([
        {"id": 1, "title": "The Lantern Keeper", "place": {"town": "Ely", "zip": 3}},
        {"id": 2, "title": "Salt and Silver"},
        {"id": 3, "title": "Winter Orchard"},
    ]);
    server.with_documents(index, documents);
    server
}

#[test]
fn parameters_have_forms_and_codes() {
    let server = server("get_forms");
    let integer = |name: &str, text: &str| {
        format!(
            "Invalid value in parameter `{name}`: could not parse `{text}` as a positive integer"
        )
    };
    let flag = |name: &str, text: &str| {
        format!(
            "Invalid value in parameter `{name}`: could not parse `{text}` as a boolean, expected \
             either `true` or `false`"
        )
    };
    let between = |parameter: &str, name: &str| {
        format!(
            "Invalid value in parameter `{parameter}`: the value of `{name}` is invalid, expected \
             a float between `0.0` and `1.0`."
        )
    };
    let threshold = || between("rankingScoreThreshold", "rankingScoreThreshold");
    let mandatory =
        |other: &str| format!("`hybridEmbedder` is mandatory when `{other}` is present");
    let float = || "Invalid value in parameter `vector`: invalid float literal".to_owned();
    let no_embedder = |name: &str| format!("Cannot find embedder with name `{name}`.");
    for (query, code, message) in [
        ("offset=-1", "offset", integer("offset", "-1")),
        ("limit=1.5", "limit", integer("limit", "1.5")),
        ("limit=", "limit", integer("limit", "")),
        ("page=x", "page", integer("page", "x")),
        ("hitsPerPage=", "hits_per_page", integer("hitsPerPage", "")),
        ("cropLength=ten", "crop_length", integer("cropLength", "ten")),
        ("showMatchesPosition=1", "show_matches_position", flag("showMatchesPosition", "1")),
        ("retrieveVectors=oui", "retrieve_vectors", flag("retrieveVectors", "oui")),
        ("showRankingScore=TRUE", "show_ranking_score", flag("showRankingScore", "TRUE")),
        ("showRankingScoreDetails=", "show_ranking_score_details", flag("showRankingScoreDetails", "")),
        ("showPerformanceDetails=no", "show_performance_details", flag("showPerformanceDetails", "no")),
        ("useNetwork=maybe", "use_network", flag("useNetwork", "maybe")),
        (
            "matchingStrategy=some",
            "matching_strategy",
            "Unknown value `some` for parameter `matchingStrategy`: expected one of `last`, `all`, `frequency`".to_owned(),
        ),
        ("rankingScoreThreshold=2", "ranking_score_threshold", threshold()),
        ("rankingScoreThreshold=abc", "ranking_score_threshold", threshold()),
        ("rankingScoreThreshold=NaN", "ranking_score_threshold", threshold()),
        ("hybridEmbedder=e&hybridSemanticRatio=1.5", "semantic_ratio", between("hybridSemanticRatio", "semanticRatio")),
        ("hybridEmbedder=e&hybridSemanticRatio=", "semantic_ratio", between("hybridSemanticRatio", "semanticRatio")),
        ("hybridSemanticRatio=0.5&vector=1", "hybrid_query", mandatory("hybridSemanticRatio")),
        ("vector=1,a", "vector", float()),
        ("vector=[1,0]&hybridEmbedder=e", "vector", float()),
        ("hybridEmbedder=&vector=1", "embedder", no_embedder("")),
        ("hybridEmbedder=e&q=soup", "embedder", no_embedder("e")),
        (
            "sort=",
            "sort",
            "Invalid syntax for the sort parameter: expected expression ending by `:asc` or `:desc`, found ``.".to_owned(),
        ),
        (
            "filter=null",
            "filter",
            "Invalid syntax for the filter parameter: `expected String, Array, found: null`.".to_owned(),
        ),
    ] {
        let line = format!("GET /indexes/get_forms/search?{query}");
        server.call(&line).is_error(400, &format!("invalid_search_{code}"), &message);
    }
    server.call("GET /indexes/get_forms/search?vector=1,2").is_error(
        400,
        "missing_search_hybrid",
        &mandatory("vector"),
    );
    server.call("GET /indexes/get_forms/search?personalizeUserContext=x").is_error_like(
        400,
        "feature_not_enabled",
        "reranking search results",
    );
    server.call("GET /indexes/get_forms/search?useNetwork=true").is_error_like(
        400,
        "feature_not_enabled",
        "`network`",
    );
}

#[test]
fn names_are_those_of_the_list() {
    let server = server("get_names");
    for (name, hint) in
        [("hybrid", ""), ("limits", "did you mean `limit`? "), ("media", ""), ("", "")]
    {
        server.call(&format!("GET /indexes/get_names/search?{name}=1")).is_error(
            400,
            "bad_request",
            &format!("Unknown parameter `{name}`: {hint}expected one of {GET_NAMES}"),
        );
    }
}

#[test]
fn a_bad_locale_is_reported_under_the_name_of_the_parameter() {
    let server = server("get_locales");
    let begin = "expected one of af, ak, am, ar, az, be, bg, bn, ca, cs, da, de,";
    for (query, shown) in [("zz", "zz"), ("fr,zz", "zz"), ("de,%20en", " en"), ("*", "*")] {
        server.call(&format!("GET /indexes/get_locales/search?locales={query}")).is_error_like(
            400,
            "invalid_search_locales",
            &format!("Invalid value in parameter `locales`: Unsupported locale `{shown}`, {begin}"),
        );
    }
    for good in ["", "en", "de,,en", "cmn,zho"] {
        let answer = server.call(&format!("GET /indexes/get_locales/search?locales={good}"));
        assert_eq!(answer.status, 200, "{good}");
    }
}

#[test]
fn values_mean_the_same_as_in_a_body() {
    let server = server("get_values");
    let search = |query: &str| {
        let answer = server.call(&format!("GET /indexes/get_values/search?{query}"));
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        answer.json()
    };
    for (query, hits) in [
        ("attributesToRetrieve=id", json!([{"id": 1}, {"id": 2}, {"id": 3}])),
        ("attributesToRetrieve=id,%20title", json!([{"id": 1}, {"id": 2}, {"id": 3}])),
        ("attributesToRetrieve=,id,", json!([{"id": 1}, {"id": 2}, {"id": 3}])),
        ("attributesToRetrieve=", json!([{}, {}, {}])),
        ("attributesToRetrieve=place.zip&limit=1", json!([{"place": {"zip": 3}}])),
        ("attributesToRetrieve=id&limit=1&offset=1", json!([{"id": 2}])),
        ("attributesToRetrieve=id&limit=5&limit=1", json!([{"id": 1}])),
        ("attributesToRetrieve=id&page=2&hitsPerPage=2", json!([{"id": 3}])),
        (
            "attributesToRetrieve=id&limit=1&showRankingScore=true",
            json!([{"id": 1, "_rankingScore": 1.0}]),
        ),
        (
            "attributesToRetrieve=id&limit=1&retrieveVectors=true",
            json!([{"id": 1, "_vectors": {}}]),
        ),
        ("filter=&facets=&limit=0", json!([])),
        ("filter=[]&facets=&limit=0&matchingStrategy=any", json!([])),
    ] {
        assert_eq!(search(query)["hits"], hits, "{query}");
    }
    assert_eq!(search("")["query"], "");
    assert_eq!(search("q=%20+")["query"], "  ");
    assert_eq!(search("offset=1")["offset"], 1);
}
