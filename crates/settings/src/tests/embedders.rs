//! Embedders beyond what was recorded: secrets, what nested ones take, what is read from them,
//! and what a change costs.

use model::features::{Feature, Features};
use model::{Code, ServiceError};
use serde_json::{Value, json};

use super::setting;
use crate::{
    Change, Embedder, EmbedderWork, OpenAiModel, Pooling, Settings, Source, embedder_work,
};

/// Returns the stored embedders after these changes, applied in order.
fn stored<const N: usize>(changes: [Value; N]) -> Value {
    try_stored(changes).expect("changes that fit")
}

fn try_stored<const N: usize>(changes: [Value; N]) -> Result<Value, ServiceError> {
    let setting = setting("embedders");
    changes
        .into_iter()
        .try_fold(Value::Null, |stored, change| Change::of_one(setting, change)?.apply(&stored))
}

fn read(stored: &Value) -> Value {
    setting("embedders").read(stored)
}

fn embedder(members: Value) -> Embedder {
    let stored = stored([json!({ "e": members })]);
    let mut embedders = Settings::from_stored(&stored).embedders;
    embedders.remove("e").expect("an embedder")
}

fn rest() -> Value {
    json!({ "source": "rest", "url": "http://localhost:9/", "request": "{{text}}",
        "response": "{{embedding}}", "dimensions": 2 })
}

/// The object with these members in place of its own.
fn with(mut base: Value, members: Value) -> Value {
    for (name, value) in members.as_object().expect("an object") {
        base[name] = value.clone();
    }
    base
}

fn composite(search: Value, indexing: Value) -> Value {
    json!({ "source": "composite", "searchEmbedder": search, "indexingEmbedder": indexing })
}

#[test]
fn secrets_are_nowhere_to_be_seen() {
    let key = "a-secret-that-nobody-may-read";
    let nested = with(
        rest(),
        json!({ "apiKey": key,
        "headers": { "Authorization": format!("Bearer {key}"), "Accept": "text/plain" } }),
    );
    let change = json!({
        "plain": with(nested.clone(), json!({ "headers": { "X-Api-Key": key, "x_auth_token": key,
            "Cookie": key, "X-Team": "sea" } })),
        "both": composite(nested.clone(), nested),
    });
    let change = Change::of_one(setting("embedders"), change).expect("a good value");
    let details = Value::Object(change.details());
    let debug = format!("{change:?}");
    let stored = change.apply(&Value::Null).expect("a change that fits");
    let typed = format!("{:?}", Settings::from_stored(&stored));
    let shown = read(&stored);
    for text in [details.to_string(), shown.to_string(), debug, typed] {
        assert!(!text.contains(key), "{text}");
    }
    assert!(stored.to_string().contains(key));
    for embedders in [&details["embedders"], &shown] {
        let nested = &embedders["both"]["indexingEmbedder"];
        assert_eq!(nested["apiKey"], "a-sXXXXX...");
        assert_eq!(nested["headers"]["Authorization"], "Bearer a-sXXXXX...");
        assert_eq!(nested["headers"]["Accept"], "text/plain");
        assert_eq!(embedders["plain"]["headers"]["X-Team"], "sea");
    }
}

#[test]
fn a_key_is_cut_between_characters() {
    let stored = stored([json!({ "e": { "apiKey": "aéééééééé" } })]);
    assert_eq!(read(&stored)["e"]["apiKey"], "aXXXX...");
}

#[test]
fn shown_settings_can_be_sent_back() {
    let key = "a-secret-that-nobody-may-read";
    let nested = with(
        rest(),
        json!({ "apiKey": key, "headers": { "Authorization": format!("Bearer {key}"), "X-Api-Key": "short",
            "Accept": "text/plain" } }),
    );
    let mut search = nested.clone();
    search["dimensions"] = json!(3);
    let first = stored([
        json!({ "plain": nested, "both": composite(search, nested), "short": { "apiKey": "k" } }),
    ]);
    let again = Change::of_one(setting("embedders"), read(&first)).expect("what was read");
    let again = again.apply_checked(&first).expect("a change that fits");
    assert_eq!(Settings::from_stored(&again), Settings::from_stored(&first));

    // Only the form in which the stored one is shown stands for it.
    let other = json!({ "short": { "apiKey": "a-sXXXXX..." }, "plain": { "headers": {
        "Authorization": "Bearer other", "X-Other-Key": "XXX..." } } });
    let other = Change::of_one(setting("embedders"), other).expect("a good value");
    let other = other.apply(&first).expect("a change that fits");
    assert_eq!(other["embedders"]["short"]["apiKey"], "a-sXXXXX...");
    assert_eq!(
        other["embedders"]["plain"]["headers"],
        json!({ "Authorization": "Bearer other", "X-Other-Key": "XXX..." })
    );
}

