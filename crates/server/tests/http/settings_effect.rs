//! Each setting changes the answer of some request once it is set, by its own route or among all,
//! and no longer once it is reset, by DELETE or null. Here: what is matched, ordered, counted and
//! shown; what concerns words stands apart.

use serde_json::{Value, json};
use settings::{ChangeKind, Setting};

use super::harness::{TestServer, change_settings, ids};
use super::settings_effect_words;

/// A value of a setting, and a request whose answer it changes.
pub struct Effect {
    setting: &'static str,
    value: Value,
    /// Other settings that the request needs; not this one, which is reset meanwhile.
    given: Value,
    route: &'static str,
    request: Value,
    /// The part of the answer that is looked at; none for the ids of the hits.
    part: Option<&'static str>,
    before: Value,
    after: Value,
}

impl Effect {
    pub fn of(setting: &'static str, value: Value) -> Self {
        Self {
            setting,
            value,
            given: json!({}),
            route: "search",
            request: json!({}),
            part: None,
            before: Value::Null,
            after: Value::Null,
        }
    }

    pub fn given(self, given: Value) -> Self {
        Self { given, ..self }
    }

    pub fn on(self, request: Value) -> Self {
        Self { request, ..self }
    }

    pub fn on_facet_search(self, request: Value) -> Self {
        Self { request, route: "facet-search", part: Some("/facetHits"), ..self }
    }

    pub fn at(self, part: &'static str) -> Self {
        Self { part: Some(part), ..self }
    }

    /// From one outcome to another: ids, the part of the answer, or the code of an error.
    pub fn changes(self, before: Value, after: Value) -> Self {
        Self { before, after, ..self }
    }

    fn outcome(&self, server: &TestServer, index: &str) -> Value {
        let line = format!("POST /indexes/{index}/{}", self.route);
        let answer = server.call_json(&line, self.request.clone());
        match (answer.status, self.part) {
            (200, Some(part)) => answer.json().pointer(part).cloned().unwrap_or_default(),
            (200, None) => json!(ids(&answer.json())),
            _ => answer.json()["code"].clone(),
        }
    }

    fn check(&self, server: &TestServer, index: &str) {
        let setting = Setting::named(self.setting).expect("a setting");
        let route = format!("/indexes/{index}/settings/{}", setting.route);
        let set = match setting.change {
            ChangeKind::Replace => format!("PUT {route}"),
            ChangeKind::Merge => format!("PATCH {route}"),
        };
        let done = |task: Value| assert_eq!(task["status"], "succeeded", "{task}");
        let seen = |expected: &Value, when: &str| {
            let (name, value, request) = (self.setting, &self.value, &self.request);
            let outcome = self.outcome(server, index);
            assert_eq!(&outcome, expected, "{name} {value} {when}, asked {request}");
        };
        change_settings(server, index, self.given.clone());
        seen(&self.before, "at first");
        done(server.call_json(&set, self.value.clone()).task(server));
        seen(&self.after, "set by its route");
        done(server.call(&format!("DELETE {route}")).task(server));
        seen(&self.before, "deleted");
        change_settings(server, index, json!({self.setting: self.value}));
        seen(&self.after, "set among all");
        change_settings(server, index, json!({self.setting: null}));
        seen(&self.before, "reset by null");
        done(server.call(&format!("DELETE /indexes/{index}/settings")).task(server));
    }
}

/// All of them on one index, one after the other.
pub fn check_all(index: &str, documents: Value, effects: &[Effect]) {
    let server = TestServer::shared();
    server.with_documents(index, documents);
    effects.iter().for_each(|effect| effect.check(&server, index));
}

fn shop() -> Value {
    json!([
        {"id": 1, "title": "Enamel mug", "price": 9.5, "color": "blue", "specs": {"ml": 300}, "seller": "Tinware"},
        {"id": 2, "title": "Steel flask", "price": 24, "color": "Green", "specs": {"ml": 750}, "seller": "Tinware"},
        {"id": 3, "title": "Glass carafe", "price": 18.25, "color": ["clear", "green"], "seller": "Hyalos"},
        {"id": 4, "title": "Clay cup", "price": 6, "color": "blue", "seller": "Red Earth", "note": "enamel inside"},
    ])
}

