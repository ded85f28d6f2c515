//! The sources `openAi` and `ollama`, each with the bodies of its API.

use embed::{Embedder, Options};
use model::Secret;
use serde_json::{Value, json};
use settings::{Ollama, OpenAi, Source};

use crate::server::*;

fn openai(server: &Server, model: &str) -> OpenAi {
    OpenAi {
        model: model.to_owned(),
        api_key: Some(Secret::new("not-a-real-key")),
        dimensions: None,
        url: Some(server.url("/v1/embeddings")),
        prompt: Default::default(),
    }
}

/// Answers like the API: a vector of the requested length, refusals for long texts.
fn openai_answer(asked: &RecordedRequest) -> Reply {
    let dimensions = asked.body["dimensions"].as_u64().unwrap_or(1536) as usize;
    let texts = asked.body["input"].as_array().unwrap();
    if texts.iter().any(|text| text.as_str().unwrap().len() > 50_000) {
        let message = "This model's maximum context length is 8192 tokens";
        return Reply::text(400, &json!({"error": {"message": message}}).to_string());
    }
    let items = texts.iter().enumerate().map(|(index, text)| {
        let mut vector = vec![0.0; dimensions];
        vector[0] = text.as_str().unwrap().len() as f64;
        json!({"object": "embedding", "index": index, "embedding": vector})
    });
    Reply::ok(json!({"object": "list", "data": items.collect::<Vec<Value>>()}))
}

#[test]
fn openai_is_sent_model_texts_and_dimensions() {
    let server = Server::start(|_, asked| openai_answer(asked));
    let mut settings = openai(&server, "text-embedding-3-large");
    settings.dimensions = Some(4);
    let embedder = embedder(Source::OpenAi(settings)).unwrap();
    assert_eq!(embedder.dimensions(), 4);
    let vectors = embed(&embedder, &texts(&["a", "bcd"])).unwrap();
    assert_eq!(vectors, [[1.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0]]);
    let asked = &server.asked()[0];
    assert_eq!(asked.headers["authorization"], "Bearer not-a-real-key");
    assert_eq!(
        asked.body,
        json!({"model": "text-embedding-3-large", "input": ["a", "bcd"], "dimensions": 4})
    );
}

#[test]
fn openai_models_are_known() {
    let server = Server::start(|_, asked| openai_answer(asked));
    for (model, dimensions, mean, sigma) in [
        ("text-embedding-ada-002", 1536, 0.90, 0.08),
        ("text-embedding-3-small", 1536, 0.75, 0.1),
        ("text-embedding-3-large", 3072, 0.70, 0.1),
    ] {
        let embedder = embedder(Source::OpenAi(openai(&server, model))).unwrap();
        assert_eq!(embedder.dimensions(), dimensions);
        let distribution = embedder.distribution().unwrap();
        assert_eq!((distribution.mean, distribution.sigma), (mean, sigma));
    }
    assert!(server.asked().is_empty());
}

#[test]
fn old_model_gets_no_dimensions() {
    let server = Server::start(|_, asked| openai_answer(asked));
    let mut settings = openai(&server, "text-embedding-ada-002");
    settings.dimensions = Some(1536);
    embed(&embedder(Source::OpenAi(settings)).unwrap(), &texts(&["a"])).unwrap();
    assert_eq!(server.asked()[0].body.get("dimensions"), None);
}

#[test]
fn the_key_may_come_from_the_environment() {
    let server = Server::start(|_, asked| openai_answer(asked));
    let mut settings = openai(&server, "text-embedding-3-small");
    settings.api_key = None;
    let options = Options { openai_api_key: Some(Secret::new("from-outside")), ..options() };
    let settings = plain(Source::OpenAi(settings));
    let embedder = Embedder::new("e", &settings, &client(), None, &options).unwrap();
    embed(&embedder, &texts(&["a"])).unwrap();
    assert_eq!(server.asked()[0].headers["authorization"], "Bearer from-outside");
}

#[test]
fn texts_that_are_too_long_are_cut_after_a_refusal() {
    let server = Server::start(|_, asked| openai_answer(asked));
    let embedder = embedder(Source::OpenAi(openai(&server, "text-embedding-3-small"))).unwrap();
    let long = "un été à 北京 ".repeat(8000);
    let vectors = embed(&embedder, &texts(&["short", &long])).unwrap();
    assert_eq!(vectors[0][0], 5.0);
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    let cut = asked[1].body["input"][1].as_str().unwrap();
    assert!(long.starts_with(cut) && cut.len() > 8191, "{} bytes", cut.len());
    let tokens = tiktoken_rs::cl100k_base_singleton().encode_ordinary(cut).len();
    assert!((8180..=8191).contains(&tokens), "{tokens} tokens");
    assert_eq!(asked[1].body["input"][0], "short");
}

