//! Queries, fragments and composite embedders.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use embed::{Embedder, Input, Options, QueryInput};
use serde_json::{Map, Value, json};
use settings::{Distribution, Fragments, Rest, Source};
use template::OwnFields;

use crate::server::*;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn embed_query(embedder: &Embedder, query: QueryInput<'_>) -> Result<Vec<f32>, String> {
    embedder.embed_query(query, soon()).map_err(|error| error.to_string())
}

fn document(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("not an object: {other}"),
    }
}

#[test]
fn a_query_is_one_text() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let embedder = embedder(Source::Rest(simple_rest(&server))).unwrap();
    assert_eq!(embed_query(&embedder, query("ab")).unwrap(), [2.0, 195.0]);
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_query_fails_at_its_deadline() {
    let server = Server::start(|_, _| Reply::text(500, ""));
    let settings = plain(Source::Rest(simple_rest(&server)));
    let embedder = Embedder::new("e", &settings, &client(), None, &Options::default()).unwrap();
    let start = Instant::now();
    let error = embedder.embed_query(query("a"), start + Duration::from_millis(300)).unwrap_err();
    // With all its pauses it would take more than a minute.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    // The last attempt may be answered, or still be under way.
    let told = error.to_string();
    let answered = "runtime error: received internal error HTTP 500 from embedding server";
    let unanswered = "runtime error: could not reach embedding server:\n  - no answer within";
    assert!(told == answered || told.starts_with(unanswered), "{told}");

    let server = Server::start(|_, asked| simple_answer(asked).after(Duration::from_secs(60)));
    let settings = plain(Source::Rest(simple_rest(&server)));
    let embedder = Embedder::new("e", &settings, &client(), None, &Options::default()).unwrap();
    let start = Instant::now();
    embedder.embed_query(query("a"), start + Duration::from_millis(100)).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn queries_are_remembered_where_that_is_asked_for() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let settings = plain(Source::Rest(simple_rest(&server)));
    let options = Options { cached_queries: 2, ..options() };
    let embedder = Embedder::new("e", &settings, &client(), None, &options).unwrap();
    for (text, requests) in [("a", 1), ("a", 1), ("b", 2), ("a", 2), ("c", 3), ("a", 3), ("b", 4)] {
        assert_eq!(embed_query(&embedder, query(text)).unwrap()[0], 1.0);
        assert_eq!(server.asked().len(), requests, "after {text}");
    }
    let without = Embedder::new("e", &settings, &client(), None, &Options::default()).unwrap();
    for requests in [5, 6] {
        embed_query(&without, query("a")).unwrap();
        assert_eq!(server.asked().len(), requests);
    }
}

#[test]
fn vectors_of_users_cannot_be_build() {
    let embedder = embedder(Source::UserProvided { dimensions: 3 }).unwrap();
    assert!(embedder.is_user_provided());
    assert_eq!((embedder.name(), embedder.dimensions()), ("e", 3));
    let expected = "user error: attempt to embed the following text in a configuration where embeddings must be user provided:\n  - `sand dune`";
    assert_eq!(embed_query(&embedder, query("sand dune")).unwrap_err(), expected);
    assert_eq!(embed(&embedder, &texts(&["sand dune"])).unwrap_err(), expected);
    assert!(embedder.inputs_of(&document(json!({"a": 1})), &OwnFields).unwrap().is_empty());
    let media = json!({"a": 1});
    assert_eq!(
        embed_query(&embedder, QueryInput { q: None, media: Some(&media) }).unwrap_err(),
        "user error: `media` requested but the configuration doesn't have source `rest`"
    );
}

#[test]
fn a_distribution_that_is_set_counts() {
    let distribution = Distribution { mean: 0.5, sigma: 0.25 };
    let settings = settings::Embedder {
        source: Source::UserProvided { dimensions: 2 },
        distribution: Some(distribution),
        binary_quantized: true,
    };
    let embedder = Embedder::new("e", &settings, &client(), None, &options()).unwrap();
    assert_eq!(embedder.distribution(), Some(distribution));
    assert!(embedder.is_binary_quantized());
}

