//! Each setting: what it is at first, what a value becomes, how it is reset.

use serde_json::{Value, json};
use settings::{ChangeKind, Setting};

use crate::harness::{INVALID_UID, Setup, TestServer, members};

const CHAT_TEMPLATE: &str = "{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}";

/// A value of one setting: as sent, as the task shows it, as it is read back.
struct Row {
    route: &'static str,
    name: &'static str,
    default: Value,
    sent: Value,
    shown: Value,
    read: Value,
}

fn row(
    (route, name): (&'static str, &'static str),
    default: Value,
    [sent, shown, read]: [Value; 3],
) -> Row {
    Row { route, name, default, sent, shown, read }
}

/// Settings that the reference does not have: shown among all only where they are set.
fn is_own(name: &str) -> bool {
    Setting::named(name).expect("a setting").is_own
}

/// Everything that can be set.
#[rustfmt::skip]
fn rows() -> Vec<Row> {
    let same = |value: Value| [value.clone(), value.clone(), value];
    let typo_tolerance = json!({
        "enabled": false, "minWordSizeForTypos": {"oneTypo": 4, "twoTypos": 4},
        "disableOnWords": ["Zürich", "abc", "ABC"], "disableOnAttributes": ["b", "a", "b"], "disableOnNumbers": true,
    });
    let mut typo_shown = typo_tolerance.clone();
    typo_shown["disableOnWords"] = json!(["ABC", "Zürich", "abc"]);
    typo_shown["disableOnAttributes"] = json!(["a", "b"]);
    let mut typo_read = typo_shown.clone();
    typo_read["disableOnWords"] = json!(["abc", "zurich"]);
    let rule = |features: Value| json!([{"attributePatterns": ["a.*"], "features": features}, "b", "b"]);
    let chat = |description: &str, parameters: Value| json!({"description": description,
        "documentTemplate": CHAT_TEMPLATE, "documentTemplateMaxBytes": 400, "searchParameters": parameters});
    let chat_sent = json!({"searchParameters": {"limit": 5, "sort": ["year:asc"]}, "description": "The sea"});
    vec![
        row(("displayed-attributes", "displayedAttributes"), json!(["*"]),
            [json!(["b", "a", "b"]), json!(["b", "a", "b"]), json!(["b", "a"])]),
        row(("searchable-attributes", "searchableAttributes"), json!(["*"]),
            [json!(["b", "a.c", "b"]), json!(["b", "a.c", "b"]), json!(["b", "a.c"])]),
        row(("filterable-attributes", "filterableAttributes"), json!([]), [
            rule(json!({"filter": {"comparison": true}})),
            rule(json!({"facetSearch": false, "filter": {"equality": true, "comparison": true}})),
            rule(json!({"facetSearch": false, "filter": {"equality": true, "comparison": true}})),
        ]),
        row(("sortable-attributes", "sortableAttributes"), json!([]),
            [json!(["b", "é", "Z", "*", "b"]), json!(["*", "Z", "b", "é"]), json!(["*", "Z", "b", "é"])]),
        row(("ranking-rules", "rankingRules"),
            json!(["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"]),
            same(json!(["words", "bm25", "x:y:desc", ":asc", "attribute", "words"]))),
        row(("stop-words", "stopWords"), json!([]),
            [json!(["the", "LES", "à", "b", "the"]), json!(["LES", "b", "the", "à"]), json!(["LES", "a\u{300}", "b", "the"])]),
        row(("non-separator-tokens", "nonSeparatorTokens"), json!([]), [json!(["#", "@", "#"]), json!(["#", "@"]), json!(["#", "@"])]),
        row(("separator-tokens", "separatorTokens"), json!([]), [json!(["|", "&sep;"]), json!(["&sep;", "|"]), json!(["&sep;", "|"])]),
        row(("dictionary", "dictionary"), json!([]), [json!(["J. R.", "A. B."]), json!(["A. B.", "J. R."]), json!(["A. B.", "J. R."])]),
        row(("synonyms", "synonyms"), json!({}), same(json!({"New York": ["nyc", "nyc"], "z": []}))),
        row(("distinct-attribute", "distinctAttribute"), json!(null), same(json!("sku"))),
        row(("proximity-precision", "proximityPrecision"), json!("byWord"), same(json!("byAttribute"))),
        row(("typo-tolerance", "typoTolerance"), json!({
                "enabled": true, "minWordSizeForTypos": {"oneTypo": 5, "twoTypos": 9},
                "disableOnWords": [], "disableOnAttributes": [], "disableOnNumbers": false,
            }), [typo_tolerance, typo_shown, typo_read]),
        row(("faceting", "faceting"), json!({"maxValuesPerFacet": 100, "sortFacetValuesBy": {"*": "alpha"}}), [
            json!({"sortFacetValuesBy": {"genre": "count"}, "maxValuesPerFacet": 0}),
            json!({"maxValuesPerFacet": 0, "sortFacetValuesBy": {"genre": "count"}}),
            json!({"maxValuesPerFacet": 0, "sortFacetValuesBy": {"*": "alpha", "genre": "count"}}),
        ]),
        row(("pagination", "pagination"), json!({"maxTotalHits": 1000}), same(json!({"maxTotalHits": 1}))),
        row(("search-cutoff-ms", "searchCutoffMs"), json!(null), same(json!(u64::MAX))),
        row(("localized-attributes", "localizedAttributes"), json!(null), [
            json!([{"locales": ["fr", "eng", "fa", "cmn", "fr"], "attributePatterns": ["*_fr"]}, {"attributePatterns": [], "locales": []}]),
            json!([{"attributePatterns": ["*_fr"], "locales": ["fr", "eng", "fa", "cmn", "fr"]}, {"attributePatterns": [], "locales": []}]),
            json!([{"attributePatterns": ["*_fr"], "locales": ["fra", "eng", "pes", "cmn", "fra"]}, {"attributePatterns": [], "locales": []}]),
        ]),
        row(("facet-search", "facetSearch"), json!(true), same(json!(false))),
        row(("prefix-search", "prefixSearch"), json!("indexingTime"), same(json!("disabled"))),
        row(("stemming", "stemming"), json!(null), [
            json!({"exceptions": {"Éa": "B"}, "languages": ["eng", "auto", "de"]}),
            json!({"attributes": ["*"], "languages": ["eng", "auto", "de"], "exceptions": {"Éa": "B"}}),
            json!({"attributes": ["*"], "languages": ["eng", "auto", "de"], "exceptions": {"ea": "b"}}),
        ]),
        row(("boosts", "boosts"), json!(null), [
            json!([{"weight": 2, "value": {"curve": "log", "attribute": "n"}}]),
            json!([{"value": {"attribute": "n", "curve": "log"}, "weight": 2}]),
            json!([{"value": {"attribute": "n", "curve": "log"}, "weight": 2}]),
        ]),
        row(("attribute-weights", "attributeWeights"), json!(null), same(json!({"*_en": 0.5, "title": 3}))),
        row(("embedders", "embedders"), json!({}), same(json!({"own": {"source": "userProvided", "dimensions": 2}}))),
        row(("rerankers", "rerankers"), json!({}), [
            json!({"r": {"model": "m", "source": "cohere", "apiKey": "0123456789-secret"}}),
            json!({"r": {"source": "cohere", "model": "m", "apiKey": "01XXXX..."}}),
            json!({"r": {"source": "cohere", "model": "m", "apiKey": "01XXXX...",
                "documentTemplate": CHAT_TEMPLATE, "documentTemplateMaxBytes": 400}}),
        ]),
        row(("foreign-keys", "foreignKeys"), json!([]), same(json!([{"foreignIndexUid": "a b", "fieldName": "by.id"}]))),
        row(("chat", "chat"), chat("", json!({})),
            [chat_sent.clone(), chat_sent, chat("The sea", json!({"limit": 5, "sort": ["year:asc"]}))]),
    ]
}

