//! Where a list of attributes may hold patterns, and where a star is only a star or stands for
//! everything. A star counts at the ends of a pattern and nowhere else.

use std::sync::Arc;

use serde_json::{Value, json};

use super::harness::{TestServer, change_settings, ids, search};

fn server(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "title": "oak", "body": "tree", "meta": {"genus": "quercus", "note": "oak"}, "in*side": "pine"},
            {"id": 2, "title": "oak table", "body": "wood"},
            {"id": 3, "title": "elm", "body": "oak tree", "title_fr": "orme"},
            {"id": 4, "title": "tree", "body": "elm", "meta": {"genus": "oak"}},
        ]),
    );
    server
}

#[test]
fn attributes_to_search_on_are_patterns() {
    let index = "patterns-searched";
    let server = server(index);
    let found = |names: Value| {
        ids(&search(&server, index, json!({"q": "oak ", "attributesToSearchOn": names})))
    };
    for (names, expected) in [
        (json!(["t*"]), vec![1, 2]),
        (json!(["*e"]), vec![1, 2]),
        (json!(["*od*"]), vec![3]),
        (json!(["meta.*"]), vec![1, 4]),
        (json!(["*.genus"]), vec![4]),
        // Not what it contains.
        (json!(["meta"]), vec![]),
        (json!(["b*y"]), vec![]),
        (json!(["z*"]), vec![]),
        (json!(["z*", "body"]), vec![3]),
        (json!(["z", "*"]), vec![1, 4, 2, 3]),
        (json!([]), vec![]),
    ] {
        assert_eq!(found(names.clone()), expected, "{names}");
    }
    let get = format!("GET /indexes/{index}/search?q=oak%20&attributesToSearchOn=meta.*,z*");
    assert_eq!(ids(&server.call(&get).json()), [1, 4]);

    change_settings(&server, index, json!({"searchableAttributes": ["title", "meta.genus"]}));
    assert_eq!(found(json!(["*t*"])), [1, 2, 4]);
    assert_eq!(found(json!(["meta.*"])), [4]);
    for name in ["b*", "z*", "*note"] {
        let body = json!({"q": "oak", "attributesToSearchOn": ["title", name]});
        server.call_json(&format!("POST /indexes/{index}/search"), body).is_error(
            400,
            "invalid_search_attributes_to_search_on",
            &format!("Index `{index}`: Attribute `{name}` is not searchable. Available searchable attributes are: `meta.genus, title`."),
        );
    }
}

#[test]
fn a_star_hides_no_unknown_name_and_objects_list_their_fields() {
    let index = "patterns-listed";
    let server = TestServer::shared();
    server.with_documents(
        index,
        json!([
            {"id": 1, "name": "oak", "origin": {"country": "Norway", "soil": {"kind": "clay"}}},
            {"id": 2, "name": "elm", "other": {"city": "Bergen"}},
        ]),
    );
    change_settings(&server, index, json!({"searchableAttributes": ["name", "origin"]}));
    let ask = |names: Value| {
        let body = json!({"q": "oak", "attributesToSearchOn": names});
        server.call_json(&format!("POST /indexes/{index}/search"), body)
    };
    for (names, unknown) in [
        (json!(["*", "unknown"]), "unknown"),
        (json!(["unknown", "*"]), "unknown"),
        (json!(["*", "z*"]), "z*"),
        (json!(["name", "origin.city"]), "origin.city"),
        (json!(["origin.soil.depth"]), "origin.soil.depth"),
        (json!(["other.city"]), "other.city"),
    ] {
        ask(names).is_error(
            400,
            "invalid_search_attributes_to_search_on",
            &format!(
                "Index `{index}`: Attribute `{unknown}` is not searchable. Available searchable \
                 attributes are: `name, origin, origin.country, origin.soil, origin.soil.kind`."
            ),
        );
    }
    for names in [json!(["*", "name"]), json!(["origin", "name"]), json!(["origin.soil", "n*"])] {
        assert_eq!(ids(&ask(names.clone()).json()), [1], "{names}");
    }
}