#[test]
fn a_mask_without_a_secret_behind_it_is_no_secret() {
    let key = "a-secret-that-nobody-may-read";
    let first = stored([
        json!({ "e": with(rest(), json!({ "apiKey": key, "headers": { "X-Api-Key": key } })) }),
    ]);
    let nested = composite(with(rest(), json!({ "apiKey": "XXX..." })), rest());
    for (change, member, sent) in [
        (json!({ "new": { "apiKey": "XXX..." } }), "new.apiKey", "XXX..."),
        (json!({ "e": { "apiKey": "ab-XXXXX..." } }), "e.apiKey", "ab-XXXXX..."),
        (
            json!({ "e": { "headers": { "X-Other-Key": "Bearer a-sXXXXX..." } } }),
            "e.headers.X-Other-Key",
            "Bearer a-sXXXXX...",
        ),
        (json!({ "both": nested }), "both.searchEmbedder.apiKey", "XXX..."),
    ] {
        let change = Change::of_one(setting("embedders"), change).expect("a good value");
        let error = change.clone().apply_checked(&first).expect_err(member);
        let begin = format!("`.embedders.{member}`: `{sent}` is how a secret is shown");
        assert!(error.message.starts_with(&begin), "{}", error.message);
        assert_eq!(error.code, Code::InvalidSettingsEmbedders);
        // What comes from elsewhere may hold one, and it may be sent back.
        let moved = change.apply(&first).expect("a change that fits");
        let again = Change::of_one(setting("embedders"), moved["embedders"].clone());
        let again = again.expect("a good value").apply_checked(&moved).expect(member);
        assert_eq!(again, moved);
    }
    let change = json!({ "e": { "apiKey": "a-sXXXXX...", "headers": { "Accept": "XXX..." } } });
    let change = Change::of_one(setting("embedders"), change).expect("a good value");
    let after = change.apply_checked(&first).expect("a change that fits");
    assert_eq!(after["embedders"]["e"]["apiKey"], key);
}

#[test]
fn features_are_asked_for_before_anything_else() {
    let needs = |members: Value, feature: Feature, tried: &str| {
        let change = Change::of_one(setting("embedders"), json!({ "e": members })).expect(tried);
        let mut features = Features::default();
        let refusal = change.check_whole(&features).expect_err(tried);
        assert_eq!(refusal.code, Code::FeatureNotEnabled);
        assert!(refusal.message.starts_with(&format!("{tried} requires")), "{}", refusal.message);
        features.set(feature, true);
        let further = change.check_whole(&features).map_err(|error| error.code);
        assert_ne!(further, Err(Code::FeatureNotEnabled));
    };
    let fragments = json!({ "a": { "value": "x" } });
    let composite_of = Feature::composite_embedders;
    needs(json!({ "source": "composite" }), composite_of, "using `\"composite\"` as source");
    needs(json!({ "searchEmbedder": {} }), composite_of, "setting `searchEmbedder`");
    needs(json!({ "indexingEmbedder": {} }), composite_of, "setting `indexingEmbedder`");
    needs(
        json!({ "indexingFragments": fragments }),
        Feature::multimodal,
        "setting `indexingFragments`",
    );
    needs(json!({ "searchFragments": {} }), Feature::multimodal, "setting `searchFragments`");

    // Taking them away needs nothing.
    let reset = json!({ "e": { "searchFragments": null, "indexingEmbedder": null }, "f": null });
    let change = Change::of_one(setting("embedders"), reset).expect("a good value");
    assert_eq!(change.check_whole(&Features::default()), Ok(()));
}