/// A server where everything can be set.
fn server() -> TestServer {
    let server = TestServer::start(Setup::default());
    let features = json!({"chatCompletions": true, "foreignKeys": true});
    assert_eq!(server.call_json("PATCH /experimental-features", features).status, 200);
    server
}

fn read(server: &TestServer, index: &str, route: &str) -> Value {
    let answer = server.call(&format!("GET /indexes/{index}/settings/{route}"));
    assert_eq!(answer.status, 200, "{route}");
    answer.json()
}

/// Sends a value by the method the setting has; gives the task as it ended.
fn send(server: &TestServer, index: &str, route: &str, value: &Value) -> Value {
    let setting = Setting::ALL.iter().find(|s| s.route == route).expect("a setting");
    let line = match setting.change {
        ChangeKind::Replace => format!("PUT /indexes/{index}/settings/{route}"),
        ChangeKind::Merge => format!("PATCH /indexes/{index}/settings/{route}"),
    };
    let answer = server.call_json(&line, value.clone());
    assert_eq!(answer.status, 202, "{line} {value}: {}", answer.text());
    answer.task(server)
}

#[track_caller]
fn has_done(task: &Value, details: &Value) {
    assert_eq!(
        (&task["status"], &task["type"], &task["details"]),
        (&json!("succeeded"), &json!("settingsUpdate"), details),
        "{task}"
    );
}

