//! The table as a whole: what is stored, what is read from it, and what the program makes of it.

mod embedders;
mod recorded;
mod rerankers;

use std::collections::BTreeSet;
use std::time::Duration;

use model::Features;
use serde_json::{Value, json};
use text::{Language, StemLanguage, StopLanguage};

use crate::boosts::{Boost, Effect, Fall, FallCurve, Growth, Origin};
use crate::{
    Change, ChangeKind, Chat, ChatHybrid, ChatSearch, Embedder, FacetOrder, FilterFeatures,
    FilterableRule, ForeignKey, HostedReranker, MatchingStrategy, Precision, PrefixSearch, Prompt,
    RankingRule, RerankProvider, Reranker, RerankerSource, Setting, Settings, Source, Stemming,
};

/// Returns the stored settings after these bodies, applied in order.
fn stored<const N: usize>(bodies: [Value; N]) -> Value {
    let apply = |stored: Value, body: Value| {
        let change = Change::of_many(body).expect("a good body").into_value();
        Change::from_value(&change).apply(&stored).expect("a change that fits")
    };
    bodies.into_iter().fold(Value::Null, apply)
}

fn setting(name: &str) -> &'static Setting {
    Setting::named(name).expect("a setting")
}

#[test]
fn names_routes_and_codes_follow_one_pattern() {
    assert_eq!(Setting::ALL.len(), 26);
    let mut names = BTreeSet::new();
    for setting in Setting::ALL {
        assert!(names.insert(setting.name), "{} stands twice", setting.name);
        let mut kebab = String::new();
        for letter in setting.name.chars() {
            if letter.is_ascii_uppercase() {
                kebab.push('-');
            }
            kebab.push(letter.to_ascii_lowercase());
        }
        assert_eq!(setting.route, kebab);
        let code = match setting.name {
            "chat" => "invalid_settings_index_chat".to_owned(),
            _ => format!("invalid_settings_{}", kebab.replace('-', "_")),
        };
        assert_eq!(setting.code.name(), code);
        let merges = ["typoTolerance", "faceting", "pagination", "embedders", "rerankers", "chat"];
        assert_eq!(setting.change == ChangeKind::Merge, merges.contains(&setting.name));
    }
}

#[test]
fn lists_of_what_texts_are_cut_at_are_bounded() {
    for name in ["dictionary", "separatorTokens", "nonSeparatorTokens"] {
        let words = |count: usize| json!({ name: vec!["a"; count] });
        assert!(Change::of_many(words(100_000)).is_ok());
        let refused = Change::of_many(words(100_001)).unwrap_err();
        assert_eq!(refused.code, setting(name).code);
        assert!(refused.message.contains("100001 entries, and 100000 are the most"), "{refused}");
    }
}

#[test]
fn defaults_as_shown_are_defaults_as_used() {
    let mut shown = Setting::read_all(&Value::Null, &Features::default());
    assert_eq!(shown.len(), 20);
    // The words for "all" are no attributes.
    shown.retain(|name, _| !["displayedAttributes", "searchableAttributes"].contains(&&**name));
    assert_eq!(Settings::from_stored(&Value::Object(shown)), Settings::default());
    assert_eq!(Settings::from_stored(&Value::Null), Settings::default());
}

#[test]
fn defaults_have_types_and_values() {
    let settings = Settings::default();
    assert_eq!((settings.displayed_attributes, settings.searchable_attributes), (None, None));
    let rules = settings.ranking_rules.iter().map(RankingRule::name).collect::<Vec<_>>();
    let usual =
        ["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"];
    assert_eq!(rules, usual);
    assert_eq!((settings.max_total_hits, settings.search_cutoff_ms), (1000, 1500));
    assert_eq!(settings.proximity_precision, Precision::ByWord);
    assert_eq!(settings.prefix_search, PrefixSearch::IndexingTime);
    assert!(settings.facet_search);
    let typos = settings.typo_tolerance;
    assert_eq!((typos.enabled, typos.one_typo, typos.two_typos), (true, 5, 9));
    assert!(!typos.disable_on_numbers);
    assert_eq!(settings.faceting.max_values_per_facet, 100);
    assert_eq!(settings.faceting.order, FacetOrder::Alpha);
    assert!(settings.faceting.orders.is_empty());
    assert_eq!((settings.stemming, settings.distinct_attribute), (None, None));
    assert_eq!(settings.chat, Chat::default());
}

