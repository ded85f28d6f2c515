//! The search parameter `didYouMean`, as clients meet it.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{TestServer, change_settings, search};
use crate::remotes::{Fleet, networking_server};

fn documents() -> Vec<Value> {
    let titles =
        ["Harry Potter", "Harry Potter returns", "Pottery at home", "The hurry", "New York"];
    let document = |(id, title)| json!({"id": id, "title": title, "kind": id % 2});
    titles.iter().cycle().take(20).enumerate().map(document).collect()
}

fn server(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    change_settings(&server, index, json!({"filterableAttributes": ["kind"]}));
    server.with_documents(index, documents().into());
    server
}

#[test]
fn a_better_spelling_is_told_on_request() {
    let server = server("mean");
    for (body, expected) in [
        (json!({"q": "Harry poter"}), json!("Harry potter")),
        (json!({"q": "harry poter", "filter": "kind = 1"}), json!("harry potter")),
        (json!({"q": "newyork"}), json!("new york")),
        (json!({"q": "harry potter"}), json!(null)),
        (json!({"q": ""}), json!(null)),
        (json!({}), json!(null)),
    ] {
        let mut asked = body.clone();
        asked["didYouMean"] = json!(true);
        assert_eq!(search(&server, "mean", asked)["didYouMean"], expected, "{body}");
        let plain = search(&server, "mean", body);
        assert_eq!(plain.get("didYouMean"), None);
    }
    let line = "GET /indexes/mean/search?q=harry%20poter&didYouMean=true";
    assert_eq!(server.call(line).json()["didYouMean"], "harry potter");
    let queries = json!([
        {"indexUid": "mean", "q": "poter", "didYouMean": true}, {"indexUid": "mean", "q": "poter"},
    ]);
    let answer = server.call_json("POST /multi-search", json!({"queries": queries})).json();
    assert_eq!(answer["results"][0]["didYouMean"], "potter");
    assert_eq!(answer["results"][1].get("didYouMean"), None);
}

#[test]
fn queries_of_a_federation_have_their_own() {
    let server = server("mean-federated");
    let query =
        |q: &str, asks: bool| json!({"indexUid": "mean-federated", "q": q, "didYouMean": asks});
    let queries = [query("poter", true), query("poter", false), query("harry", true)];
    let body = json!({"federation": {}, "queries": queries});
    let answer = server.call_json("POST /multi-search", body).json();
    assert_eq!(answer["didYouMean"], json!({"0": "potter", "2": null}), "{answer}");
    let body = json!({"federation": {}, "queries": [query("poter", false)]});
    assert_eq!(server.call_json("POST /multi-search", body).json().get("didYouMean"), None);
}

#[test]
fn anything_but_a_truth_value_is_refused() {
    let server = server("mean-refused");
    let code = "invalid_search_did_you_mean";
    let body = json!({"didYouMean": 1});
    let answer = server.call_json("POST /indexes/mean-refused/search", body);
    answer.is_error_like(400, code, "Invalid value type at `.didYouMean`: expected a boolean");
    let answer = server.call("GET /indexes/mean-refused/search?didYouMean=perhaps");
    answer.is_error_like(400, code, "`didYouMean`");
}

#[test]
fn a_network_decides_by_the_documents_of_all_instances() {
    let fleet = Fleet::start(3);
    let whole = networking_server();
    // The misspelling is rare, and at one instance only.
    let mut documents = documents();
    documents[0]["title"] = json!("poter");
    let settings = json!({"filterableAttributes": ["kind"]});
    fleet.fill("mean", &settings, &documents);
    change_settings(&whole, "mean", settings);
    whole.with_documents("mean", documents.into());
    for q in ["harry poter ", "poter ", "newyork", "harry"] {
        let body = json!({"q": q, "didYouMean": true});
        let expected = search(&whole, "mean", body.clone())["didYouMean"].clone();
        let mut federated = json!({"indexUid": "mean", "useNetwork": true});
        for server in &fleet.servers {
            let mut body = body.clone();
            body["useNetwork"] = json!(true);
            let found = search(server, "mean", body);
            assert_eq!(
                (&found["didYouMean"], &found["remoteErrors"]),
                (&expected, &json!({})),
                "{q}"
            );
            federated["q"] = json!(q);
            federated["didYouMean"] = json!(true);
            let body = json!({"federation": {}, "queries": [federated]});
            let answer = server.call_json("POST /multi-search", body).json();
            assert_eq!(answer["didYouMean"], json!({"0": expected}), "{q}");
            assert_eq!(answer.get("corrections"), None);
        }
    }
}
