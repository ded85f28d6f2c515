//! Completions: what is refused, what a provider is asked, and what the client hears of its
//! answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::chat_provider::{
    ChatProvider, Desk, KEY, Reply, Told, calls, chunk, end, question, says, tea_shop, words,
};
use crate::harness::{Answer, CLOSES_WITHIN, Setup, TestServer};

const SEARCH: &str = "_meiliSearchInIndex";

fn tool(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}})
}

#[test]
fn unreadable_requests_are_refused_with_the_location() {
    let desk = Desk::new([]);
    let user = r#"[{"role": "user", "content": "Any green tea?"}]"#;
    let roles = "`developer`, `system`, `user`, `assistant`, `tool`, `function`";
    for (text, told) in [
        ("{}".to_owned(), "missing field `messages` at line 1 column 2".to_owned()),
        (r#"{"model": "m"}"#.to_owned(), "missing field `messages` at line 1 column 14".to_owned()),
        (
            format!(r#"{{"messages": {user}, "stream": true}}"#),
            "missing field `model` at line 1 column 77".to_owned(),
        ),
        (
            format!(r#"{{"model": 5, "messages": {user}, "stream": true}}"#),
            "invalid type: integer `5`, expected a string at line 1 column 11".to_owned(),
        ),
        (
            r#"{"model": "m", "messages": "x", "stream": true}"#.to_owned(),
            "invalid type: string \"x\", expected a sequence at line 1 column 30".to_owned(),
        ),
        (
            r#"{"model": "m", "messages": [{}], "stream": true}"#.to_owned(),
            "missing field `role` at line 1 column 30".to_owned(),
        ),
        (
            r#"{"model": "m", "messages": [{"role": "wizard", "content": "x"}]}"#.to_owned(),
            format!("unknown variant `wizard`, expected one of {roles} at line 1 column 45"),
        ),
        (
            format!(r#"{{"model": "m", "messages": {user}, "stream": "yes"}}"#),
            "invalid type: string \"yes\", expected a boolean at line 1 column 91".to_owned(),
        ),
        (
            format!(r#"{{"temperature": "hot", "model": "m", "messages": {user}}}"#),
            "invalid type: string \"hot\", expected f32 at line 1 column 21".to_owned(),
        ),
    ] {
        let answer = desk.server.request(&desk.line).body("application/json", text).send();
        answer.is_error(400, "bad_request", &format!("Json deserialize error: {told}"));
    }
    let send = |kind: &str, body: &str| desk.server.request(&desk.line).body(kind, body).send();
    send("application/json", "").is_error(400, "missing_payload", "A json payload is missing.");
    send("application/json", "{").is_error(
        400,
        "malformed_payload",
        "The json payload provided is malformed. `EOF while parsing an object at line 1 column 1`.",
    );
    send("text/plain", "{}").is_error(
        415,
        "invalid_content_type",
        "The Content-Type `text/plain` is invalid. Accepted values for the Content-Type header are: `application/json`",
    );
    assert!(desk.provider.asked().is_empty());
}

#[test]
fn unsupported_requests_are_refused_before_the_provider() {
    let desk = Desk::new([]);
    let code = |line: &str, members: Value| {
        let answer = desk.server.call_json(line, question(members));
        (answer.status, answer.json()["code"].as_str().unwrap().to_owned())
    };
    let nobody = "POST /chats/nobody/chat/completions";
    for (members, status, expected) in [
        (json!({"stream": false}), 501, "unimplemented_non_streaming_chat_completions"),
        (json!({"stream": null}), 501, "unimplemented_non_streaming_chat_completions"),
        (json!({"n": 2}), 501, "unimplemented_multi_choice_chat_completions"),
        (json!({"n": 0}), 501, "unimplemented_multi_choice_chat_completions"),
        (json!({"tools": [tool("weather")]}), 501, "unimplemented_external_function_calling"),
        (
            json!({"tools": [tool("_meiliSearchProgress"), tool("weather")]}),
            501,
            "unimplemented_external_function_calling",
        ),
        (json!({"functions": [{"name": "f"}]}), 501, "unimplemented_external_function_calling"),
        (json!({"tools": [tool(SEARCH)]}), 400, "bad_request"),
    ] {
        assert_eq!(code(&desk.line, members.clone()), (status, expected.to_owned()), "{members}");
    }
    // The form of the answer is looked at before the workspace, the tools after it.
    assert_eq!(code(nobody, json!({"n": 2})).0, 501);
    assert_eq!(code(nobody, json!({"tools": [tool("weather")]})).0, 404);
    desk.server.call_json(nobody, question(json!({}))).is_error(
        404,
        "chat_not_found",
        "Chat `nobody` not found",
    );
    assert!(desk.provider.asked().is_empty());
}

#[test]
fn chunks_come_unchanged() {
    let odd = r#"{ "id":"x", "choices":[ {"delta":{"content":"Sen\u0063ha – é"},"extra":1.50} ] }"#;
    let events = vec![
        chunk(json!({"role": "assistant", "content": "", "refusal": null}), json!(null)),
        odd.to_owned(),
        end("stop"),
    ];
    let desk = Desk::new([Reply::Events(events.clone())]);
    assert_eq!(desk.ask(json!({})).0, events);
}

#[test]
fn usage_is_asked_for_and_told_to_those_who_ask() {
    let usage = json!({"id": "x", "choices": [], "usage": {"total_tokens": 9}}).to_string();
    let reply = || Reply::Events(vec![words("Yes."), end("stop"), usage.clone()]);
    let desk = Desk::new([reply(), reply()]);
    assert_eq!(desk.ask(json!({})).0.len(), 2);
    let told = desk.ask(json!({"stream_options": {"include_usage": true}}));
    assert_eq!(told.0.last(), Some(&usage));
    for asked in desk.provider.asked() {
        assert_eq!(asked.body["stream_options"], json!({"include_usage": true}));
    }
}

#[test]
fn each_source_has_its_address_and_its_way_to_name_the_key() {
    let base = |url: &str| json!({"baseUrl": url, "apiKey": KEY, "orgId": "org", "projectId": "p"});
    let bearer = format!("Bearer {KEY}");
    let plain = "/chat/completions";
    let azure = "/openai/deployments/d%201/chat/completions?api-version=2024-06-01";
    for (source, target, header, value, role) in [
        ("openAi", plain, "authorization", bearer.as_str(), "developer"),
        ("mistral", plain, "authorization", &bearer, "system"),
        ("vLlm", plain, "authorization", &bearer, "system"),
        ("azureOpenAi", azure, "api-key", KEY, "developer"),
    ] {
        let provider = ChatProvider::start([says("Yes.")]);
        let mut settings = base(&provider.url());
        settings["source"] = json!(source);
        settings["deploymentId"] = json!("d 1");
        settings["apiVersion"] = json!("2024-06-01");
        let desk = Desk::with(provider, settings);
        assert_eq!(desk.ask(json!({"model": "o3"})).text(), "Yes.");
        let asked = desk.provider.asked().remove(0);
        assert_eq!((asked.target.as_str(), asked.header(header)), (target, Some(value)));
        let is_open_ai = source == "openAi";
        assert_eq!(asked.header("openai-organization"), is_open_ai.then_some("org"));
        assert_eq!(asked.header("openai-project"), is_open_ai.then_some("p"));
        assert_eq!(asked.header("content-type"), Some("application/json"));
        assert_eq!(asked.header("authorization").is_some(), source != "azureOpenAi");
        assert_eq!(asked.body["messages"][0]["role"], role, "{source}");
        let tells_usage = ["openAi", "azureOpenAi"].contains(&source);
        assert_eq!(asked.body.get("stream_options").is_some(), tells_usage, "{source}");
    }
}

#[test]
fn instructions_come_first_in_the_role_that_the_model_knows() {
    let provider = ChatProvider::start([says("a"), says("b")]);
    let url = provider.url();
    let prompts = json!({"system": "You sell tea.", "searchDescription": "Look up."});
    let desk = Desk::with(provider, json!({"baseUrl": url, "prompts": prompts}));
    for (model, role) in [("gpt-4.1-mini", "system"), ("gpt-5", "developer")] {
        let messages =
            json!([{"role": "system", "content": "mine"}, {"role": "user", "content": "hi"}]);
        desk.ask(json!({"model": model, "messages": messages, "temperature": 0.5}));
        let asked = desk.provider.asked().pop().unwrap();
        let mut expected = vec![json!({"role": role, "content": "You sell tea."})];
        expected.extend(messages.as_array().unwrap().clone());
        assert_eq!(asked.body["messages"], json!(expected));
        assert_eq!(
            (&asked.body["model"], &asked.body["temperature"]),
            (&json!(model), &json!(0.5))
        );
        assert_eq!(asked.header("authorization"), None);
        let description = asked.body["tools"][0]["function"]["description"].as_str().unwrap();
        assert!(description.starts_with("Look up."), "{description}");
    }
}

#[test]
fn reports_are_between_us_and_the_client() {
    let desk = Desk::new([says("Yes.")]);
    let names = ["_meiliSearchProgress", "_meiliSearchSources", "_meiliAppendConversationMessage"];
    desk.ask(json!({"tools": names.map(tool)}));
    let tools = desk.provider.asked().remove(0).body["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 1);
    assert_eq!(tools[0]["function"]["name"], SEARCH);
}

#[test]
fn a_provider_that_refuses_is_quoted() {
    let error = |message: &str, kind: &str, code: &str| {
        json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
            .to_string()
    };
    for (status, body, kind, code, message) in [
        (
            401,
            error(&format!("Incorrect API key: {KEY}"), "invalid_request_error", "invalid_api_key"),
            "invalid_request_error",
            "invalid_api_key",
            "Incorrect API key: XXX...",
        ),
        (
            429,
            error("Slow down", "requests", "rate_limit_exceeded"),
            "requests",
            "rate_limit_exceeded",
            "Slow down",
        ),
        (
            500,
            "oh no".to_owned(),
            "provider_error",
            "500",
            "The provider answered with status 500: oh no",
        ),
    ] {
        let desk = Desk::new([Reply::Whole(status, body)]);
        let told = desk.ask(json!({}));
        told.failed(kind, code, message);
        assert_eq!((told.0.len(), desk.provider.asked().len()), (1, 1));
    }
}

#[test]
fn an_answer_that_goes_wrong_half_way_is_told() {
    let bad = ("provider_error", "bad_response");
    let unread = "The provider sent a chunk that cannot be read.";
    let cut = "The answer of the provider ended before it was complete.";
    let overloaded = r#"{"error":{"message":"Overloaded","type":"server_error","code":503}}"#;
    for (reply, (kind, code), message) in [
        (Reply::Events(vec![words("Yes"), "{\"choices\":[".to_owned()]), bad, unread),
        (Reply::Events(vec![words("Yes"), "7".to_owned()]), bad, unread),
        (
            Reply::Events(vec![words("Yes"), overloaded.to_owned()]),
            ("server_error", "503"),
            "Overloaded",
        ),
        (Reply::CutShort(vec![words("Yes")]), bad, cut),
    ] {
        let desk = Desk::new([reply]);
        let told = desk.ask(json!({}));
        assert_eq!(told.text(), "Yes");
        told.failed(kind, code, message);
    }
    let desk = Desk::new([Reply::Broken(vec![words("Yes")])]);
    let told = desk.ask(json!({}));
    assert_eq!(told.text(), "Yes");
    let errors = told.errors();
    assert_eq!((&errors[0]["type"], &errors[0]["code"]), (&json!(bad.0), &json!(bad.1)));
    let message = errors[0]["message"].as_str().unwrap();
    assert!(message.starts_with("The answer of the provider ended before"), "{message}");
    let whole = json!({"object": "chat.completion", "choices": [{"message": {"content": "x"}}]});
    let desk = Desk::new([Reply::Whole(200, whole.to_string())]);
    desk.ask(json!({})).failed(bad.0, bad.1, cut);
    let desk = Desk::new([Reply::CutShort(vec![words("Yes."), end("stop")])]);
    assert!(desk.ask(json!({})).errors().is_empty(), "complete without the last word");
}

#[test]
fn forbidden_provider_addresses_are_not_called() {
    let server = TestServer::start(Setup::default());
    server.call_json("PATCH /experimental-features", json!({"chatCompletions": true}));
    let provider = ChatProvider::start([says("Yes.")]);
    for (url, part) in [
        (provider.url(), "rejected IP `127.0.0.1`"),
        ("ftp://example.com".to_owned(), "rejected URI"),
        ("tea".to_owned(), "invalid URI"),
    ] {
        server.call_json("PATCH /chats/desk/settings", json!({"baseUrl": url}));
        let answer = server.call_json("POST /chats/desk/chat/completions", question(json!({})));
        let errors = Told::read(&answer.text()).errors();
        assert_eq!(errors[0]["code"], "unreachable");
        assert!(errors[0]["message"].as_str().unwrap().contains(part), "{errors:?}");
    }
    assert!(provider.asked().is_empty());
}

#[test]
fn a_model_that_only_searches_is_stopped() {
    let search = || calls(&[("c", SEARCH, r#"{"index_uid":"teas","q":"","filter":null}"#)]);
    let desk = Desk::new(std::iter::repeat_with(search).take(25));
    let told = desk.ask(json!({"tool_choice": "required"}));
    told.failed("internal", "too_many_rounds", "The model searched again in 20 answers in a row.");
    let asked = desk.provider.asked();
    assert_eq!(asked.len(), 20);
    // Whoever insists on a search has got one with the first answer.
    assert_eq!(asked[0].body["tool_choice"], "required");
    assert_eq!(asked[1].body.get("tool_choice"), None);
}

/// Begins a conversation and reads until its first words have come.
fn begun(server: &TestServer, line: &str) -> BufReader<TcpStream> {
    let body = question(json!({})).to_string();
    let request = server.request(line).header("Content-Type", "application/json");
    let mut stream = request.header("Content-Length", &body.len().to_string()).open();
    stream.get_mut().write_all(body.as_bytes()).unwrap();
    let (status, _) = Answer::read_head(&mut stream).unwrap();
    assert_eq!(status, 200);
    let mut heard = String::new();
    while !heard.contains("Let me think") {
        assert!(stream.read_line(&mut heard).unwrap() > 0, "it ended: {heard}");
    }
    stream
}

#[test]
fn a_client_that_goes_away_takes_the_provider_with_it() {
    let (gone, left) = channel();
    let desk = Desk::new([Reply::Silence(gone)]);
    drop(begun(&desk.server, &desk.line));
    left.recv_timeout(Duration::from_secs(60)).expect("the provider is left alone");
}

#[test]
fn a_conversation_does_not_hold_up_a_server_that_closes() {
    let setup = Setup { allowed_networks: "127.0.0.0/8", ..Setup::default() };
    let mut server = TestServer::start(setup);
    server.call_json("PATCH /experimental-features", json!({"chatCompletions": true}));
    let (gone, left) = channel();
    let provider = ChatProvider::start([Reply::Silence(gone)]);
    server.call_json("PATCH /chats/desk/settings", json!({"baseUrl": provider.url()}));
    let mut stream = begun(&server, "POST /chats/desk/chat/completions");
    let begun = Instant::now();
    server.stop();
    assert!(begun.elapsed() < CLOSES_WITHIN, "the server waited for the model");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("[DONE]"), "what was cut short is not complete: {rest}");
    left.recv_timeout(Duration::from_secs(60)).expect("the provider is left alone");
}

#[test]
fn other_methods_and_paths_do_not_exist() {
    let server = tea_shop();
    server.call("GET /chats/desk/chat/completions").is_empty(405);
    server.call_json("POST /chats/desk/chat", json!({})).is_empty(404);
}
