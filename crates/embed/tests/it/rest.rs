//! Tests providers of the source `rest`: the requests sent and the reading of answers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use embed::{EmbedCallbacks, Embedder, ErrorOrigin, Options, Requests};
use model::{Cancel, Secret};
use serde_json::json;
use settings::{Rest, Source};

use crate::server::*;

#[test]
fn one_text_is_one_request() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let mut settings = simple_rest(&server);
    settings.api_key = Some(Secret::new("key-of-the-embedder"));
    settings.headers = BTreeMap::from([("X-Team".to_owned(), "sea".to_owned())]);
    let embedder = embedder(Source::Rest(settings)).unwrap();
    assert_eq!(embed(&embedder, &texts(&["a", "bc"])).unwrap(), [[1.0, 97.0], [2.0, 197.0]]);
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    for asked in &asked {
        assert_eq!(asked.path, "/embed");
        assert_eq!(asked.headers["content-type"], "application/json");
        assert_eq!(asked.headers["authorization"], "Bearer key-of-the-embedder");
        assert_eq!(asked.headers["x-team"], "sea");
    }
}

#[test]
fn own_headers_win() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let mut settings = simple_rest(&server);
    settings.api_key = Some(Secret::new("key"));
    settings.headers = BTreeMap::from([("authorization".to_owned(), "Basic xyz".to_owned())]);
    embed(&embedder(Source::Rest(settings)).unwrap(), &texts(&["a"])).unwrap();
    assert_eq!(server.asked()[0].headers["authorization"], "Basic xyz");
}

fn batches(server: &Server) -> Rest {
    let request = json!({"in": [{"t": "{{text}}"}, "{{..}}"]});
    rest(server.url("/"), request, json!({"out": [{"v": "{{embedding}}"}, "{{..}}"]}))
}

fn batch_answer(asked: &RecordedRequest) -> Reply {
    let items = asked.body["in"].as_array().unwrap();
    let items: Vec<_> = items.iter().map(|item| json!({"v": vector(&item["t"])})).collect();
    Reply::ok(json!({"out": items}))
}

fn many(count: usize) -> Vec<embed::Input> {
    (0..count).map(|i| embed::Input::Text("x".repeat(i + 1))).collect()
}

#[test]
fn ten_texts_are_one_request_and_vectors_keep_their_order() {
    // The first requests take longest, so answers come in another order.
    let server = Server::start(|before, asked| {
        batch_answer(asked).after(Duration::from_millis(40_u64.saturating_sub(8 * before as u64)))
    });
    let options = Options { concurrent_requests: 3, ..options() };
    let settings = plain(Source::Rest(batches(&server)));
    let embedder = Embedder::new("e", &settings, &client(), None, &options).unwrap();
    let done = AtomicUsize::new(0);
    let requests = Requests::default();
    let callbacks = EmbedCallbacks {
        on_progress: &|count| {
            done.fetch_add(count, Ordering::Relaxed);
        },
        cancel: &Cancel::default(),
        requests: &requests,
    };
    let vectors = embedder.embed_documents(&many(55), &callbacks).unwrap();
    let lengths: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
    assert_eq!(lengths, (1..=55).map(|i| i as f32).collect::<Vec<_>>());
    assert_eq!(done.into_inner(), 55);
    assert_eq!((requests.total(), requests.failed(), requests.last_error()), (6, 0, None));
    assert_eq!(server.asked().len(), 6);
    assert_eq!(server.most_at_once(), 3);
}