fn reset_details(name: &str) -> Value {
    match name {
        "displayedAttributes" | "searchableAttributes" => json!(["*"]),
        _ => Value::Null,
    }
}

#[test]
fn every_setting_is_read_set_and_reset_on_its_own_route() {
    let server = server();
    let index = "settings-each";
    server.call_json("POST /indexes", json!({"uid": index})).task(&server);
    let rows = rows();
    let mut names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    names.sort_unstable();
    let mut expected: Vec<&str> = Setting::ALL.iter().map(|setting| setting.name).collect();
    expected.sort_unstable();
    assert_eq!(names, expected);

    for row in rows {
        assert_eq!(read(&server, index, row.route), row.default);
        let reset = json!({row.name: reset_details(row.name)});

        has_done(&send(&server, index, row.route, &row.sent), &json!({row.name: row.shown}));
        assert_eq!(read(&server, index, row.route), row.read, "{}", row.route);
        has_done(&send(&server, index, row.route, &Value::Null), &reset);
        assert_eq!(read(&server, index, row.route), row.default, "{}", row.route);

        send(&server, index, row.route, &row.sent);
        let line = format!("DELETE /indexes/{index}/settings/{route}", route = row.route);
        has_done(&server.call(&line).task(&server), &reset);
        assert_eq!(read(&server, index, row.route), row.default, "{}", row.route);
    }
}

#[test]
fn every_setting_is_set_and_reset_among_all() {
    let server = server();
    let line = |method: &str| format!("{method} /indexes/settings-among/settings");
    let change = |body: Value| server.call_json(&line("PATCH"), body).task(&server);
    change(json!({}));
    let defaults = server.call(&line("GET")).json();
    for row in rows() {
        has_done(&change(json!({row.name: row.sent})), &json!({row.name: row.shown}));
        let mut expected = defaults.clone();
        expected[row.name] = row.read;
        server.call(&line("GET")).is(200, expected);
        has_done(&change(json!({row.name: null})), &json!({row.name: reset_details(row.name)}));
        server.call(&line("GET")).is(200, defaults.clone());
    }
}