#[test]
fn documents_become_texts() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let mut settings = simple_rest(&server);
    settings.prompt.template = "Cafe {{doc.name}}".to_owned();
    settings.prompt.max_bytes = 8;
    let embedder = embedder(Source::Rest(settings)).unwrap();
    let inputs = |value| embedder.inputs_of(&document(value), &OwnFields);
    assert_eq!(inputs(json!({"name": "Blue"})).unwrap(), texts(&["Cafe Blu"]));
    assert!(inputs(json!({"city": "Lisbon"})).unwrap_err().to_string().contains("name"));
}

fn with_fragments(server: &Server) -> Rest {
    fn fragments<F: FromIterator<(String, Value)>>(pairs: [(&str, Value); 2]) -> F {
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
    Rest {
        request: json!({"input": "{{fragment}}"}),
        indexing_fragments: fragments([
            ("text", json!({"type": "text", "text": "A {{doc.breed}}"})),
            ("pic", json!({"image": "{{doc.url}}"})),
        ]),
        search_fragments: fragments([
            ("t", json!({"text": "{{q}}"})),
            ("m", json!(["{{media.image}}", 1, null])),
        ]),
        ..simple_rest(server)
    }
}

#[test]
fn fragments_that_a_document_has_are_embedded() {
    let server = Server::start(|_, _| Reply::ok(json!({"data": [1, 2]})));
    let embedder = embedder(Source::Rest(with_fragments(&server))).unwrap();
    let inputs = |value| embedder.inputs_of(&document(value), &OwnFields).unwrap();
    let text = Input::Fragment {
        name: "text".to_owned(),
        value: json!({"type": "text", "text": "A collie"}),
    };
    let pic = Input::Fragment { name: "pic".to_owned(), value: json!({"image": "x.png"}) };
    assert_eq!(inputs(json!({"breed": "collie"})), std::slice::from_ref(&text));
    assert_eq!(inputs(json!({"breed": "collie", "url": "x.png"})), [text, pic.clone()]);
    assert!(inputs(json!({"id": 1})).is_empty());
    embed(&embedder, &[pic]).unwrap();
    assert_eq!(server.asked()[0].body, json!({"input": {"image": "x.png"}}));
}

#[test]
fn a_query_matches_one_search_fragment() {
    let server = Server::start(|_, _| Reply::ok(json!({"data": [1, 2]})));
    let embedder = embedder(Source::Rest(with_fragments(&server))).unwrap();
    embed_query(&embedder, query("poodle")).unwrap();
    let media = json!({"image": "x.png"});
    embed_query(&embedder, QueryInput { q: None, media: Some(&media) }).unwrap();
    let bodies: Vec<Value> = server.asked().into_iter().map(|asked| asked.body).collect();
    assert_eq!(
        bodies,
        [json!({"input": {"text": "poodle"}}), json!({"input": ["x.png", 1, null]})]
    );
    assert_eq!(
        embed_query(&embedder, QueryInput { q: Some("poodle"), media: Some(&media) }).unwrap_err(),
        "user error: Query matches multiple search fragments.\n  - Note: First matched fragment `m`.\n  - Note: Second matched fragment `t`.\n  - Note: {\"q\":\"poodle\",\"media\":{\"image\":\"x.png\"}}"
    );
    assert_eq!(
        embed_query(&embedder, QueryInput { q: None, media: Some(&json!({})) }).unwrap_err(),
        "user error: Query matches no search fragment.\n  - Note: {\"q\":null,\"media\":{}}"
    );
}

#[test]
fn media_need_search_fragments() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let embedder = embedder(Source::Rest(simple_rest(&server))).unwrap();
    assert_eq!(
        embed_query(&embedder, QueryInput { q: Some("a"), media: Some(&json!({"a": 1})) })
            .unwrap_err(),
        "user error: `media` requested, and the configuration has source `rest`, but the configuration doesn't have `searchFragments`."
    );
}