#[test]
fn each_source_takes_what_the_table_says() {
    const SOURCES: [&str; 6] =
        ["openAi", "huggingFace", "ollama", "rest", "userProvided", "composite"];
    // M mandatory, A allowed, - refused.
    let rows = [
        ("model", json!("text-embedding-3-large"), "AAM---"),
        ("revision", json!("r"), "-A----"),
        ("pooling", json!("forceCls"), "-A----"),
        ("apiKey", json!("k"), "A-AA--"),
        ("dimensions", json!(2), "A-AAM-"),
        ("url", json!("http://localhost/api/embed"), "A-AM--"),
        ("documentTemplate", json!("{{ doc.a }}"), "AAAA--"),
        ("documentTemplateMaxBytes", json!(7), "AAAA--"),
        ("request", json!("{{text}}"), "---M--"),
        ("response", json!("{{embedding}}"), "---M--"),
        ("headers", json!({ "a": "b" }), "---A--"),
        ("searchEmbedder", with(rest(), json!({})), "-----M"),
        ("indexingEmbedder", with(rest(), json!({})), "-----M"),
        ("distribution", json!({ "mean": 0.5, "sigma": 0.5 }), "AAAAAA"),
        ("binaryQuantized", json!(true), "AAAAAA"),
    ];
    for (column, source) in SOURCES.into_iter().enumerate() {
        let status = |row: &str| row.as_bytes()[column];
        let mut least = json!({ "source": source });
        for (name, value, row) in &rows {
            if status(row) == b'M' {
                least[*name] = value.clone();
            }
        }
        try_stored([json!({ "e": least })]).expect(source);
        for (name, value, row) in &rows {
            let case = format!("{name} of {source}");
            match status(row) {
                b'A' => {
                    let all = with(least.clone(), json!({ *name: value }));
                    let stored = try_stored([json!({ "e": all })]).expect(&case);
                    assert_eq!(stored["embedders"]["e"][*name], *value, "{case}");
                    let all = with(least.clone(), json!({ *name: null }));
                    try_stored([json!({ "e": all })]).expect(&case);
                }
                b'M' => {
                    let all = with(least.clone(), json!({ *name: null }));
                    let refusal = try_stored([json!({ "e": all })]).expect_err(&case);
                    assert!(refusal.message.contains(&format!("Missing field `{name}`")), "{case}");
                }
                _ => {
                    let all = with(least.clone(), json!({ *name: value }));
                    let refusal = try_stored([json!({ "e": all })]).expect_err(&case);
                    let expected = format!("Field `{name}` unavailable for source `{source}`.");
                    assert!(refusal.message.contains(&expected), "{case} {}", refusal.message);
                }
            }
        }
    }
}

#[test]
fn a_null_inside_of_a_request_is_part_of_it() {
    let request = json!({ "input": { "text": "{{text}}", "options": null } });
    let fragment = json!({ "value": { "a": null } });
    let odd = with(
        rest(),
        json!({ "request": request, "indexingFragments": { "f": fragment },
        "searchFragments": { "gone": null } }),
    );
    let stored = stored([json!({ "e": odd })]);
    let shown = &read(&stored)["e"];
    assert_eq!((&shown["request"], &shown["indexingFragments"]["f"]), (&request, &fragment));
    assert_eq!(shown["searchFragments"], json!({}));
}

#[test]
fn nested_embedders_merge_as_embedders_do() {
    let first = composite(
        with(rest(), json!({ "apiKey": "k" })),
        with(rest(), json!({ "documentTemplate": "{{ doc.a }}" })),
    );
    let stored = stored([
        json!({ "c": first }),
        json!({ "c": { "searchEmbedder": { "apiKey": null, "url": "http://localhost:8/" },
            "indexingEmbedder": { "source": "ollama", "model": "m" } } }),
    ]);
    let stored = &stored["embedders"]["c"];
    assert_eq!(stored["searchEmbedder"], with(rest(), json!({ "url": "http://localhost:8/" })));
    assert_eq!(
        stored["indexingEmbedder"],
        json!({ "source": "ollama", "model": "m", "documentTemplate": "{{ doc.a }}" })
    );
}

#[test]
fn mistakes_in_nested_embedders_are_found() {
    let zero = with(rest(), json!({ "dimensions": 0 }));
    for (members, is_immediate, message) in [
        (
            composite(with(rest(), json!({ "url": "x" })), rest()),
            true,
            "`.embedders.e.searchEmbedder.url`: could not parse `x`: relative URL without a base",
        ),
        (
            composite(rest(), json!({ "source": "openAi", "model": "m" })),
            true,
            "`.embedders.e.indexingEmbedder.model`: Invalid model `m` for OpenAI. Supported \
             models: [\"text-embedding-ada-002\", \"text-embedding-3-small\", \
             \"text-embedding-3-large\"]",
        ),
        (
            composite(rest(), with(rest(), json!({ "documentTemplateMaxBytes": 0 }))),
            false,
            "`.embedders.e.indexingEmbedder.documentTemplateMaxBytes`: \
             `documentTemplateMaxBytes` cannot be zero",
        ),
        (
            composite(zero.clone(), zero),
            false,
            "`.embedders.e.searchEmbedder.dimensions`: `dimensions` cannot be zero",
        ),
    ] {
        let value = json!({ "e": members });
        let change = Change::of_one(setting("embedders"), value).expect("a good shape");
        let mut features = Features::default();
        features.set(Feature::composite_embedders, true);
        let refusal = change.check_whole(&features);
        assert_eq!(refusal.is_err(), is_immediate, "{message}");
        let failure = change.apply(&Value::Null).expect_err(message);
        assert_eq!(failure.message, message);
        assert!(refusal.is_ok() || refusal == Err(failure));
    }
}