#[test]
fn names_of_rules_and_words_are_parsed_back() {
    for (rule, _) in RankingRule::NAMED {
        assert_eq!(RankingRule::parse(&rule.name()).as_ref(), Some(rule));
    }
    assert_eq!(RankingRule::Asc("a:b".to_owned()).name(), "a:b:asc");
    for (place, name) in MatchingStrategy::NAMES.iter().enumerate() {
        let word = MatchingStrategy::named(name).expect(name);
        assert_eq!((word as usize, word.name()), (place, *name));
    }
}

#[test]
fn defaults_are_acceptable_values() {
    for setting in Setting::ALL {
        let default = (setting.default)();
        let change = Change::of_one(setting, default.clone()).expect(setting.name);
        let stored = change.apply(&Value::Null).expect(setting.name);
        assert_eq!(setting.read(&stored), default);
    }
}

fn expected_boosts() -> Vec<Boost> {
    let fall = |curve, scale, offset, decay| Fall { curve, scale, offset, decay };
    let boost = |effect, weight| Boost { effect, weight };
    let decay = |attribute: &str, origin, fall| {
        boost(Effect::Decay { attribute: attribute.to_owned(), origin, fall }, 1.0)
    };
    let value = Effect::Value { attribute: "n".to_owned(), growth: Growth::Log, max: Some(9.0) };
    let near = Effect::Near { lat: 1.0, lng: 2.0, fall: fall(FallCurve::Exp, 100.0, 0.0, 0.5) };
    vec![
        boost(Effect::Filter(json!(["a = 1"])), 2.0),
        decay("at", Origin::Now, fall(FallCurve::Gauss, 7200.0, 60.0, 0.5)),
        // A scale that is a duration makes a time of the origin.
        decay("at", Origin::Time(86_400.0), fall(FallCurve::Exp, 86_400.0, 0.0, 0.1)),
        decay("n", Origin::Number(5.0), fall(FallCurve::Linear, 2.0, 0.0, 0.5)),
        boost(value, 1.0),
        boost(near, 0.5),
    ]
}

