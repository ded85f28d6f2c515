//! Tests rerankers behind HTTP: the requests sent, the reading of answers, and missing answers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use embed::{RerankError, RerankLimits, Reranker};
use model::{Cancel, Secret};
use serde_json::{Value, json};
use settings::{HostedReranker, Prompt, RerankProvider, RerankerSource, RestReranker};
use template::OwnFields;

use crate::server::*;

fn reranker(source: RerankerSource) -> Reranker {
    let prompt = Prompt { template: "{{doc.title}}".to_owned(), max_bytes: 8 };
    let settings = settings::Reranker { source, prompt, timeout: None };
    Reranker::new(&settings, &client(), &options(), &Cancel::default()).unwrap()
}

fn hosted(server: &Server, provider: RerankProvider) -> Reranker {
    reranker(RerankerSource::Hosted(HostedReranker {
        provider,
        model: "m".to_owned(),
        api_key: Some(Secret::new("the-key-of-the-test".to_owned())),
        url: Some(server.url("/rerank")),
    }))
}

fn scores(reranker: &Reranker, texts: &[&str]) -> Result<Vec<f64>, RerankError> {
    scores_within(reranker, texts, Duration::from_secs(60))
}

fn scores_within(
    reranker: &Reranker,
    texts: &[&str],
    patience: Duration,
) -> Result<Vec<f64>, RerankError> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let wait = RerankLimits { deadline: Instant::now() + patience, cancel: &Cancel::default() };
    reranker.scores("sea", &texts, wait)
}

/// Scores by length, the last document first.
fn results(asked: &RecordedRequest) -> Value {
    let documents = asked.body["documents"].as_array().unwrap().iter().enumerate();
    let result = |(index, text): (usize, &Value)| json!({"index": index, "relevance_score": text.as_str().unwrap().len() as f64 / 8.0});
    Value::Array(documents.rev().map(result).collect())
}

#[test]
fn hosted_providers_are_asked_in_their_own_form() {
    for (provider, list, more) in [
        (RerankProvider::Cohere, "results", json!({})),
        (RerankProvider::Jina, "results", json!({"return_documents": false})),
        (RerankProvider::Voyage, "data", json!({"return_documents": false})),
    ] {
        let server = Server::start(move |_, asked| Reply::ok(json!({list: results(asked)})));
        let reranker = hosted(&server, provider);
        assert!(reranker.asks_a_provider());
        assert_eq!(scores(&reranker, &["a", "bcd"]).unwrap(), [0.125, 0.375]);
        let asked = &server.asked()[0];
        let mut expected = json!({"model": "m", "query": "sea", "documents": ["a", "bcd"]});
        expected.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(asked.body, expected);
        assert_eq!(asked.headers["authorization"], "Bearer the-key-of-the-test");
    }
}

#[test]
fn any_server_is_asked_as_the_settings_say() {
    let server = Server::start(|_, _| Reply::ok(json!({"scores": [1, 5]})));
    let reranker = reranker(RerankerSource::Rest(RestReranker {
        url: server.url("/score"),
        api_key: None,
        headers: BTreeMap::from([("x-own".to_owned(), "yes".to_owned())]),
        request: json!({"pairs": [["{{query}}", "{{text}}"], "{{..}}"]}),
        response: json!({"scores": ["{{score}}", "{{..}}"]}),
    }));
    assert_eq!(scores(&reranker, &["a", "b"]).unwrap(), [1.0, 5.0]);
    let asked = &server.asked()[0];
    assert_eq!(asked.body, json!({"pairs": [["sea", "a"], ["sea", "b"]]}));
    assert_eq!((asked.headers["x-own"].as_str(), asked.path.as_str()), ("yes", "/score"));
    let document = json!({"title": "two words more"});
    let text = reranker.text_of(document.as_object().unwrap(), &OwnFields).unwrap();
    assert_eq!(text, "two word");
    assert!(reranker.text_of(json!({}).as_object().unwrap(), &OwnFields).is_err());
}

fn failed(reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (RerankError, usize) {
    let server = Server::start(move |before, _| reply(before));
    let error = scores(&hosted(&server, RerankProvider::Cohere), &["a"]).unwrap_err();
    (error, server.asked().len())
}

#[test]
fn failures_are_told_apart() {
    let (error, asked) = failed(|_| Reply::text(401, "no: the-key-of-the-test"));
    assert_eq!(
        error.to_string(),
        "the reranking server did not accept the API key (HTTP 401): `no: XXX...`"
    );
    assert_eq!(asked, 1);
    let (error, asked) = failed(|_| Reply::text(400, "bad"));
    assert!(matches!(error, RerankError::Refused { status: 400, .. }), "{error}");
    assert_eq!(asked, 1);
    let (error, asked) = failed(|_| Reply::text(429, ""));
    assert!(matches!(error, RerankError::TooManyRequests { .. }), "{error}");
    assert_eq!(asked, 3);
    let (error, asked) = failed(|_| Reply::text(503, ""));
    assert!(matches!(error, RerankError::ServerError { status: 503, .. }), "{error}");
    assert_eq!(asked, 3);
    let (error, _) = failed(|_| Reply::ok(json!({"results": []})));
    assert!(error.to_string().contains("holds 0 scores for 1 documents"), "{error}");
    let (error, _) = failed(|_| Reply::text(200, "<html>"));
    assert!(matches!(error, RerankError::BadAnswer(_)), "{error}");
}

#[test]
fn a_server_that_stumbles_is_asked_again() {
    let server = Server::start(|before, asked| match before {
        0 => Reply::text(500, ""),
        _ => Reply::ok(json!({"results": results(asked)})),
    });
    let reranker = hosted(&server, RerankProvider::Cohere);
    assert_eq!(scores(&reranker, &["abcd"]).unwrap(), [0.5]);
}

#[test]
fn rerank_ends_at_the_deadline() {
    let slow = |_: usize, asked: &RecordedRequest| {
        Reply::ok(json!({"results": results(asked)})).after(Duration::from_secs(600))
    };
    let server = Server::start(slow);
    let reranker = hosted(&server, RerankProvider::Cohere);
    let late = scores_within(&reranker, &["a"], Duration::from_millis(50)).unwrap_err();
    assert_eq!(late, RerankError::Late);
    let texts = ["a".to_owned()];
    let wait = RerankLimits {
        deadline: Instant::now() + Duration::from_secs(600),
        cancel: &Cancel::default().or_when(|| true),
    };
    assert_eq!(reranker.scores("q", &texts, wait).unwrap_err(), RerankError::Stopped);
}