#[test]
fn a_failure_names_the_inputs_and_ends_the_rest() {
    let server = Server::start(|_, asked| match asked.body["in"][0]["t"].as_str().unwrap().len() {
        21 => Reply::text(400, "too bad"),
        _ => batch_answer(asked),
    });
    let options = Options { concurrent_requests: 1, ..options() };
    let settings = plain(Source::Rest(batches(&server)));
    let embedder = Embedder::new("e", &settings, &client(), None, &options).unwrap();
    let requests = Requests::default();
    let callbacks =
        EmbedCallbacks { on_progress: &|_| {}, cancel: &Cancel::default(), requests: &requests };
    let error = embedder.embed_documents(&many(100), &callbacks).unwrap_err();
    assert_eq!(error.inputs(), Some(20..30));
    assert_eq!(error.origin(), ErrorOrigin::User);
    assert_eq!((requests.total(), requests.failed()), (3, 1));
    assert_eq!(requests.last_error(), Some(error.to_string()));
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn failed_inputs_can_be_left_out() {
    let server = Server::start(|_, asked| match asked.body["in"][0]["t"].as_str().unwrap().len() {
        21 => Reply::text(400, "too bad"),
        _ => batch_answer(asked),
    });
    let settings = plain(Source::Rest(batches(&server)));
    let embedder = Embedder::new("e", &settings, &client(), None, &options()).unwrap();
    let (requests, told) = (Requests::default(), AtomicUsize::new(0));
    let callbacks =
        EmbedCallbacks { on_progress: &|_| {}, cancel: &Cancel::default(), requests: &requests };
    let told_of = |error: &embed::EmbedError| {
        assert_eq!(error.inputs(), Some(20..30));
        told.fetch_add(1, Ordering::Relaxed);
    };
    let vectors = embedder.embed_documents_lossy(&many(55), &callbacks, &told_of).unwrap();
    for (place, vector) in vectors.iter().enumerate() {
        let length = vector.as_ref().map(|vector| vector[0]);
        assert_eq!(length, (!(20..30).contains(&place)).then_some(place as f32 + 1.0));
    }
    assert_eq!((vectors.len(), told.into_inner(), requests.failed()), (55, 1, 1));

    let callbacks = EmbedCallbacks { cancel: &Cancel::default().or_when(|| true), ..callbacks };
    let stopped =
        embedder.embed_documents_lossy(&many(5), &callbacks, &|_| panic!("nothing failed"));
    assert!(stopped.unwrap_err().is_stopped());
}

#[test]
fn final_answers_are_not_asked_for_again() {
    for (status, expected) in [
        (
            400,
            "user error: sent a bad request to embedding server\n  - server replied with `{\"why\":1}`\n  - Hint: check that the `request` in the embedder configuration matches the remote server's API",
        ),
        (
            401,
            "user error: could not authenticate against embedding server\n  - server replied with `{\"why\":1}`\n  - Hint: Check the `apiKey` parameter in the embedder configuration",
        ),
        (
            403,
            "error: received unexpected HTTP 403 from embedding server\n  - server replied with `{\"why\":1}`",
        ),
        (
            404,
            "error: received unexpected HTTP 404 from embedding server\n  - server replied with `{\"why\":1}`",
        ),
    ] {
        let server = Server::start(move |_, _| Reply::text(status, "{\"why\":1}"));
        let embedder = embedder(Source::Rest(simple_rest(&server))).unwrap();
        assert_eq!(embed(&embedder, &texts(&["a"])).unwrap_err(), expected);
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn passing_troubles_are_tried_ten_times() {
    for (status, body, expected) in [
        (
            429,
            "slow down",
            "runtime error: sent too many requests to embedding server\n  - server replied with `slow down`",
        ),
        (503, "", "runtime error: received internal error HTTP 503 from embedding server"),
        (
            200,
            "{\"data\": [1",
            "runtime error: error deserializing the response body as JSON:\n  - EOF while parsing a list at line 1 column 11",
        ),
    ] {
        let server = Server::start(move |_, _| Reply::text(status, body));
        let embedder = embedder(Source::Rest(simple_rest(&server))).unwrap();
        assert_eq!(embed(&embedder, &texts(&["a"])).unwrap_err(), expected);
        assert_eq!(server.asked().len(), 10);
    }
}

#[test]
fn after_troubles_it_goes_on() {
    let server = Server::start(|before, asked| match before {
        0 => Reply::text(500, "oops"),
        1 => Reply::text(200, "<html>"),
        2 => Reply::text(429, ""),
        _ => simple_answer(asked),
    });
    let embedder = embedder(Source::Rest(simple_rest(&server))).unwrap();
    let requests = Requests::default();
    let callbacks =
        EmbedCallbacks { on_progress: &|_| {}, cancel: &Cancel::default(), requests: &requests };
    embedder.embed_documents(&texts(&["a"]), &callbacks).unwrap();
    assert_eq!((requests.total(), requests.failed()), (4, 3));
    let last = requests.last_error().unwrap();
    assert_eq!(last, "runtime error: sent too many requests to embedding server");
}

#[test]
fn calls_that_measure_dimensions_are_counted() {
    let server = Server::start(|before, asked| match before {
        0 => Reply::text(500, "oops"),
        _ => simple_answer(asked),
    });
    let settings = plain(Source::Rest(Rest { dimensions: None, ..simple_rest(&server) }));
    let requests = Requests::default();
    let callbacks =
        EmbedCallbacks { on_progress: &|_| {}, cancel: &Cancel::default(), requests: &requests };
    let embedder =
        Embedder::new_with_callbacks("e", &settings, &client(), None, &options(), &callbacks);
    assert_eq!(embedder.unwrap().dimensions(), 2);
    assert_eq!((requests.total(), requests.failed()), (2, 1));
    assert!(requests.last_error().unwrap().contains("oops"));
}

#[test]
fn a_server_may_say_how_long_to_wait() {
    let server = Server::start(|before, asked| match before {
        0 => Reply { retry_after: Some("1"), ..Reply::text(429, "") },
        _ => simple_answer(asked),
    });
    let settings = plain(Source::Rest(simple_rest(&server)));
    let embedder = Embedder::new("e", &settings, &client(), None, &Options::default()).unwrap();
    let start = Instant::now();
    embed(&embedder, &texts(&["a"])).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[test]
fn wrong_vectors_are_refused() {
    assert_eq!(
        failure(|| Reply::ok(json!({"data": [1, 2, 3]}))),
        "runtime error: was expecting embeddings of dimension `2`, got embeddings of dimensions `3`"
    );
    assert_eq!(
        failure(|| Reply::ok(json!({"data": null}))),
        "runtime error: error extracting embeddings from the response:\n  - in `response.data`, while extracting a single \"{{embedding}}\", expected `data` to be an array of numbers, but failed to parse server response:\n  - invalid type: null, expected a sequence"
    );
    let server = Server::start(|_, _| Reply::ok(json!({"out": [{"v": [1, 2]}]})));
    let embedder = embedder(Source::Rest(batches(&server))).unwrap();
    assert_eq!(
        embed(&embedder, &texts(&["a", "b"])).unwrap_err(),
        "runtime error: expected a response containing 2 embeddings, got 1"
    );
}

#[test]
fn a_slow_server_is_unreachable() {
    let server = Server::start(|_, asked| simple_answer(asked).after(Duration::from_secs(60)));
    let settings = plain(Source::Rest(simple_rest(&server)));
    let options = Options { timeout: Duration::from_millis(20), ..options() };
    let embedder = Embedder::new("e", &settings, &client(), None, &options).unwrap();
    assert_eq!(
        embed(&embedder, &texts(&["a"])).unwrap_err(),
        "runtime error: could not reach embedding server:\n  - no answer within 20ms"
    );
}

#[test]
fn addresses_that_may_not_be_called_are_refused_at_once() {
    let guarded = outbound::Client::new(outbound::AddressPolicy::default()).unwrap();
    let server = Server::start(|_, asked| simple_answer(asked));
    let settings = plain(Source::Rest(simple_rest(&server)));
    let embedder = Embedder::new("e", &settings, &guarded, None, &Options::default()).unwrap();
    let error = embed(&embedder, &texts(&["a"])).unwrap_err();
    assert!(
        error.contains("could not reach embedding server:\n  - rejected IP `127.0.0.1`"),
        "{error}"
    );
    assert!(server.asked().is_empty());
}

#[test]
fn work_can_be_stopped_while_it_waits() {
    let server = Server::start(|_, _| Reply::text(500, ""));
    let settings = plain(Source::Rest(simple_rest(&server)));
    let embedder = Embedder::new("e", &settings, &client(), None, &Options::default()).unwrap();
    let cancel = Cancel::new();
    let requests = Requests::default();
    let callbacks = EmbedCallbacks { on_progress: &|_| {}, cancel: &cancel, requests: &requests };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while requests.failed() < 3 {
                std::thread::sleep(Duration::from_millis(5));
            }
            cancel.cancel();
        });
        let start = Instant::now();
        let error = embedder.embed_documents(&many(20), &callbacks).unwrap_err();
        assert!(error.is_stopped(), "{error}");
        assert!(start.elapsed() < Duration::from_secs(20));
    });
}