#[test]
fn stored_settings_are_used() {
    let stored = stored([json!({
        "displayedAttributes": ["a"],
        "searchableAttributes": ["b", "a", "b"],
        "filterableAttributes": ["a", {"attributePatterns": ["b*"], "features": {"facetSearch": true}}],
        "sortableAttributes": ["c"],
        "rankingRules": ["typo", "bm25", "boost", "x:y:asc", ":desc"],
        "stopWords": {"languages": ["fra", "en"], "words": ["the"]},
        "separatorTokens": ["|"],
        "nonSeparatorTokens": ["#"],
        "dictionary": ["J. R."],
        "synonyms": {"a": ["b"]},
        "distinctAttribute": "sku",
        "proximityPrecision": "byAttribute",
        "typoTolerance": {"minWordSizeForTypos": {"oneTypo": 3}, "disableOnWords": ["É"]},
        "faceting": {"sortFacetValuesBy": {"a": "count"}},
        "pagination": {"maxTotalHits": 7},
        "searchCutoffMs": 0,
        "localizedAttributes": [{"attributePatterns": ["*_fr"], "locales": ["fr"]}],
        "facetSearch": false,
        "prefixSearch": "disabled",
        "stemming": {"attributes": ["t*"], "languages": ["fra", "auto", "de"], "exceptions": {"É": "F"}},
        "boosts": [
            {"filter": ["a = 1"], "weight": 2},
            {"decay": {"attribute": "at", "origin": "now", "scale": "2h", "offset": 60, "curve": "gauss"}},
            {"decay": {"attribute": "at", "origin": 86_400, "scale": "1d", "decay": 0.1}},
            {"decay": {"attribute": "n", "origin": 5, "scale": 2, "curve": "linear"}},
            {"value": {"attribute": "n", "curve": "log", "max": 9}},
            {"near": {"_geo": {"lat": 1, "lng": 2}, "scale": 100}, "weight": 0.5},
        ],
        "attributeWeights": {"a": 3, "b*": 0.5},
        "embedders": {"e": {"source": "userProvided", "dimensions": 2}},
        "rerankers": {"r": {"source": "jina", "model": "m", "timeoutMs": 250}},
        "foreignKeys": [{"foreignIndexUid": "authors", "fieldName": "by"}],
        "chat": {
            "description": "books",
            "documentTemplate": "{{ doc.title }}",
            "searchParameters": {
                "hybrid": {"embedder": "e"},
                "limit": 3,
                "sort": ["year:asc"],
                "distinct": "sku",
                "matchingStrategy": "frequency",
                "attributesToSearchOn": ["title"],
                "rankingScoreThreshold": 0.25,
            },
        },
    })]);
    let settings = Settings::from_stored(&stored);
    let set = |word: &str| BTreeSet::from([word.to_owned()]);
    let mut expected = Settings {
        displayed_attributes: Some(vec!["a".to_owned()]),
        searchable_attributes: Some(vec!["b".to_owned(), "a".to_owned()]),
        filterable_attributes: vec![
            FilterableRule::Attribute("a".to_owned()),
            FilterableRule::Patterns {
                attribute_patterns: vec!["b*".to_owned()],
                features: FilterFeatures { facet_search: true, ..FilterFeatures::default() },
            },
        ],
        sortable_attributes: set("c"),
        ranking_rules: vec![
            RankingRule::Typo,
            RankingRule::Bm25,
            RankingRule::Boost,
            RankingRule::Asc("x:y".to_owned()),
            RankingRule::Desc(String::new()),
        ],
        distinct_attribute: Some("sku".to_owned()),
        proximity_precision: Precision::ByAttribute,
        max_total_hits: 7,
        search_cutoff_ms: 0,
        facet_search: false,
        prefix_search: PrefixSearch::Disabled,
        stemming: Some(Stemming {
            attributes: vec!["t*".to_owned()],
            languages: ["de", "fr"].map(|code| StemLanguage::parse(code).unwrap()).to_vec(),
            is_auto: true,
            exceptions: [("e".to_owned(), "f".to_owned())].into_iter().collect(),
        }),
        boosts: expected_boosts(),
        attribute_weights: [("a".to_owned(), 3.0), ("b*".to_owned(), 0.5)].into(),
        ..Settings::default()
    };
    expected.words.stop_words = set("the");
    expected.words.stop_languages =
        ["en", "fr"].map(|code| StopLanguage::parse(code).unwrap()).into();
    expected.words.separators = set("|");
    expected.words.non_separators = set("#");
    expected.words.dictionary = set("J. R.");
    expected.synonyms.insert("a".to_owned(), vec!["b".to_owned()]);
    expected.typo_tolerance.one_typo = 3;
    expected.typo_tolerance.disable_on_words = set("e");
    expected.faceting.orders.insert("a".to_owned(), FacetOrder::Count);
    expected.localized_attributes = settings.localized_attributes.clone();
    let source = Source::UserProvided { dimensions: 2 };
    let embedder = Embedder { source, distribution: None, binary_quantized: false };
    expected.embedders.insert("e".to_owned(), embedder);
    let hosted = HostedReranker {
        provider: RerankProvider::Jina,
        model: "m".to_owned(),
        api_key: None,
        url: None,
    };
    let reranker = Reranker {
        source: RerankerSource::Hosted(hosted),
        prompt: Prompt::default(),
        timeout: Some(Duration::from_millis(250)),
    };
    expected.rerankers.insert("r".to_owned(), reranker);
    expected.foreign_keys =
        vec![ForeignKey { foreign_index_uid: "authors".to_owned(), field_name: "by".to_owned() }];
    expected.chat = Chat {
        description: "books".to_owned(),
        prompt: Prompt { template: "{{ doc.title }}".to_owned(), max_bytes: 400 },
        search: ChatSearch {
            hybrid: Some(ChatHybrid { embedder: "e".to_owned(), semantic_ratio: 0.5 }),
            limit: Some(3),
            sort: Some(vec!["year:asc".to_owned()]),
            distinct: Some("sku".to_owned()),
            matching_strategy: Some(MatchingStrategy::Frequency),
            attributes_to_search_on: Some(vec!["title".to_owned()]),
            ranking_score_threshold: Some(0.25),
        },
    };
    assert_eq!(settings, expected);
    assert_eq!(settings.languages_of("title_fr"), [Language::Fra]);
    assert_eq!(settings.languages_of("title"), []);
}

