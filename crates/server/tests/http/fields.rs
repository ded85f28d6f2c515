//! `/indexes/{uid}/fields`: the settings of each field.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, change_settings, members};

const NOT_FILTERABLE: [bool; 3] = [false; 3];

fn server(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "name": "Oak desk", "price": 320, "tags": ["wood"],
             "maker": {"name": "Nordhus", "country": "NO", "address": {"city": "Bergen"}},
             "parts": [{"sku": "a1", "qty": 4}, {"sku": "b7", "qty": 1}]},
            {"id": 2, "name": "Cork lamp", "price": 45.5, "tags": [], "discount": null,
             "maker": {"name": "Sobreiro", "country": "PT"}},
        ]),
    );
    server
}

const NAMES: [&str; 13] = [
    "discount",
    "id",
    "maker",
    "maker.address",
    "maker.address.city",
    "maker.country",
    "maker.name",
    "name",
    "parts",
    "parts.qty",
    "parts.sku",
    "price",
    "tags",
];

fn fields(server: &TestServer, index: &str, body: Value) -> Value {
    let answer = server.call_json(&format!("POST /indexes/{index}/fields"), body.clone());
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    answer.json()
}

fn names(page: &Value) -> Vec<&str> {
    page["results"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect()
}

/// A field as it is shown: what it is listed as, its order as a ranking rule, its features.
fn field(
    name: &str,
    [displayed, searchable, sortable, distinct]: [bool; 4],
    order: Option<&str>,
    (sort_by, [facet_search, equality, comparison]): (&str, [bool; 3]),
    locales: &[&str],
) -> Value {
    let ranking_rule = match order {
        Some(order) => json!({"enabled": true, "order": order}),
        None => json!({"enabled": false}),
    };
    json!({
        "name": name,
        "displayed": {"enabled": displayed},
        "searchable": {"enabled": searchable},
        "sortable": {"enabled": sortable},
        "distinct": {"enabled": distinct},
        "rankingRule": ranking_rule,
        "filterable": {
            "enabled": equality || comparison, "sortBy": sort_by,
            "facetSearch": facet_search, "equality": equality, "comparison": comparison,
        },
        "localized": {"locales": locales},
    })
}

#[test]
fn all_fields_are_listed_by_name_and_stay_when_their_documents_go() {
    let index = "fields-default";
    let server = server(index);
    let listed: Vec<Value> = NAMES
        .iter()
        .map(|name| field(name, [true, true, false, false], None, ("alpha", NOT_FILTERABLE), &[]))
        .collect();
    let expected = json!({"results": listed, "offset": 0, "limit": 20, "total": 13});
    for body in [json!({}), json!({"filter": null}), json!({"filter": {}})] {
        assert_eq!(fields(&server, index, body), expected);
    }
    assert_eq!(
        members(&fields(&server, index, json!({}))["results"][0]),
        [
            "name",
            "displayed",
            "searchable",
            "sortable",
            "distinct",
            "rankingRule",
            "filterable",
            "localized"
        ]
    );
    server.call(&format!("DELETE /indexes/{index}/documents")).task(&server);
    assert_eq!(fields(&server, index, json!({})), expected);

    server.call_json("POST /indexes", json!({"uid": "fields-none"})).task(&server);
    let none = json!({"results": [], "offset": 0, "limit": 20, "total": 0});
    assert_eq!(fields(&server, "fields-none", json!({})), none);
}

#[test]
fn offset_and_limit_cut_a_window() {
    let index = "fields-window";
    let server = server(index);
    for (offset, limit, expected) in [
        (0, 3, &NAMES[..3]),
        (2, 3, &NAMES[2..5]),
        (12, 5, &NAMES[12..]),
        (100, 5, &[]),
        (0, 0, &[]),
        (usize::MAX, usize::MAX, &[]),
    ] {
        let page = fields(&server, index, json!({"offset": offset, "limit": limit}));
        assert_eq!(names(&page), expected);
        assert_eq!(
            (&page["offset"], &page["limit"], &page["total"]),
            (&json!(offset), &json!(limit), &json!(13))
        );
    }
}

#[test]
fn each_setting_is_told_of_the_fields_it_is_about() {
    let index = "fields-settings";
    let server = server(index);
    let rule = json!({"attributePatterns": ["maker.*"],
        "features": {"filter": {"equality": true, "comparison": true}}});
    let settings = json!({
        "displayedAttributes": ["name", "maker"], "searchableAttributes": ["name", "maker.name"],
        "sortableAttributes": ["price", "parts"], "filterableAttributes": ["tags", rule],
        "distinctAttribute": "maker.country", "rankingRules": ["words", "price:desc", "rating:asc"],
        "localizedAttributes": [{"attributePatterns": ["n*"], "locales": ["en", "nob", "fa"]}],
        "faceting": {"sortFacetValuesBy": {"tags": "count"}},
    });
    change_settings(&server, index, settings);
    let no = ("alpha", NOT_FILTERABLE);
    let by_rule = ("alpha", [false, true, true]);
    let expected = [
        field("discount", [false; 4], None, no, &[]),
        field("id", [false; 4], None, no, &[]),
        field("maker", [true, false, false, false], None, no, &[]),
        field("maker.address", [true, false, false, false], None, by_rule, &[]),
        field("maker.address.city", [true, false, false, false], None, by_rule, &[]),
        field("maker.country", [true, false, false, true], None, by_rule, &[]),
        field("maker.name", [true, true, false, false], None, by_rule, &[]),
        field("name", [true, true, false, false], None, no, &["Eng", "Nob", "Pes"]),
        field("parts", [false, false, true, false], None, no, &[]),
        field("parts.qty", [false, false, true, false], None, no, &[]),
        field("parts.sku", [false, false, true, false], None, no, &[]),
        field("price", [false, false, true, false], Some("desc"), no, &[]),
        field("tags", [false; 4], None, ("count", [true; 3]), &[]),
    ];
    let page = fields(&server, index, json!({}));
    for (shown, expected) in page["results"].as_array().unwrap().iter().zip(&expected) {
        assert_eq!(shown, expected);
    }
    assert_eq!(page["total"], 13);

    // A star among plain names is a name, and an empty list is for nothing.
    for (listed, is_listed) in [(json!(["*"]), true), (json!([]), false)] {
        let settings = json!({
            "displayedAttributes": listed, "searchableAttributes": listed,
            "filterableAttributes": listed, "sortableAttributes": listed,
            "distinctAttribute": null, "localizedAttributes": null,
            "rankingRules": ["tags:asc", "tags:desc"], "faceting": {"sortFacetValuesBy": {"*": "count"}},
        });
        change_settings(&server, index, settings);
        let is = [is_listed, is_listed, false, false];
        let page = fields(&server, index, json!({"filter": {"attributePatterns": ["tags"]}}));
        let tags = field("tags", is, Some("asc"), ("count", NOT_FILTERABLE), &[]);
        assert_eq!(page["results"], json!([tags]));
    }
}

#[test]
fn a_filter_asks_for_all_of_its_conditions() {
    let index = "fields-filter";
    let server = server(index);
    let settings = json!({
        "displayedAttributes": ["name", "maker"], "searchableAttributes": ["name", "maker.name"],
        "sortableAttributes": ["price"], "filterableAttributes": ["tags", {"attributePatterns": ["maker.*"]}],
        "distinctAttribute": "maker.country", "rankingRules": ["words", "price:desc"],
    });
    change_settings(&server, index, settings);
    let but = |left_out: &[&str]| -> Vec<&str> {
        NAMES.into_iter().filter(|name| !left_out.contains(name)).collect()
    };
    let maker = &NAMES[2..7];
    for (filter, expected) in [
        (json!({"displayed": true}), [maker, &["name"]].concat()),
        (json!({"displayed": false}), but(&[maker, &["name"]].concat())),
        (json!({"searchable": true}), vec!["maker.name", "name"]),
        (json!({"searchable": false}), but(&["maker.name", "name"])),
        (json!({"sortable": true}), vec!["price"]),
        (json!({"sortable": false}), but(&["price"])),
        (json!({"distinct": true}), vec!["maker.country"]),
        (json!({"distinct": false}), but(&["maker.country"])),
        (json!({"rankingRule": true}), vec!["price"]),
        (json!({"rankingRule": false, "displayed": true}), [maker, &["name"]].concat()),
        (json!({"filterable": true}), [&maker[1..], &["tags"]].concat()),
        (json!({"filterable": false}), but(&[&maker[1..], &["tags"]].concat())),
        (json!({"searchable": true, "sortable": true}), vec![]),
        (json!({"attributePatterns": null, "sortable": null}), NAMES.to_vec()),
        (json!({"attributePatterns": ["name"]}), vec!["name"]),
        (json!({"attributePatterns": ["maker"]}), vec!["maker"]),
        (json!({"attributePatterns": ["maker.*"]}), maker[1..].to_vec()),
        (json!({"attributePatterns": ["*name"]}), vec!["maker.name", "name"]),
        (json!({"attributePatterns": ["*.n*", "id"]}), vec!["id", "maker.name"]),
        (json!({"attributePatterns": ["*ri*"]}), vec!["price"]),
        (json!({"attributePatterns": ["NAME"]}), vec![]),
        (json!({"attributePatterns": [""]}), vec![]),
        (json!({"attributePatterns": []}), vec![]),
        (
            json!({"attributePatterns": ["*"], "searchable": true, "displayed": true}),
            vec!["maker.name", "name"],
        ),
    ] {
        let page = fields(&server, index, json!({"filter": filter}));
        assert_eq!(names(&page), expected, "{filter}");
        assert_eq!(page["total"], expected.len(), "{filter}");
    }
    let page =
        fields(&server, index, json!({"filter": {"displayed": true}, "offset": 4, "limit": 1}));
    assert_eq!((names(&page), &page["total"]), (vec!["maker.name"], &json!(6)));
}

#[test]
#[rustfmt::skip]
fn the_body_is_refused_member_by_member() {
    let index = "fields-refused";
    let server = server(index);
    let line = format!("POST /indexes/{index}/fields");
    let filter = |filter: Value| json!({"filter": filter});
    let refused = |body: Value, code: &str, message: &str| {
        server.call_json(&line, body).is_error(400, code, message);
    };
    let number = "a positive integer";
    for (body, code, place, expected, found) in [
        (json!({"offset": null}), "offset", ".offset", number, "null"),
        (json!({"offset": -1}), "offset", ".offset", number, "a negative integer: `-1`"),
        (json!({"limit": 1.5}), "limit", ".limit", number, "a number: `1.5`"),
        (json!({"limit": "x"}), "limit", ".limit", number, "a string: `\"x\"`"),
        (filter(json!([])), "fields_filter", ".filter", "an object", "an array: `[]`"),
        (filter(json!("name")), "fields_filter", ".filter", "an object", "a string: `\"name\"`"),
        (filter(json!({"displayed": "yes"})), "fields_filter_displayed", ".filter.displayed", "a boolean", "a string: `\"yes\"`"),
        (filter(json!({"searchable": 1})), "fields_filter_searchable", ".filter.searchable", "a boolean", "a positive integer: `1`"),
        (filter(json!({"sortable": []})), "fields_filter_sortable", ".filter.sortable", "a boolean", "an array: `[]`"),
        (filter(json!({"distinct": "x"})), "fields_filter_distinct", ".filter.distinct", "a boolean", "a string: `\"x\"`"),
        (filter(json!({"rankingRule": {}})), "fields_filter_ranking_rule", ".filter.rankingRule", "a boolean", "an object: `{}`"),
        (filter(json!({"filterable": 0})), "fields_filter_filterable", ".filter.filterable", "a boolean", "a positive integer: `0`"),
        (filter(json!({"attributePatterns": "name"})), "fields_filter_attribute_patterns", ".filter.attributePatterns", "an array", "a string: `\"name\"`"),
        (filter(json!({"attributePatterns": [1]})), "fields_filter_attribute_patterns", ".filter.attributePatterns[0]", "a string", "a positive integer: `1`"),
    ] {
        let message = format!("Invalid value type at `{place}`: expected {expected}, but found {found}");
        refused(body, &format!("invalid_index_{code}"), &message);
    }
    let members = "expected one of `attributePatterns`, `displayed`, `searchable`, `sortable`, `distinct`, `rankingRule`, `filterable`";
    refused(filter(json!({"localized": true})), "invalid_index_fields_filter",
        &format!("Unknown field `localized` inside `.filter`: {members}"));
    refused(filter(json!({"rankingrule": true})), "invalid_index_fields_filter",
        &format!("Unknown field `rankingrule` inside `.filter`: did you mean `rankingRule`? {members}"));
    refused(json!({"limits": 3}), "bad_request",
        "Unknown field `limits`: did you mean `limit`? expected one of `offset`, `limit`, `filter`");
    refused(json!(null), "bad_request", "Invalid value type: expected an object, but found null");
    let media = server.request(&line).body("text/plain", "{}").send();
    media.is_error_like(415, "invalid_content_type", "The Content-Type `text/plain` is invalid.");
    server.request(&line).send().is_error_like(415, "missing_content_type", "is missing.");
    server.call(&format!("GET /indexes/{index}/fields")).is_empty(405);
}

#[test]
fn a_name_that_no_index_can_have_is_one_that_none_has() {
    let server = TestServer::shared();
    for (path, name) in [("fields-ghost", "fields-ghost"), ("no%20pe", "no pe")] {
        let line = format!("POST /indexes/{path}/fields");
        let message = format!("Index `{name}` not found.");
        server.call_json(&line, json!({})).is_error(404, "index_not_found", &message);
        // The body is looked at first.
        server.call_json(&line, json!({"offset": ""})).is_error_like(
            400,
            "invalid_index_offset",
            "",
        );
    }
}

#[test]
fn thousands_of_fields_are_listed_in_a_moment() {
    let server = TestServer::shared();
    let index = "fields-many";
    let name = |number: usize| format!("object.field_{number:05}");
    let document: Value = (0..10_000)
        .map(|n| (format!("field_{n:05}"), json!(n)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let listed: Vec<String> = (0..10_000).map(name).collect();
    server.with_documents(index, json!([{"id": 1, "object": document}]));
    change_settings(
        &server,
        index,
        json!({"displayedAttributes": listed, "sortableAttributes": []}),
    );
    // The best of some attempts: the machine may have something else to do for a moment.
    let best = (0..5).map(|_| {
        let begun = std::time::Instant::now();
        let page = fields(&server, index, json!({"filter": {"displayed": true}, "offset": 9_999}));
        assert_eq!((names(&page), &page["total"]), (vec!["object.field_09999"], &json!(10_000)));
        begun.elapsed()
    });
    let best = best.min().expect("some attempts");
    assert!(best.as_secs() < 2, "{best:?}");
}