#[test]
fn dimensions_are_learnt_where_they_are_not_said() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let mut settings = simple_rest(&server);
    settings.dimensions = None;
    let learnt = embedder(Source::Rest(settings.clone())).unwrap();
    assert_eq!(learnt.dimensions(), 2);
    assert_eq!(server.asked()[0].body, json!({"input": "test"}));
    let known =
        Embedder::new("e", &plain(Source::Rest(settings.clone())), &client(), Some(7), &options());
    assert_eq!(known.unwrap().dimensions(), 7);
    assert_eq!(server.asked().len(), 1);

    let server = Server::start(|_, _| Reply::ok(json!({"out": []})));
    settings.url = server.url("/");
    settings.response = json!({"out": "{{embedding}}"});
    assert_eq!(
        embedder(Source::Rest(settings.clone())).unwrap_err(),
        "runtime error: could not determine model dimensions:\n  - test embedding failed with runtime error: the embedding has no numbers"
    );

    let server = Server::start(|_, _| Reply::text(401, ""));
    settings.url = server.url("/");
    assert_eq!(
        embedder(Source::Rest(settings)).unwrap_err(),
        "runtime error: could not determine model dimensions:\n  - test embedding failed with user error: could not authenticate against embedding server\n  - Hint: Check the `apiKey` parameter in the embedder configuration"
    );
}