#[test]
fn a_damaged_store_reads_as_not_set() {
    let odd = [json!(-1), json!(1.5), json!("x"), json!([[]]), json!([{}]), json!({"": {"": []}})];
    for odd in odd {
        Settings::from_stored(&odd);
        for setting in Setting::ALL {
            let stored = json!({setting.name: odd, "synonyms": {"a": ["b"]}});
            setting.read(&stored);
            let settings = Settings::from_stored(&stored);
            assert!(setting.name == "synonyms" || settings.synonyms.len() == 1);
            let change = Change::of_many(json!({"stopWords": ["a"]})).expect("a good body");
            change.apply(&stored).expect("the rest can be changed");
        }
    }
}

#[test]
fn stop_words_are_kept_decomposed_with_their_case() {
    let stop_words = |words: Value| stored([json!({"stopWords": words})])["stopWords"].clone();
    assert_eq!(
        stop_words(json!(["the", "The", "OF", "à", "a", "Straße", "a"])),
        json!(["OF", "Straße", "The", "a", "a\u{300}", "the"])
    );
    assert_eq!(
        stop_words(json!(["", " ", "two words", "É"])),
        json!(["", " ", "E\u{301}", "two words"])
    );
    assert_eq!(
        stop_words(json!({"words": ["b", "à"], "languages": ["fr", "de"]})),
        json!({"languages": ["fr", "de"], "words": ["a\u{300}", "b"]})
    );
    assert_eq!(stop_words(json!({"languages": [], "words": null})), json!({"languages": []}));
    // The same words in another form need no words of documents anew.
    let words = |stop_words: Value| {
        Settings::from_stored(&stored([json!({"stopWords": stop_words})])).words
    };
    assert_eq!(words(json!({"words": ["a"]})), words(json!(["a"])));
}

#[test]
fn a_star_among_attributes_means_all_of_them() {
    for name in ["displayedAttributes", "searchableAttributes"] {
        let stored = stored([json!({name: ["a"]}), json!({name: ["b", "*"]})]);
        assert_eq!(stored, json!({}));
        assert_eq!(setting(name).read(&stored), json!(["*"]));
    }
}

/// Elsewhere a star is a letter as any other.
#[test]
fn stars_are_patterns_where_there_are_patterns() {
    let patterns = ["title*", "*_fr", "*mid*", "one*two", "plain"];
    let settings = Settings::from_stored(&stored([json!({
        "filterableAttributes": [{"attributePatterns": patterns}, "*", "a*"],
        "localizedAttributes": [{"attributePatterns": patterns, "locales": ["fr"]},
            {"attributePatterns": ["*"], "locales": ["en"]}],
        "sortableAttributes": ["*", "b*"],
        "typoTolerance": {"disableOnAttributes": ["*"]},
        "distinctAttribute": "c*",
        "rankingRules": ["d*:asc"],
        "faceting": {"sortFacetValuesBy": {"*": "count", "e*": "alpha"}},
    })]));
    for (name, is_matched) in [
        ("title", true),
        ("title.en", true),
        ("name_fr", true),
        ("amidst", true),
        ("one*two", true),
        ("plain", true),
        ("one or two", false),
        ("plain.x", false),
        ("title_", true),
        ("x", false),
        ("ab", false),
        ("", false),
    ] {
        assert_eq!(settings.filterable_rule(name).is_some(), is_matched, "{name}");
        let languages = if is_matched { [Language::Fra] } else { [Language::Eng] };
        assert_eq!(settings.languages_of(name), languages, "{name}");
    }
    // As names they are for what they contain, too.
    for name in ["*", "*.x", "a*", "a*.x"] {
        assert!(settings.filterable_rule(name).is_some(), "{name}");
    }
    for (name, is_sortable) in [("*", true), ("*.x", true), ("b*", true), ("b", false)] {
        assert_eq!(settings.is_sortable(name), is_sortable, "{name}");
    }
    for (name, has_column) in [("c*", true), ("c", false), ("d*", true), ("dd", false)] {
        assert_eq!(settings.needs_column(name), has_column, "{name}");
    }
    assert_eq!(settings.faceting.order, FacetOrder::Count);
    assert_eq!(settings.faceting.orders.keys().collect::<Vec<_>>(), ["e*"]);
    assert_eq!(settings.typo_tolerance.disable_on_attributes, BTreeSet::from(["*".to_owned()]));
}

