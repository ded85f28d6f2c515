//! The searches of conversations: what a model is told of indexes and documents, and what the
//! client hears of it.

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use engine::search::{QueueLoad, QueueOptions, Ticket, Turn};
use serde_json::{Value, json};
use testkit::wait_until;

use crate::chat_provider::{
    ChatProvider, Desk, Reply, Told, calls, chunk, end, question, says, words,
};
use crate::harness::{Answer, Setup, TestServer, change_settings};

const SEARCH: &str = "_meiliSearchInIndex";
const GREEN: &str = r#"{"index_uid":"teas","q":"","filter":"kind = green"}"#;

fn reporting() -> Value {
    let names = ["_meiliSearchProgress", "_meiliSearchSources", "_meiliAppendConversationMessage"];
    json!({"tools": names.map(|name| json!({"type": "function", "function": {"name": name}}))})
}

fn function(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// The messages to the provider after the question itself.
fn told_next(desk: &Desk, round: usize) -> Vec<Value> {
    let messages = desk.provider.asked()[round].body["messages"].clone();
    messages.as_array().unwrap()[2..].to_vec()
}

#[test]
fn a_search_is_made_and_told_to_the_model() {
    let desk = Desk::new([calls(&[("c1", SEARCH, GREEN)]), says("Gyokuro and Sencha.")]);
    let told = desk.ask(json!({}));
    // Calls are between the model and us, and so is the end of an answer that is not the last.
    assert_eq!(told.0, [words("Gyokuro and Sencha."), end("stop")]);
    // With the parameters of the index: the dearest first, and only two of them.
    let found = "Gyokuro costs 30\n---\nSencha costs 12";
    assert_eq!(
        told_next(&desk, 1),
        [
            json!({"role": "assistant", "content": "", "tool_calls": [function("c1", SEARCH, GREEN)]}),
            json!({"role": "tool", "tool_call_id": "c1", "content": found}),
        ]
    );
}

#[test]
fn the_function_tells_what_there_is_to_search() {
    let desk = Desk::new([says("Hello.")]);
    desk.ask(json!({}));
    let tool = desk.provider.asked().remove(0).body["tools"][0].clone();
    let function = &tool["function"];
    assert_eq!((&function["name"], &function["strict"]), (&json!(SEARCH), &json!(true)));
    let description = function["description"].as_str().unwrap();
    assert!(description.contains("- teas: The teas we sell\n"), "{description}");
    let properties = &function["parameters"]["properties"];
    assert_eq!(properties["index_uid"]["enum"], json!(["teas"]));
    let filter = properties["filter"]["description"].as_str().unwrap();
    let listed = "Attributes of the index teas:\n- kind: \"green\", \"black\"\n\
                  - price: \"30\", \"12\", \"8\", \"5\"\n";
    assert!(filter.contains(listed), "{filter}");
}

#[test]
fn several_searches_are_made_in_one_answer() {
    let black = r#"{"index_uid":"teas","q":"assam","filter":null}"#;
    let none = r#"{"index_uid":"teas","q":null,"filter":"price > 1000"}"#;
    let searches = [("c1", SEARCH, GREEN), ("c2", SEARCH, black), ("c3", SEARCH, none)];
    let desk = Desk::new([calls(&searches), says("Three.")]);
    let told = desk.ask(reporting());
    let next = told_next(&desk, 1);
    let all = searches.map(|(id, name, arguments)| function(id, name, arguments));
    assert_eq!(next[0], json!({"role": "assistant", "content": "", "tool_calls": all}));
    let results: Vec<&Value> = next[1..].iter().map(|message| &message["content"]).collect();
    assert_eq!(
        results,
        ["Gyokuro costs 30\n---\nSencha costs 12", "Assam costs 8", "No document was found."]
    );

    let reports = told.reports();
    let names: Vec<&str> = reports.iter().map(|(name, _)| name.as_str()).collect();
    let of_one = [
        "_meiliSearchProgress",
        "_meiliAppendConversationMessage",
        "_meiliSearchSources",
        "_meiliAppendConversationMessage",
    ];
    assert_eq!(names, of_one.repeat(3));
    for (place, (id, name, arguments)) in searches.iter().enumerate() {
        let of_call = &reports[place * 4..][..4];
        assert_eq!(
            of_call[0].1,
            json!({"call_id": id, "function_name": name, "function_arguments": arguments})
        );
        let asked = function(id, name, arguments);
        assert_eq!(
            of_call[1].1,
            json!({"role": "assistant", "content": "", "tool_calls": [asked]})
        );
        assert_eq!(of_call[2].1["call_id"], *id);
        assert_eq!(of_call[3].1, next[place + 1]);
    }
    // Only what is displayed of the documents.
    let sources = json!([{"id": 3, "name": "Gyokuro"}, {"id": 1, "name": "Sencha"}]);
    assert_eq!(reports[2].1["sources"], sources);
    assert_eq!(reports[10].1["sources"], json!([]));

    // Reports stand in the answer whose search they are about, each in a place of its own.
    let chunks = told.0.iter().map(|event| serde_json::from_str::<Value>(event).unwrap());
    let chunks: Vec<Value> =
        chunks.filter(|chunk| !chunk["choices"][0]["delta"]["tool_calls"].is_null()).collect();
    for (place, chunk) in chunks.iter().enumerate() {
        assert_eq!((&chunk["id"], &chunk["model"]), (&json!("chatcmpl-7"), &json!("m-1")));
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(chunk["choices"][0]["delta"]["tool_calls"][0]["index"], place);
    }
}

#[test]
fn words_before_a_search_are_said_once() {
    let piece = json!([{"index": 0, "id": "c1", "function": {"name": SEARCH, "arguments": GREEN}}]);
    let first = Reply::Events(vec![
        words("Let me "),
        chunk(json!({"content": "look.", "tool_calls": piece}), json!("tool_calls")),
    ]);
    let desk = Desk::new([first, says(" Found.")]);
    let told = desk.ask(json!({}));
    assert_eq!(told.text(), "Let me look. Found.");
    assert!(told.reports().is_empty(), "calls are taken out: {told:?}");
    assert_eq!(told_next(&desk, 1)[0]["content"], "Let me look.");
}

#[test]
fn a_search_that_fails_is_told_to_both() {
    let call = |arguments: &str| calls(&[("c1", SEARCH, arguments)]);
    let unfilterable = r#"{"index_uid":"teas","q":"","filter":"colour = red"}"#;
    let unknown = r#"{"index_uid":"coffees","q":"","filter":null}"#;
    for (arguments, code, part) in [
        (unfilterable, "invalid_search_filter", "Attribute `colour` is not filterable"),
        (unknown, "index_not_found", "Index `coffees` not found."),
        (r#"{"q":"x"}"#, "bad_request", "missing field `index_uid`"),
        (r#"{"index_uid": "te"#, "bad_request", "EOF while parsing"),
    ] {
        let desk = Desk::new([call(arguments), says("Sorry.")]);
        let told = desk.ask(reporting());
        assert_eq!(told.text(), "Sorry.");
        let errors = told.errors();
        assert_eq!((errors.len(), &errors[0]["code"]), (1, &json!(code)));
        assert_eq!(errors[0]["type"], "invalid_request");
        let message = errors[0]["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
        let result = told_next(&desk, 1)[1].clone();
        assert_eq!(result["content"], format!("The search failed: {message}"));
        let names: Vec<String> = told.reports().into_iter().map(|(name, _)| name).collect();
        assert!(!names.iter().any(|name| name == "_meiliSearchSources"), "{names:?}");
        assert_eq!(told.reports().last().unwrap().1, result);
    }
}

#[test]
fn functions_that_do_not_exist_are_told_to_the_model_alone() {
    let desk = Desk::new([calls(&[("c1", "weather", "{}")]), says("Sorry.")]);
    let told = desk.ask(reporting());
    assert!(told.errors().is_empty());
    assert_eq!(told_next(&desk, 1)[1]["content"], "There is no function `weather`.");
}

#[test]
fn a_model_may_search_again() {
    let by_name = r#"{"index_uid":"teas","q":"bancha","filter":null}"#;
    let desk = Desk::new([
        calls(&[("c1", SEARCH, GREEN)]),
        calls(&[("c2", SEARCH, by_name)]),
        says("Bancha."),
    ]);
    assert_eq!(desk.ask(json!({})).text(), "Bancha.");
    let next = told_next(&desk, 2);
    let ids: Vec<&Value> = next.iter().filter_map(|message| message.get("tool_call_id")).collect();
    assert_eq!(ids, ["c1", "c2"]);
    assert_eq!(next[3]["content"], "Bancha costs 5");
}

fn lone_server(search_queue: QueueOptions) -> TestServer {
    let allowed_networks = "127.0.0.0/8";
    let server = TestServer::start(Setup { allowed_networks, search_queue, ..Setup::default() });
    server.call_json("PATCH /experimental-features", json!({"chatCompletions": true}));
    server
}

#[track_caller]
fn converse(server: &TestServer, provider: &ChatProvider) -> Told {
    server.call_json("PATCH /chats/desk/settings", json!({"baseUrl": provider.url()}));
    let answer = server.call_json("POST /chats/desk/chat/completions", question(json!({})));
    assert_eq!(answer.status, 200, "{}", answer.text());
    Told::read(&answer.text())
}

#[test]
fn without_an_index_there_is_nothing_to_search() {
    let server = lone_server(QueueOptions::default());
    let provider = ChatProvider::start([says("I know nothing.")]);
    assert_eq!(converse(&server, &provider).text(), "I know nothing.");
    assert_eq!(provider.asked()[0].body.get("tools"), None);
}

#[test]
fn at_most_ten_values_are_shown_the_most_frequent_first() {
    let server = lone_server(QueueOptions::default());
    change_settings(&server, "a", json!({"filterableAttributes": ["note", "tag"]}));
    let mut documents = vec![json!({"id": 100, "tag": "t07", "note": "x".repeat(200)})];
    documents.extend((0..12).map(|n| json!({"id": n, "tag": format!("t{n:02}")})));
    server.with_documents("a", json!(documents));
    let provider = ChatProvider::start([says("x")]);
    converse(&server, &provider);
    let asked = provider.asked().remove(0).body;
    let function = &asked["tools"][0]["function"];
    // An index without a description is still there.
    assert!(function["description"].as_str().unwrap().ends_with("\n- a\n"));
    let filter = function["parameters"]["properties"]["filter"]["description"].as_str().unwrap();
    assert!(filter.contains("\n- note\n"), "what is long is no choice: {filter}");
    let shown = filter.lines().find_map(|line| line.strip_prefix("- tag: ")).unwrap();
    let shown: Vec<&str> = shown.split(", ").collect();
    assert_eq!((shown.len(), shown[0]), (10, "\"t07\""), "{shown:?}");
}

/// A conversation that is about to search while the only search thread is held.
struct Waiting {
    /// Let go before the server, which waits for what runs.
    held: (Sender<()>, Ticket),
    answer: BufReader<TcpStream>,
    provider: ChatProvider,
    server: TestServer,
}

fn waiting(capacity: usize) -> Waiting {
    let queue = QueueOptions { threads: 1, capacity, max_wait: Duration::from_secs(60) };
    let server = lone_server(queue);
    server.with_documents("teas", json!([{"id": 1}]));
    let (call, called) = channel();
    let search = calls(&[("c1", SEARCH, r#"{"index_uid":"teas","q":"","filter":null}"#)]);
    let provider = ChatProvider::start([Reply::When(called, Box::new(search)), says("Well.")]);
    server.call_json("PATCH /chats/desk/settings", json!({"baseUrl": provider.url()}));
    let answer = begin(&server);
    wait_until("the provider is asked", || !provider.asked().is_empty());
    let held = hold(&server);
    call.send(()).unwrap();
    Waiting { held, answer, provider, server }
}

fn begin(server: &TestServer) -> BufReader<TcpStream> {
    let body = question(json!({})).to_string();
    let request = server.request("POST /chats/desk/chat/completions");
    let request = request.header("Content-Type", "application/json");
    let mut answer = request.header("Content-Length", &body.len().to_string()).open();
    answer.get_mut().write_all(body.as_bytes()).unwrap();
    answer
}

/// Holds the only search thread, as soon as it is free: without a line it may not be yet.
fn hold(server: &TestServer) -> (Sender<()>, Ticket) {
    loop {
        let (release, gate) = channel::<()>();
        let (begin, begun) = channel();
        let work = move |_: Turn<'_>| {
            begin.send(()).unwrap();
            let _ = gate.recv();
            Ok(())
        };
        let ticket = server.engine.searcher().queue().submit(work, |_| {});
        if begun.recv().is_ok() {
            return (release, ticket);
        }
    }
}

#[test]
fn searches_wait_in_the_queue() {
    let Waiting { held, mut answer, server, .. } = waiting(5);
    wait_until("the search waits", || {
        server.engine.searcher().queue().load() == QueueLoad { running: 1, waiting: 1 }
    });
    drop(held);
    let told = Told::read(&Answer::read(&mut answer).unwrap().text());
    assert_eq!((told.text().as_str(), told.errors().len()), ("Well.", 0));
}

#[test]
fn a_client_that_goes_away_takes_its_search_with_it() {
    let Waiting { held, answer, provider, server } = waiting(5);
    let load = || server.engine.searcher().queue().load();
    wait_until("the search waits", || load() == QueueLoad { running: 1, waiting: 1 });
    drop(answer);
    wait_until("the search is gone", || load() == QueueLoad { running: 1, waiting: 0 });
    drop(held);
    assert_eq!(provider.asked().len(), 1, "nobody asks again");
}

#[test]
fn a_search_that_the_queue_refuses_is_told_to_both() {
    let Waiting { held, mut answer, provider, server } = waiting(0);
    let told = Told::read(&Answer::read(&mut answer).unwrap().text());
    assert_eq!(told.text(), "Well.");
    let error = told.errors().remove(0);
    let refused = ("system", "too_many_search_requests");
    assert_eq!(
        (error["type"].as_str(), error["code"].as_str()),
        (Some(refused.0), Some(refused.1))
    );
    let messages = provider.asked()[1].body["messages"].clone();
    let content = messages.as_array().unwrap().last().unwrap()["content"].clone();
    assert_eq!(content, format!("The search failed: {}", error["message"].as_str().unwrap()));
    // Even to begin one has to have a look at the indexes.
    let answer = server.call_json("POST /chats/desk/chat/completions", question(json!({})));
    assert_eq!((answer.status, &answer.json()["code"]), (503, &json!(refused.1)));
    drop(held);
}