#[rustfmt::skip]
fn effects() -> Vec<Effect> {
    let rule = |pattern: &str, comparison: bool| json!([{"attributePatterns": [pattern],
        "features": {"facetSearch": true, "filter": {"equality": true, "comparison": comparison}}}]);
    let facets = |value: Value| Effect::of("faceting", value)
        .given(json!({"filterableAttributes": ["color"]})).on(json!({"facets": ["color"], "limit": 0})).at("/facetDistribution/color");
    let by_color = json!({"blue": 2, "clear": 1, "Green": 2});
    let enamel = json!({"q": "enamel"});
    vec![
        Effect::of("displayedAttributes", json!(["title", "specs.ml"]))
            .on(json!({"q": "mug"})).at("/hits/0")
            .changes(shop()[0].clone(), json!({"title": "Enamel mug", "specs": {"ml": 300}})),
        Effect::of("displayedAttributes", json!([])).on(json!({"q": "mug"})).at("/hits").changes(json!([shop()[0]]), json!([{}])),
        Effect::of("displayedAttributes", json!(["title"]))
            .on(json!({"q": "blue mug", "attributesToRetrieve": ["color"], "attributesToHighlight": ["*"]})).at("/hits/0")
            .changes(
                json!({"color": "blue", "_formatted": {"id": "1", "title": "Enamel <em>mug</em>", "price": "9.5",
                    "color": "<em>blue</em>", "specs": {"ml": "300"}, "seller": "Tinware"}}),
                json!({"_formatted": {"title": "Enamel <em>mug</em>"}})),
        Effect::of("searchableAttributes", json!(["title"])).on(enamel.clone()).changes(json!([1, 4]), json!([1])),
        // The order is that of their weights.
        Effect::of("searchableAttributes", json!(["note", "title"])).on(enamel.clone()).changes(json!([1, 4]), json!([4, 1])),
        Effect::of("searchableAttributes", json!(["specs"])).on(json!({"q": "300"})).changes(json!([1]), json!([1])),
        Effect::of("searchableAttributes", json!(["specs"])).on(enamel.clone()).changes(json!([1, 4]), json!([])),
        Effect::of("searchableAttributes", json!([])).on(enamel.clone()).changes(json!([1, 4]), json!([])),
        Effect::of("searchableAttributes", json!([])).on(json!({})).changes(json!([1, 2, 3, 4]), json!([1, 2, 3, 4])),
        Effect::of("filterableAttributes", json!(["price"]))
            .on(json!({"filter": "price > 10"})).changes(json!("invalid_search_filter"), json!([2, 3])),
        Effect::of("filterableAttributes", json!(["specs"]))
            .on(json!({"filter": "specs.ml > 300"})).changes(json!("invalid_search_filter"), json!([2])),
        Effect::of("filterableAttributes", rule("*rice", true))
            .on(json!({"filter": "price > 10"})).changes(json!("invalid_search_filter"), json!([2, 3])),
        Effect::of("filterableAttributes", rule("*rice", false))
            .on(json!({"filter": "price > 10"})).changes(json!("invalid_search_filter"), json!("invalid_search_filter")),
        Effect::of("filterableAttributes", rule("*rice", false))
            .on(json!({"filter": "price = 24"})).changes(json!("invalid_search_filter"), json!([2])),
        Effect::of("filterableAttributes", json!(["color"]))
            .on(json!({"facets": ["*"], "limit": 0})).at("/facetDistribution")
            .changes(json!("invalid_search_facets"), json!({"color": by_color})),
        Effect::of("filterableAttributes", json!(["color"]))
            .on_facet_search(json!({"facetName": "color", "facetQuery": "gre"}))
            .changes(json!("invalid_facet_search_facet_name"), json!([{"value": "Green", "count": 2}])),
        Effect::of("filterableAttributes", json!(["seller"]))
            .on(json!({"distinct": "seller"})).changes(json!("invalid_search_distinct"), json!([1, 3, 4])),
        Effect::of("sortableAttributes", json!(["price"]))
            .on(json!({"sort": ["price:desc"]})).changes(json!("invalid_search_sort"), json!([2, 3, 1, 4])),
        Effect::of("sortableAttributes", json!(["specs"]))
            .on(json!({"sort": ["specs.ml:desc"]})).changes(json!("invalid_search_sort"), json!([2, 1, 3, 4])),
        Effect::of("rankingRules", json!(["price:asc"])).on(json!({})).changes(json!([1, 2, 3, 4]), json!([4, 1, 3, 2])),
        Effect::of("rankingRules", json!(["specs.ml:desc", "words"])).on(json!({})).changes(json!([1, 2, 3, 4]), json!([2, 1, 3, 4])),
        Effect::of("rankingRules", json!([])).on(json!({"q": "enamel inside"})).changes(json!([4, 1]), json!([1, 4])),
        Effect::of("rankingRules", json!(["words"])).given(json!({"sortableAttributes": ["price"]}))
            .on(json!({"sort": ["price:desc"]})).changes(json!([2, 3, 1, 4]), json!("invalid_search_sort")),
        // The values are kept without any other setting that asks for them.
        Effect::of("boosts", json!([{"value": {"attribute": "price"}}])).given(json!({"rankingRules": ["boost"]}))
            .on(json!({})).changes(json!([1, 2, 3, 4]), json!([2, 3, 1, 4])),
        Effect::of("attributeWeights", json!({"note": 9})).given(json!({"rankingRules": ["bm25"], "searchableAttributes": ["title", "note"]}))
            .on(enamel.clone()).changes(json!([1, 4]), json!([4, 1])),
        Effect::of("distinctAttribute", json!("seller")).on(json!({})).changes(json!([1, 2, 3, 4]), json!([1, 3, 4])),
        Effect::of("distinctAttribute", json!("color")).on(json!({"hitsPerPage": 1})).at("/totalHits").changes(json!(4), json!(2)),
        facets(json!({"maxValuesPerFacet": 1})).changes(by_color.clone(), json!({"blue": 2})),
        facets(json!({"maxValuesPerFacet": 0})).changes(by_color.clone(), json!({})),
        facets(json!({"maxValuesPerFacet": 2, "sortFacetValuesBy": {"color": "count"}}))
            .changes(by_color.clone(), json!({"blue": 2, "Green": 2})),
        Effect::of("pagination", json!({"maxTotalHits": 2})).on(json!({"limit": 9})).changes(json!([1, 2, 3, 4]), json!([1, 2])),
        Effect::of("pagination", json!({"maxTotalHits": 2})).on(json!({"offset": 1})).changes(json!([2, 3, 4]), json!([2])),
        Effect::of("pagination", json!({"maxTotalHits": 2})).on(json!({"page": 2, "hitsPerPage": 2})).changes(json!([3, 4]), json!([])),
        Effect::of("facetSearch", json!(false)).given(json!({"filterableAttributes": ["color"]}))
           .on_facet_search(json!({"facetName": "color", "facetQuery": "c"}))
            .changes(json!([{"value": "clear", "count": 1}]), json!("facet_search_disabled")),
        // No time to rank: in the order of the index.
        Effect::of("searchCutoffMs", json!(0)).on(json!({"q": "enamel inside"})).changes(json!([4, 1]), json!([1, 4])),
        Effect::of("searchCutoffMs", json!(60_000)).on(json!({"q": "enamel inside"})).changes(json!([4, 1]), json!([4, 1])),
        // A provider that cannot be reached leaves the hits as they are.
        Effect::of("rerankers", json!({"r": {"source": "cohere", "model": "m", "url": "http://127.0.0.1:9/"}}))
            .on(json!({"q": "flask", "rerank": {"reranker": "r"}})).changes(json!("invalid_search_rerank"), json!([2])),
    ]
}