#[test]
fn other_refusals_of_openai_are_final() {
    let server = Server::start(|_, _| Reply::text(400, "no such thing"));
    let embedder = embedder(Source::OpenAi(openai(&server, "text-embedding-3-small"))).unwrap();
    assert_eq!(
        embed(&embedder, &texts(&["a"])).unwrap_err(),
        "user error: sent a bad request to OpenAI server\n  - server replied with `no such thing`"
    );
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn requests_to_openai_hold_many_texts_but_not_too_many_bytes() {
    let server = Server::start(|_, asked| openai_answer(asked));
    let mut settings = openai(&server, "text-embedding-3-small");
    settings.dimensions = Some(1);
    let options = Options { concurrent_requests: 1, ..options() };
    let settings = plain(Source::OpenAi(settings));
    let embedder = Embedder::new("e", &settings, &client(), None, &options).unwrap();
    embed(&embedder, &texts(&["x"; 250])).unwrap();
    let long = "x".repeat(40_000);
    embed(&embedder, &texts(&[long.as_str(); 8])).unwrap();
    let sizes =
        server.asked().into_iter().map(|asked| asked.body["input"].as_array().unwrap().len());
    assert_eq!(sizes.collect::<Vec<_>>(), [100, 100, 50, 6, 2]);
}

fn ollama(url: String) -> Ollama {
    Ollama {
        model: "tiny".to_owned(),
        url: Some(url),
        api_key: None,
        dimensions: None,
        prompt: Default::default(),
    }
}

fn ollama_answer(asked: &RecordedRequest) -> Reply {
    assert_eq!(asked.body["model"], "tiny");
    match asked.path.as_str() {
        "/api/embeddings" => Reply::ok(json!({"embedding": vector(&asked.body["prompt"])})),
        "/api/embed" => {
            let texts = asked.body["input"].as_array().unwrap();
            let vectors: Vec<Value> = texts.iter().map(vector).collect();
            Reply::ok(json!({"model": "tiny", "embeddings": vectors}))
        }
        other => panic!("asked for {other}"),
    }
}

#[test]
fn ollama_has_two_routes() {
    for (path, requests) in [("/api/embeddings", 3), ("/api/embed", 1)] {
        let server = Server::start(|_, asked| ollama_answer(asked));
        let embedder = embedder(Source::Ollama(ollama(server.url(path)))).unwrap();
        assert_eq!(embedder.dimensions(), 2, "learnt with one more request");
        assert_eq!(embedder.distribution(), None);
        let vectors = embed(&embedder, &texts(&["a", "bc", "d"])).unwrap();
        assert_eq!(vectors, [[1.0, 97.0], [2.0, 197.0], [1.0, 100.0]]);
        assert_eq!(server.asked().len(), 1 + requests);
        assert!(!server.asked()[0].headers.contains_key("authorization"));
    }
}

#[test]
fn the_url_of_ollama_may_come_from_the_environment() {
    let server = Server::start(|_, asked| ollama_answer(asked));
    let settings = Ollama { url: None, dimensions: Some(2), ..ollama(String::new()) };
    let settings = plain(Source::Ollama(settings));
    let options = Options { ollama_url: Some(server.url("/api/embed")), ..options() };
    let embedder = Embedder::new("e", &settings, &client(), None, &options).unwrap();
    embed(&embedder, &texts(&["a"])).unwrap();
    assert_eq!(server.asked()[0].path, "/api/embed");
}

#[test]
fn other_urls_are_not_ollamas() {
    let url = "http://localhost:9/other";
    assert_eq!(
        embedder(Source::Ollama(ollama(url.to_owned()))).unwrap_err(),
        "user error: unsupported Ollama URL.\n  - For `ollama` sources, the URL must end with `/api/embed` or `/api/embeddings`\n  - Got `http://localhost:9/other`"
    );
}

#[test]
fn a_missing_model_has_to_be_pulled() {
    let server = Server::start(|_, _| Reply::text(404, "{\"error\":\"model 'tiny' not found\"}"));
    let settings = Ollama { dimensions: Some(2), ..ollama(server.url("/api/embed")) };
    let embedder = embedder(Source::Ollama(settings)).unwrap();
    assert_eq!(
        embed(&embedder, &texts(&["a"])).unwrap_err(),
        "user error: model not found. Models are not downloaded from the Ollama library automatically, please pull the model manually\n  - server replied with `{\"error\":\"model 'tiny' not found\"}`"
    );
}