#[test]
fn quantised_is_for_ever_also_by_null() {
    let first = json!({ "e": with(rest(), json!({ "binaryQuantized": true })) });
    for value in [json!(false), json!(null)] {
        let then = json!({ "e": { "binaryQuantized": value } });
        let failure = try_stored([first.clone(), then]).expect_err("no way back");
        assert!(failure.message.starts_with("`.embedders.e.binaryQuantized`: Cannot disable"));
    }
    let other_source = json!({ "e": { "source": "userProvided", "dimensions": 2 } });
    let stored = stored([first, other_source, json!({ "e": null }), json!({ "e": rest() })]);
    assert_eq!(stored["embedders"]["e"], rest());
}

#[test]
fn the_number_of_embedders_is_that_after_the_change() {
    let many = |from: usize, to: usize| -> Value {
        let one = json!({ "source": "userProvided", "dimensions": 1 });
        (from..to).map(|i| (format!("e{i}"), one.clone())).collect::<serde_json::Map<_, _>>().into()
    };
    stored([many(0, 256), json!({ "e0": null, "f": rest() })]);
    let failure = try_stored([many(0, 200), many(200, 257)]).expect_err("too many");
    assert_eq!(
        failure.message,
        "Too many embedders in the configuration. Found 257, but limited to 256."
    );
}

#[test]
fn dimensions_of_openai_are_judged_by_the_stored_model() {
    let large = json!({ "source": "openAi", "model": "text-embedding-3-large" });
    stored([json!({ "e": large }), json!({ "e": { "dimensions": 3000 } })]);
    let failure = try_stored([json!({ "e": {} }), json!({ "e": { "dimensions": 3000 } })]);
    let failure = failure.expect_err("more than the default model has");
    assert_eq!(
        failure.message,
        "`.embedders.e.dimensions`: Model `text-embedding-3-small` does not support overriding \
         its dimensions to a value higher than 1536. Found 3000"
    );
}

#[test]
fn defaults_of_a_source_are_filled_in() {
    let Source::OpenAi(openai) = embedder(json!({})).source else { panic!("the usual source") };
    assert_eq!(openai.model, "text-embedding-3-small");
    assert_eq!((openai.dimensions, openai.url, openai.api_key), (None, None, None));
    assert_eq!(openai.prompt.max_bytes, 400);
    let usual = OpenAiModel::named("text-embedding-ada-002").map(|model| model.distribution);
    let ada = json!({ "model": "text-embedding-ada-002" });
    assert_eq!(embedder(ada.clone()).distribution(), usual);
    let openai = json!({ "source": "openAi" });
    let both = composite(openai.clone(), with(ada.clone(), openai));
    assert_eq!(embedder(both).distribution(), usual);
    let given = json!({ "distribution": { "mean": 0.5, "sigma": 0.25 } });
    let distribution = embedder(with(ada, given)).distribution().expect("one");
    assert_eq!((distribution.mean, distribution.sigma), (0.5, 0.25));

    let hugging_face = |members: Value| {
        let source = embedder(with(json!({ "source": "huggingFace" }), members)).source;
        let Source::HuggingFace(source) = source else { panic!("another source") };
        source
    };
    let usual = hugging_face(json!({}));
    assert_eq!((usual.model.as_str(), usual.pooling), ("BAAI/bge-base-en-v1.5", Pooling::UseModel));
    assert!(usual.revision.is_some());
    assert_eq!(hugging_face(json!({ "model": "m" })).revision, None);
    assert_eq!(hugging_face(json!({ "pooling": "forceMean" })).pooling, Pooling::ForceMean);

    let shown = read(&stored([json!({ "e": composite(rest(), rest()) })]));
    assert_eq!(shown["e"]["searchEmbedder"].get("documentTemplate"), None);
    assert_eq!(shown["e"]["indexingEmbedder"]["documentTemplateMaxBytes"], 400);
    assert_eq!(shown["e"]["searchEmbedder"]["headers"], json!({}));
}