#[test]
fn mistakes_in_settings_are_the_users() {
    let server = Server::start(|_, asked| simple_answer(asked));
    let mut settings = simple_rest(&server);
    settings.request = json!({"a": "{{fragment}}"});
    let error = embedder(Source::Rest(settings.clone())).unwrap_err();
    assert!(error.starts_with("user error: in `request`: \"{{text}}\" not found\n"), "{error}");
    settings.request = json!("{{text}}");
    settings.prompt.template = "{{doc.a".to_owned();
    let error = embedder(Source::Rest(settings)).unwrap_err();
    assert!(error.starts_with("user error: liquid: "), "{error}");
}

#[test]
fn secrets_are_not_repeated() {
    let server = Server::start(|_, asked| {
        let auth = &asked.headers["authorization"];
        Reply::text(401, &format!("{auth} is wrong, and so is {}", asked.headers["x-api-key"]))
    });
    let mut settings = simple_rest(&server);
    settings.api_key = Some(Secret::new("sk-very-secret"));
    settings.headers = BTreeMap::from([("X-Api-Key".to_owned(), "other-secret".to_owned())]);
    let embedder = embedder(Source::Rest(settings)).unwrap();
    let requests = Requests::default();
    let callbacks =
        EmbedCallbacks { on_progress: &|_| {}, cancel: &Cancel::default(), requests: &requests };
    let error = embedder.embed_documents(&texts(&["a"]), &callbacks).unwrap_err();
    let seen = format!("{error} {error:?} {embedder:?} {requests:?} {callbacks:?}");
    assert!(seen.contains("Bearer XXX... is wrong, and so is XXX..."), "{seen}");
    assert!(!seen.contains("secret"), "{seen}");
}

#[test]
fn a_web_page_is_asked_for_three_times() {
    let server = Server::start(|_, _| Reply::text(200, "\n<!DOCTYPE html><html>Welcome</html>"));
    let settings = plain(Source::Rest(simple_rest(&server)));
    let embedder = Embedder::new("e", &settings, &client(), None, &Options::default()).unwrap();
    assert_eq!(
        embed(&embedder, &texts(&["a"])).unwrap_err(),
        "user error: the embedding server answered with a web page instead of JSON\n  - server replied with `<!DOCTYPE html><html>Welcome</html>`\n  - Hint: check the `url` parameter in the embedder configuration"
    );
    assert_eq!(server.asked().len(), 3);
}