#[test]
fn all_settings_at_once() {
    let server = TestServer::shared();
    let line = |method: &str| format!("{method} /indexes/settings-all/settings");
    let (mut body, mut shown, mut read) = (json!({}), json!({}), json!({}));
    let mut defaults = json!({});
    let needs_feature = |name: &str| ["foreignKeys", "chat"].contains(&name);
    for row in rows().into_iter().filter(|row| !needs_feature(row.name)) {
        (body[row.name], shown[row.name], read[row.name]) = (row.sent, row.shown, row.read);
        if !is_own(row.name) {
            defaults[row.name] = row.default;
        }
    }

    server.call("GET /indexes/settings-all/settings").is_error(
        404,
        "index_not_found",
        "Index `settings-all` not found.",
    );
    let task = server.call_json("PATCH /indexes/settings-all/settings", body).task(&server);
    has_done(&task, &shown);
    server.call(&line("GET")).is(200, read);
    assert_eq!(
        members(&server.call(&line("GET")).json()),
        Setting::ALL
            .iter()
            .map(|setting| setting.name)
            .filter(|name| !needs_feature(name))
            .collect::<Vec<_>>()
    );

    // What is not named stays.
    server.call_json(&line("PATCH"), json!({"stopWords": null, "pagination": {}})).task(&server);
    let changed = server.call(&line("GET")).json();
    assert_eq!(changed["stopWords"], json!([]));
    assert_eq!(changed["pagination"], json!({"maxTotalHits": 1}));
    assert_eq!(changed["synonyms"], json!({"New York": ["nyc", "nyc"], "z": []}));

    let task = server.call("DELETE /indexes/settings-all/settings").task(&server);
    let all: serde_json::Map<_, _> = Setting::ALL
        .iter()
        .filter(|setting| !setting.is_own)
        .map(|setting| (setting.name.to_owned(), reset_details(setting.name)))
        .collect();
    has_done(&task, &Value::Object(all));
    server.call(&line("GET")).is(200, defaults);
}

#[test]
fn a_change_makes_the_index_and_a_reset_does_not() {
    let server = TestServer::shared();
    for (index, line, body) in [
        ("settings-new1", "PATCH /indexes/settings-new1/settings", json!({})),
        ("settings-new2", "PUT /indexes/settings-new2/settings/stop-words", json!(null)),
        ("settings-new3", "PATCH /indexes/settings-new3/settings/pagination", json!({})),
    ] {
        let task = server.call_json(line, body).task(&server);
        assert_eq!(task["status"], "succeeded", "{task}");
        assert_eq!(server.call(&format!("GET /indexes/{index}")).json()["primaryKey"], json!(null));
    }
    for line in [
        "DELETE /indexes/settings-none/settings",
        "DELETE /indexes/settings-none/settings/ranking-rules",
    ] {
        let task = server.call(line).task(&server);
        assert_eq!(task["status"], "failed");
        assert_eq!(task["error"]["code"], "index_not_found");
        assert_eq!(task["error"]["message"], "Index `settings-none` not found.");
    }
    assert_eq!(server.call("GET /indexes/settings-none").status, 404);
    let line = "GET /indexes/settings-none/settings/stop-words";
    server.call(line).is_error(404, "index_not_found", "Index `settings-none` not found.");
}

#[test]
fn members_merge_and_sizes_must_agree_with_those_stored() {
    let server = TestServer::shared();
    let index = "settings-merge";
    let route = "typo-tolerance";
    let mut expected = read_default(route);
    for (sent, changes) in [
        (json!({"enabled": false}), json!({"/enabled": false})),
        (
            json!({"minWordSizeForTypos": {"oneTypo": 3}}),
            json!({"/minWordSizeForTypos/oneTypo": 3}),
        ),
        (
            json!({"minWordSizeForTypos": {"twoTypos": 6}, "disableOnNumbers": true}),
            json!({"/minWordSizeForTypos/twoTypos": 6, "/disableOnNumbers": true}),
        ),
        (json!({"enabled": null}), json!({"/enabled": true})),
        (
            json!({"minWordSizeForTypos": {"oneTypo": null}}),
            json!({"/minWordSizeForTypos/oneTypo": 5}),
        ),
        (json!({"minWordSizeForTypos": null}), json!({"/minWordSizeForTypos/twoTypos": 9})),
    ] {
        has_done(&send(&server, index, route, &sent), &json!({"typoTolerance": sent}));
        for (pointer, value) in changes.as_object().unwrap() {
            *expected.pointer_mut(pointer).unwrap() = value.clone();
        }
        assert_eq!(read(&server, index, route), expected);
    }

    let sent = json!({"minWordSizeForTypos": {"oneTypo": 10}});
    let line = "PATCH /indexes/settings-merge/settings";
    let body = json!({"stopWords": ["a"], "typoTolerance": sent});
    let task = server.call_json(line, body.clone()).task(&server);
    assert_eq!((&task["status"], &task["details"]), (&json!("failed"), &body));
    assert_eq!(task["error"]["code"], "invalid_settings_typo_tolerance");
    assert_eq!(
        task["error"]["message"],
        "Index `settings-merge`: `minWordSizeForTypos` setting is invalid. `oneTypo` and \
         `twoTypos` fields should be between `0` and `255`, and `twoTypos` should be greater or \
         equals to `oneTypo` but found `oneTypo: 10` and twoTypos: 9`."
    );
    assert_eq!(read(&server, index, route), expected);
    assert_eq!(read(&server, index, "stop-words"), json!([]));

    let faceting = |value: Value| send(&server, index, "faceting", &value);
    faceting(json!({"maxValuesPerFacet": 2, "sortFacetValuesBy": {"a": "count"}}));
    faceting(json!({"sortFacetValuesBy": {"b": "count", "*": "count"}}));
    assert_eq!(
        read(&server, index, "faceting"),
        json!({"maxValuesPerFacet": 2, "sortFacetValuesBy": {"*": "count", "b": "count"}})
    );
}