#[test]
fn displayed_attributes_are_full_names_or_a_star() {
    let index = "patterns-shown";
    let server = server(index);
    let first = |member: &str, names: Value| {
        let mut body = json!({"q": "quercus", "attributesToRetrieve": []});
        body[member] = names;
        search(&server, index, body)["hits"][0].clone()
    };
    let all = json!({"id": 1, "title": "oak", "body": "tree",
        "meta": {"genus": "quercus", "note": "oak"}, "in*side": "pine"});
    let formatted = json!({"id": "1", "title": "oak", "body": "tree",
        "meta": {"genus": "<em>quercus</em>", "note": "oak"}, "in*side": "pine"});
    for (names, expected) in [
        (json!(["*"]), all.clone()),
        (json!(["nope", "*"]), all.clone()),
        (json!(["ti*", "*e", "*", "meta.*"]), all),
        (json!(["ti*", "*e", "*o*", "meta.*", "**"]), json!({})),
        (json!(["in*side"]), json!({"in*side": "pine"})),
        (json!(["meta.genus"]), json!({"meta": {"genus": "quercus"}})),
    ] {
        assert_eq!(first("attributesToRetrieve", names.clone()), expected, "{names}");
    }
    let genus = json!({"_formatted": {"meta": {"genus": "<em>quercus</em>"}}});
    for (names, expected) in [
        (json!(["*"]), json!({"_formatted": formatted})),
        (json!(["meta.*", "me*", "*genus"]), json!({})),
        (json!(["meta.genus"]), genus),
    ] {
        assert_eq!(first("attributesToHighlight", names.clone()), expected, "{names}");
    }
    let plain = |text: &str| json!({"_formatted": {"title": text}});
    let mut body = json!({"q": "table", "attributesToRetrieve": [], "cropMarker": "~"});
    for (names, expected) in [
        (json!(["title:1"]), plain("~table")),
        (json!(["ti*:1", "*le"]), json!({})),
        (json!(["*:1"]), json!({"_formatted": {"id": "2", "title": "~table", "body": "wood"}})),
        (
            json!(["*:1", "title:2"]),
            json!({"_formatted": {"id": "2", "title": "oak table", "body": "wood"}}),
        ),
    ] {
        body["attributesToCrop"] = names.clone();
        assert_eq!(search(&server, index, body.clone())["hits"][0], expected, "{names}");
    }
    // Displayed attributes are named too.
    for (names, expected) in [
        (json!(["ti*", "meta.*"]), json!({})),
        (json!(["meta"]), json!({"meta": {"genus": "quercus", "note": "oak"}})),
    ] {
        change_settings(&server, index, json!({"displayedAttributes": names}));
        assert_eq!(first("attributesToRetrieve", json!(["*"])), expected, "{names}");
    }
    let line = format!("GET /indexes/{index}/documents?fields=t*&limit=1");
    assert_eq!(server.call(&line).json()["results"], json!([{}]));
}

#[test]
fn lists_of_plain_names_take_a_star_for_a_star() {
    let index = "patterns-plain";
    let server = server(index);
    let names = json!(["ti*", "*", "in*side"]);
    let settings = json!({"sortableAttributes": names, "filterableAttributes": names,
        "searchableAttributes": ["ti*", "in*side"], "typoTolerance": {"disableOnAttributes": ["*"]}});
    change_settings(&server, index, settings);
    let line = format!("POST /indexes/{index}/search");
    let code = |body: Value| server.call_json(&line, body).json()["code"].clone();
    assert_eq!(code(json!({"sort": ["title:asc"]})), "invalid_search_sort");
    assert_eq!(code(json!({"filter": "title = oak"})), "invalid_search_filter");
    assert_eq!(ids(&search(&server, index, json!({"sort": ["in*side:desc"]}))), [1, 2, 3, 4]);
    assert_eq!(ids(&search(&server, index, json!({"filter": "'in*side' = pine"}))), [1]);
    assert_eq!(ids(&search(&server, index, json!({"q": "oak"}))), Vec::<u64>::new());
    // With a typo, and found: the star of the last setting is no attribute.
    change_settings(&server, index, json!({"searchableAttributes": null}));
    assert_eq!(ids(&search(&server, index, json!({"q": "tabel"}))), [2]);
}