#[test]
fn settings_change_matching_order_facets_and_display() {
    check_all("effects", shop(), &effects());
}

#[test]
fn the_order_of_facet_values_is_set_by_name_and_for_the_rest() {
    let server = TestServer::shared();
    let index = "effects-order";
    server.with_documents(
        index,
        json!([
            {"id": 0, "tag": "pear", "n": 10}, {"id": 1, "tag": "apple", "n": 9},
            {"id": 2, "tag": "pear", "n": 2}, {"id": 3, "tag": "pear", "n": 2},
            {"id": 4, "tag": "fig", "n": 2}, {"id": 5, "tag": "fig", "n": 10},
        ]),
    );
    change_settings(&server, index, json!({"filterableAttributes": ["tag", "n"]}));
    let (alpha, count) = (["apple", "fig", "pear"], ["pear", "fig", "apple"]);
    let (numbers, counted) = (["10", "2", "9"], ["2", "10", "9"]);
    for (orders, tags, ns) in [
        (json!({}), alpha, numbers),
        (json!({"tag": "count"}), count, numbers),
        (json!({"*": "count"}), count, counted),
        (json!({"*": "count", "tag": "alpha"}), alpha, counted),
        // Only a lone star is for others than itself.
        (json!({"t*": "count", "n": "count"}), alpha, counted),
        (json!(null), alpha, numbers),
    ] {
        change_settings(&server, index, json!({"faceting": {"sortFacetValuesBy": orders}}));
        let line = format!("POST /indexes/{index}/search");
        let answer = server.call_json(&line, json!({"facets": ["*"], "limit": 0})).json();
        let order = |name: &str| -> Vec<String> {
            answer["facetDistribution"][name].as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(
            (order("tag"), order("n")),
            (tags.map(Into::into).into(), ns.map(Into::into).into()),
            "{orders}"
        );
    }
}

#[test]
fn every_setting_has_an_effect_that_is_checked() {
    // What is not available yet has none.
    let later = ["foreignKeys", "embedders", "chat"];
    let checked: Vec<&str> = effects()
        .iter()
        .chain(&settings_effect_words::effects())
        .filter(|effect| effect.before != effect.after)
        .map(|effect| effect.setting)
        .chain(later)
        .collect();
    for setting in Setting::ALL {
        assert!(checked.contains(&setting.name), "{}", setting.name);
    }
}