fn read_default(route: &str) -> Value {
    rows().into_iter().find(|row| row.route == route).expect("a row").default
}

#[test]
fn tasks_that_wait_together_are_applied_in_their_order() {
    let server = TestServer::shared();
    let line = "/indexes/settings-batch/settings";
    server.with_documents("settings-batch", json!([{"id": 1}, {"id": 2}]));
    let last = [
        server.call_json(&format!("PUT {line}/stop-words"), json!(["a"])),
        server.call_json(&format!("PUT {line}/synonyms"), json!({"a": ["b"]})),
        server.call_json(&format!("PUT {line}/stop-words"), json!(["b"])),
        server.call("DELETE /indexes/settings-batch/documents"),
        server.call_json(&format!("PUT {line}/dictionary"), json!(["b"])),
    ]
    .map(|answer| answer.task(&server));
    assert!(last.iter().all(|task| task["status"] == "succeeded"), "{last:?}");
    assert_eq!(last[3]["details"], json!({"deletedDocuments": 2}));
    let settings = server.call("GET /indexes/settings-batch/settings").json();
    assert_eq!(settings["stopWords"], json!(["b"]));
    assert_eq!(settings["synonyms"], json!({"a": ["b"]}));
    assert_eq!(settings["dictionary"], json!(["b"]));
}

#[test]
fn features_are_needed_to_set_but_not_to_reset() {
    let server = TestServer::start(Setup::default());
    let not_enabled = |line: &str, body: Value, name: &str, feature: &str| {
        let part = format!(
            "setting `{name}` in the index settings requires enabling the `{feature}` experimental feature."
        );
        server.call_json(line, body).is_error_like(400, "feature_not_enabled", &part);
    };
    not_enabled("PATCH /indexes/a/settings/chat", json!({}), "chat", "chat completions");
    not_enabled("PATCH /indexes/a/settings", json!({"chat": {}}), "chat", "chat completions");
    not_enabled("PUT /indexes/a/settings/foreign-keys", json!([]), "foreignKeys", "foreign_keys");
    server.call_json("PATCH /indexes/a/settings/chat", json!(null)).task(&server);

    let features = json!({"chatCompletions": true, "foreignKeys": true});
    server.call_json("PATCH /experimental-features", features).json();
    let settings = server.call("GET /indexes/a/settings").json();
    let shown = Setting::ALL.iter().filter(|setting| !setting.is_own).map(|setting| setting.name);
    assert_eq!(members(&settings), shown.collect::<Vec<_>>());
}

#[test]
fn the_body_is_looked_at_before_the_name_of_the_index() {
    let server = TestServer::shared();
    let bad_value = "Invalid value type: expected an array, but found a positive integer: `1`";
    let line = "PUT /indexes/b@d/settings/stop-words";
    server.call_json(line, json!(1)).is_error(400, "invalid_settings_stop_words", bad_value);
    server.call_json(line, json!([])).is_error(
        400,
        "invalid_index_uid",
        &format!("`b@d` {INVALID_UID}"),
    );
    server.call("DELETE /indexes/b@d/settings").is_error(
        400,
        "invalid_index_uid",
        &format!("`b@d` {INVALID_UID}"),
    );
}