#[test]
fn a_change_costs_no_more_than_it_must() {
    use EmbedderWork::{Embed, Nothing, Quantise, Render};
    let openai = json!({ "source": "openAi" });
    let local = json!({ "source": "huggingFace" });
    let ollama = json!({ "source": "ollama", "model": "m" });
    let own = json!({ "source": "userProvided", "dimensions": 2 });
    let fragments = json!({ "a": { "value": "{{ doc.a }}" } });
    let media = with(
        rest(),
        json!({ "request": "{{fragment}}", "indexingFragments": fragments,
        "searchFragments": fragments }),
    );
    let both = composite(rest(), rest());
    for (before, members, work) in [
        (&openai, json!({}), Nothing),
        (&openai, json!({ "apiKey": "k", "url": "http://localhost/" }), Nothing),
        (&openai, json!({ "distribution": { "mean": 0.5, "sigma": 0.5 } }), Nothing),
        (&openai, json!({ "documentTemplateMaxBytes": 399 }), Nothing),
        (&openai, json!({ "documentTemplateMaxBytes": 401 }), Render),
        (&openai, json!({ "documentTemplate": "x" }), Render),
        (&openai, json!({ "binaryQuantized": true, "apiKey": "k" }), Quantise),
        (&openai, json!({ "binaryQuantized": true, "documentTemplate": "x" }), Render),
        (&openai, json!({ "dimensions": 5 }), Embed),
        (&openai, json!({ "model": "text-embedding-3-large" }), Embed),
        (&openai, own.clone(), Embed),
        (&local, json!({ "pooling": "forceCls" }), Embed),
        (&local, json!({ "revision": "r" }), Embed),
        (&ollama, json!({ "dimensions": 5, "apiKey": "k" }), Nothing),
        (&ollama, json!({ "url": "http://localhost/api/embed" }), Embed),
        (&rest(), json!({ "headers": { "a": "b" }, "dimensions": null }), Nothing),
        (&rest(), json!({ "dimensions": 3 }), Embed),
        (&rest(), json!({ "request": { "a": "{{text}}" } }), Embed),
        (&rest(), json!({ "response": { "a": "{{embedding}}" } }), Embed),
        (&media, json!({ "searchFragments": { "b": { "value": "{{ q }}" } } }), Nothing),
        (&media, json!({ "indexingFragments": { "b": { "value": "{{ doc.b }}" } } }), Render),
        (&media, json!({ "documentTemplate": "x" }), Nothing),
        (&media, rest(), Embed),
        (&own, json!({ "dimensions": 3 }), Embed),
        (&both, json!({ "searchEmbedder": with(rest(), json!({ "url": "http://x/" })) }), Nothing),
        (&both, json!({ "indexingEmbedder": with(rest(), json!({ "url": "http://x/" })) }), Embed),
        (
            &both,
            json!({ "indexingEmbedder": with(rest(), json!({ "documentTemplate": "x" })) }),
            Render,
        ),
    ] {
        let stored_before = stored([json!({ "e": before })]);
        let removed = json!({ "indexingFragments": null, "searchFragments": null });
        let change = match (before == &media, members.get("source")) {
            (true, Some(_)) => with(members.clone(), removed),
            _ => members.clone(),
        };
        let change = Change::of_one(setting("embedders"), json!({ "e": change })).expect("a shape");
        let stored_after = change.apply(&stored_before).expect("a change that fits");
        let typed = |stored: &Value| Settings::from_stored(stored).embedders["e"].clone();
        let (old, new) = (typed(&stored_before), typed(&stored_after));
        assert_eq!(embedder_work(&old, &new), work, "{before} {members}");
    }
}

#[test]
fn templates_are_judged_before_members_are_missed() {
    let refused = |members: Value| {
        let change = Change::of_one(setting("embedders"), json!({ "e": members }));
        let refusal = change.expect("a good shape").check_whole(&Features::default());
        refusal.expect_err("a refusal")
    };
    let without_url = json!({ "source": "rest", "request": 42, "response": 42 });
    let refusal = refused(without_url.clone());
    assert_eq!(refusal.code, Code::VectorEmbeddingError);
    let begin =
        "Error while generating embeddings: user error: in `request`: \"{{text}}\" not found";
    assert!(refusal.message.starts_with(begin), "{}", refusal.message);
    let refusal = refused(with(without_url, json!({ "url": "kefir" })));
    assert_eq!(refusal.code, Code::InvalidSettingsEmbedders);
    assert_eq!(
        refusal.message,
        "`.embedders.e.url`: could not parse `kefir`: relative URL without a base"
    );
    let mut good = rest();
    good.as_object_mut().expect("an object").remove("url");
    let refusal = refused(good);
    assert_eq!(
        refusal.message,
        "`.embedders.e`: Missing field `url` (note: this field is mandatory for source `rest`)"
    );
}