#[test]
fn members_are_laid_over_those_stored() {
    let typo_tolerance = stored([
        json!({"typoTolerance": {"enabled": false, "minWordSizeForTypos": {"oneTypo": 3}}}),
        json!({"typoTolerance": {"minWordSizeForTypos": {"twoTypos": 4}, "enabled": null}}),
        json!({"typoTolerance": {}}),
    ]);
    let sizes = json!({"minWordSizeForTypos": {"oneTypo": 3, "twoTypos": 4}});
    assert_eq!(typo_tolerance, json!({"typoTolerance": sizes}));
    // The order of facet values is replaced as a whole.
    let faceting = stored([
        json!({"faceting": {"maxValuesPerFacet": 1, "sortFacetValuesBy": {"a": "count"}}}),
        json!({"faceting": {"sortFacetValuesBy": {"b": "count"}}}),
    ]);
    let expected = json!({"maxValuesPerFacet": 1, "sortFacetValuesBy": {"b": "count"}});
    assert_eq!(faceting, json!({"faceting": expected}));
    assert_eq!(stored([json!({"faceting": {}}), json!({"faceting": null})]), json!({}));
}

#[test]
fn sizes_that_do_not_agree_with_stored_ones_are_refused() {
    let before = stored([json!({"typoTolerance": {"minWordSizeForTypos": {"twoTypos": 6}}})]);
    for (sizes, fits) in [
        (json!({"oneTypo": 6}), true),
        (json!({"oneTypo": 7}), false),
        (json!({"oneTypo": 7, "twoTypos": null}), true),
        (json!({"twoTypos": 4}), false),
    ] {
        let body = json!({"typoTolerance": {"minWordSizeForTypos": sizes}});
        let change = Change::of_many(body).expect("a good body");
        assert_eq!(change.apply(&before).is_ok(), fits, "{sizes}");
    }
}

#[test]
fn settings_require_their_feature_except_for_resets() {
    for (name, value, words) in
        [("chat", json!({}), "chat completions"), ("foreignKeys", json!([]), "foreign_keys")]
    {
        let setting = setting(name);
        let change = Change::of_one(setting, value).expect(name);
        let mut features = Features::default();
        let refusal = change.check_whole(&features).expect_err(name);
        let expected = format!(
            "setting `{name}` in the index settings requires enabling the `{words}` experimental feature."
        );
        assert!(refusal.message.starts_with(&expected), "{}", refusal.message);
        assert_eq!(Change::reset(setting).check_whole(&features), Ok(()));
        features.set(setting.feature.expect(name), true);
        assert_eq!(change.check_whole(&features), Ok(()));
        assert!(Setting::read_all(&Value::Null, &features).contains_key(name));
    }
}

#[test]
fn details_show_what_was_sent_in_the_order_of_the_table() {
    let body = json!({"synonyms": {"b": [], "a": []}, "stopWords": ["b", "a"], "searchableAttributes": null});
    let details = Change::of_many(body).expect("a good body").details();
    assert_eq!(
        Value::Object(details).to_string(),
        r#"{"searchableAttributes":["*"],"stopWords":["a","b"],"synonyms":{"a":[],"b":[]}}"#
    );
}