#[test]
fn fragments_are_for_both_sides_and_need_dimensions() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let both = with_fragments(&server);
    let one = Rest { search_fragments: BTreeMap::new(), ..both.clone() };
    assert_eq!(
        embedder(Source::Rest(one)).unwrap_err(),
        "user error: inconsistent fragments: `searchFragments` is empty, but `indexingFragments` declares 2 fragments: pic, text\n - Hint: declare at least one fragment in `searchFragments` or remove fragments from `indexingFragments` by setting them to `null`"
    );
    let one = Rest { indexing_fragments: Fragments::default(), ..both.clone() };
    assert_eq!(
        embedder(Source::Rest(one)).unwrap_err(),
        "user error: inconsistent fragments: `indexingFragments` is empty, but `searchFragments` declares 2 fragments: m, t\n  - Hint: declare at least one fragment in `indexingFragments` or remove fragments from `searchFragments` by setting them to `null`"
    );
    assert_eq!(
        embedder(Source::Rest(Rest { dimensions: None, ..both.clone() })).unwrap_err(),
        "user error: cannot infer `dimensions` for an embedder using `indexingFragments`.\n  - Note: Specify `dimensions` explicitly or don't use `indexingFragments`."
    );
    let bad = Fragments::from_iter([("a".to_owned(), json!("{{doc.a"))]);
    let error = embedder(Source::Rest(Rest { indexing_fragments: bad, ..both })).unwrap_err();
    assert!(error.starts_with("user error: in `indexingFragments.a.value`: liquid: "), "{error}");
    assert!(server.asked().is_empty());
}

fn composite(search: Rest, indexing: Rest) -> Source {
    Source::Composite {
        search: Box::new(Source::Rest(search)),
        indexing: Box::new(Source::Rest(indexing)),
    }
}

#[test]
fn a_composite_embedder_has_two_sides_that_agree() {
    let search = Server::start(|_, asked| simple_answer(asked));
    let indexing = Server::start(|_, asked| simple_answer(asked));
    let source = composite(simple_rest(&search), simple_rest(&indexing));
    let both = embedder(source.clone()).unwrap();
    assert_eq!((search.asked().len(), indexing.asked().len()), (3, 3));
    embed_query(&both, query("a")).unwrap();
    embed(&both, &texts(&["a", "b"])).unwrap();
    assert_eq!((search.asked().len(), indexing.asked().len()), (4, 5));
    // Known from before: nobody is asked.
    Embedder::new("e", &plain(source), &client(), Some(2), &options()).unwrap();
    assert_eq!((search.asked().len(), indexing.asked().len()), (4, 5));
}

#[test]
fn sides_that_differ_are_refused() {
    let search = Server::start(|_, asked| simple_answer(asked));
    let other = Server::start(|_, _| Reply::ok(json!({"data": [1, -1]})));
    let error = embedder(composite(simple_rest(&search), simple_rest(&other))).unwrap_err();
    let expected = "user error: error while generating test embeddings.\n  - the embeddings produced at search time and indexing time are not similar enough.\n  - angular distance 0.8";
    assert!(error.starts_with(expected), "{error}");

    let broken = Server::start(|_, _| Reply::text(401, ""));
    assert_eq!(
        embedder(composite(simple_rest(&search), simple_rest(&broken))).unwrap_err(),
        "runtime error: error while generating test embeddings.\n  - could not generate test embedding with embedder at indexing time.\n  - Embedding failed with user error: could not authenticate against embedding server\n  - Hint: Check the `apiKey` parameter in the embedder configuration"
    );

    let asked = search.asked().len();
    let zero = Rest { dimensions: Some(0), ..simple_rest(&search) };
    assert_eq!(
        embedder(composite(zero, simple_rest(&other))).unwrap_err(),
        "user error: error while generating test embeddings.\n  - the dimensions of embeddings produced at search time and at indexing time don't match.\n  - Search time dimensions: 0\n  - Indexing time dimensions: 2\n  - Note: Dimensions of embeddings produced by both embedders are required to match."
    );
    assert_eq!(search.asked().len(), asked);
}

#[test]
fn sides_with_fragments_are_not_compared() {
    let search = Server::start(|_, _| Reply::ok(json!({"data": [1, 2]})));
    let indexing = Server::start(|_, _| Reply::ok(json!({"data": [2, 1]})));
    let source = composite(
        Rest { indexing_fragments: Fragments::default(), ..with_fragments(&search) },
        Rest { search_fragments: BTreeMap::new(), ..with_fragments(&indexing) },
    );
    let embedder = embedder(source).unwrap();
    embed_query(&embedder, query("a")).unwrap();
    assert_eq!((search.asked().len(), indexing.asked().len()), (1, 0));
}

#[test]
fn failure_modes_are_read() {
    let modes: embed::FailureModes =
        "ignore_embedder_failures, ignore_document_template_failures".parse().unwrap();
    assert!(modes.ignore_embedder_failures && modes.ignore_document_template_failures);
    assert_eq!("".parse(), Ok(embed::FailureModes::default()));
    assert!("ignore_everything".parse::<embed::FailureModes>().is_err());
}