#[test]
fn filterable_rules_and_facets_are_patterns() {
    let index = "patterns-facets";
    let server = server(index);
    let rules = json!([
        {"attributePatterns": ["meta.note"], "features": {"filter": {"equality": false}}},
        {"attributePatterns": ["*y", "t*", "meta.*"]},
    ]);
    change_settings(&server, index, json!({"filterableAttributes": rules}));
    let line = format!("POST /indexes/{index}/search");
    for (filter, expected) in [
        ("body = wood", Some(vec![2])),
        ("title_fr = orme", Some(vec![3])),
        ("meta.genus = oak", Some(vec![4])),
        ("meta.note = oak", None),
        ("meta EXISTS", None),
        ("id = 1", None),
    ] {
        let answer = server.call_json(&line, json!({"filter": filter}));
        match expected {
            Some(expected) => assert_eq!(ids(&answer.json()), expected, "{filter}"),
            None => answer.is_error_like(400, "invalid_search_filter", "is not filterable"),
        }
    }
    let genus = json!({"oak": 1, "quercus": 1});
    let french = json!({"orme": 1});
    for (facets, expected) in [
        (json!(["meta.*"]), json!({"meta.genus": genus})),
        (json!(["*_fr"]), json!({"title_fr": french})),
        (json!(["*_f*", "*genus"]), json!({"meta.genus": genus, "title_fr": french})),
        (json!(["title_fr"]), json!({"title_fr": french})),
        // Something could match it and a rule.
        (json!(["i*"]), json!({})),
    ] {
        let answer = search(&server, index, json!({"facets": facets, "limit": 0}));
        assert_eq!(answer["facetDistribution"], expected, "{facets}");
    }
    let everything = search(&server, index, json!({"facets": ["*"], "limit": 0}));
    let names: Vec<&str> = super::harness::members(&everything["facetDistribution"]);
    assert_eq!(names, ["body", "meta.genus", "title", "title_fr"]);
    for facet in ["id", "in*side"] {
        server.call_json(&line, json!({"facets": [facet]})).is_error(
            400,
            "invalid_search_facets",
            &format!("Invalid facet distribution: Pattern `{facet}` is not filterable. Available filterable attributes patterns are: `*y, meta.*, t*`."),
        );
    }
}

#[test]
fn an_object_named_in_facets_shows_its_fields_only_if_it_is_filterable_itself() {
    let index = "patterns-objects";
    let server = TestServer::shared();
    server.with_documents(index, json!([{"id": 1, "box": {"kind": "tin", "size": {"w": 3}}}]));
    let rule = |pattern: &str| json!([{"attributePatterns": [pattern]}]);
    let everything = ["box", "box.kind", "box.size", "box.size.w"];
    for (filterable, facets, expected) in [
        (json!(["box.kind"]), json!(["box"]), vec![]),
        (json!(["box.kind"]), json!(["box", "box.kind"]), vec!["box.kind"]),
        (json!(["box.kind"]), json!(["box.*"]), vec!["box.kind"]),
        (json!(["box.size"]), json!(["box"]), vec![]),
        (json!(["box.size"]), json!(["box.size"]), vec!["box.size", "box.size.w"]),
        (json!(["box"]), json!(["box"]), everything.to_vec()),
        (rule("box*"), json!(["box"]), everything.to_vec()),
        (rule("box.*"), json!(["box"]), vec![]),
        (rule("box"), json!(["box"]), vec!["box"]),
    ] {
        change_settings(&server, index, json!({"filterableAttributes": filterable}));
        let answer = search(&server, index, json!({"facets": facets, "limit": 0}));
        let names: Vec<&str> = super::harness::members(&answer["facetDistribution"]);
        assert_eq!(names, expected, "{filterable} {facets}");
    }
}

#[test]
fn localized_attributes_are_patterns_and_the_first_rule_decides() {
    let server = TestServer::shared();
    let index = "patterns-localized";
    let names = ["title", "text_de", "de_text", "xmittex", "other", "Title"];
    let mut documents: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(id, name)| json!({"id": id, *name: "Kaffeemaschine"}))
        .collect();
    documents.push(json!({"id": 6, "info": {"deep": "Kaffeemaschine"}}));
    documents.push(json!({"id": 7, "title": {"sub": "Kaffeemaschine"}}));
    documents.push(json!({"id": 8, "list": [{"x_de": ["Kaffeemaschine"]}]}));
    server.with_documents(index, json!(documents));
    let german = |patterns: Value| json!({"attributePatterns": patterns, "locales": ["de"]});
    let english = |patterns: Value| json!({"attributePatterns": patterns, "locales": ["en"]});
    for (rules, expected) in [
        (json!([]), vec![]),
        (
            json!([german(json!(["title", "*_de", "de_*", "*mitte*", "info.deep"]))]),
            vec![0, 1, 2, 3, 6, 8],
        ),
        (json!([german(json!(["info", "t*e"]))]), vec![]),
        (json!([english(json!(["t*"])), german(json!(["*"]))]), vec![2, 3, 4, 5, 6, 8]),
        (json!([german(json!(["*"])), english(json!(["t*"]))]), vec![0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ] {
        let settings = json!({"localizedAttributes": rules, "typoTolerance": {"enabled": false}});
        change_settings(&server, index, settings);
        let found = ids(&search(&server, index, json!({"q": "maschine "})));
        assert_eq!(found, expected, "{rules}");
    }
}
