//! Tenant tokens over HTTP: where they open a route, what they leave to be found, and what they
//! are refused for. What makes a token good is tested in `auth`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use server::route_table;
use sha2::Sha256;

use super::harness::{TestServer, change_settings, ids};
use super::keys::{INVALID, MASTER_KEY, guarded, made};

/// Four books of two houses, some vectors, and a key to sign with.
struct Scene {
    server: TestServer,
    parent: Value,
}

impl Scene {
    fn new(actions: &[&str], indexes: &[&str]) -> Self {
        let server = guarded();
        change_settings(&server, "books", json!({"filterableAttributes": ["house", "genre"]}));
        server.with_documents(
            "books",
            json!([
                {"id": 1, "title": "The Salt Road", "genre": "travel", "house": "north"},
                {"id": 2, "title": "Salt and Ash", "genre": "novel", "house": "south"},
                {"id": 3, "title": "A Short History of Rope", "genre": "history", "house": "north"},
                {"id": 4, "title": "Rope Tricks", "genre": "craft", "house": "south"},
            ]),
        );
        let parent = made(&server, actions, indexes);
        Self { server, parent }
    }

    fn token(&self, rules: Value) -> String {
        self.token_with(json!({"searchRules": rules, "apiKeyUid": self.parent["uid"]}))
    }

    fn token_with(&self, claims: Value) -> String {
        signed(&claims, self.parent["key"].as_str().unwrap())
    }

    /// The books that a token finds with this body.
    #[track_caller]
    fn found(&self, rules: Value, body: Value) -> Vec<u64> {
        let request = self.server.request("POST /indexes/books/search");
        let answer = request.with_key(&self.token(rules)).json(&body).send();
        assert_eq!(answer.status, 200, "{}", answer.text());
        let mut found = ids(&answer.json());
        found.sort_unstable();
        found
    }
}

/// A token of these claims, signed with the value of a key.
pub fn signed(claims: &Value, secret: &str) -> String {
    let part = |json: &Value| URL_SAFE_NO_PAD.encode(json.to_string());
    let message = format!("{}.{}", part(&json!({"alg": "HS256", "typ": "JWT"})), part(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

#[test]
fn rules_and_requests_must_both_let_a_document_pass() {
    let scene = Scene::new(&["search"], &["*"]);
    let north = || json!({"books": {"filter": "house = north"}});
    for (rules, body, expected) in [
        (json!(["*"]), json!({}), vec![1, 2, 3, 4]),
        (json!(["boo*"]), json!({}), vec![1, 2, 3, 4]),
        (north(), json!({}), vec![1, 3]),
        (north(), json!({"filter": null}), vec![1, 3]),
        (north(), json!({"filter": ""}), vec![1, 3]),
        (north(), json!({"filter": []}), vec![1, 3]),
        (north(), json!({"filter": "genre = travel OR genre = novel"}), vec![1]),
        (north(), json!({"filter": [["genre = travel", "genre = craft"]]}), vec![1]),
        (
            json!({"books": {"filter": ["house = north", ["genre = history", "genre = craft"]]}}),
            json!({"filter": ["house = north"]}),
            vec![3],
        ),
        (json!({"*": {"filter": "house = north"}, "books": null}), json!({}), vec![1, 2, 3, 4]),
    ] {
        assert_eq!(scene.found(rules.clone(), body.clone()), expected, "{rules} {body}");
    }
    // A rule that cannot be read fails the search, rather than let it find everything.
    for (filter, told) in [
        (json!("id = 1"), "Attribute `id` is not filterable"),
        (json!("house ="), "Was expecting a value"),
        (json!(12), "expected String, Array, found: 12"),
    ] {
        let token =
            scene.token(json!({"b*": {"filter": "house = north"}, "boo*": {"filter": filter}}));
        let request = scene.server.request("POST /indexes/books/search").with_key(&token);
        request.json(&json!({})).send().is_error_like(400, "invalid_search_filter", told);
    }
    // What a rule hides does not come back by a trick of the filter.
    for trick in ["house = south) OR (house = north", "house = south OR house = north"] {
        let request = scene.server.request("POST /indexes/books/search");
        let answer = request.with_key(&scene.token(north())).json(&json!({"filter": trick})).send();
        let found = answer.json();
        let all = found["hits"].as_array().cloned().unwrap_or_default();
        assert!(all.iter().all(|hit| hit["house"] == "north"), "{found}");
    }
}

#[test]
fn every_kind_of_search_is_filtered() {
    let scene = Scene::new(&["search"], &["*"]);
    let server = &scene.server;
    let embedders = json!({"hand": {"source": "userProvided", "dimensions": 2}});
    change_settings(server, "vecs", json!({"embedders": embedders, "filterableAttributes": ["n"]}));
    server.with_documents(
        "vecs",
        json!([
            {"id": 1, "n": "up", "_vectors": {"hand": [0, 1]}},
            {"id": 2, "n": "right", "_vectors": {"hand": [1, 0]}},
            {"id": 3, "n": "diagonal", "_vectors": {"hand": [0.6, 0.8]}},
        ]),
    );
    let token = scene.token(json!({
        "books": {"filter": "house = south"}, "vecs": {"filter": "n != right"},
    }));
    let send = |line: &str, body: Value| {
        let answer = server.request(line).with_key(&token).json(&body).send();
        (answer.status, answer.json())
    };
    let (_, facets) = send("POST /indexes/books/facet-search", json!({"facetName": "genre"}));
    let values: Vec<&Value> =
        facets["facetHits"].as_array().unwrap().iter().map(|hit| &hit["value"]).collect();
    assert_eq!(values, ["craft", "novel"]);
    let (_, suggested) =
        send("POST /indexes/books/suggest", json!({"q": "c", "attribute": "genre"}));
    assert_eq!(suggested["suggestions"], json!([{"text": "craft", "count": 1}]), "{suggested}");
    let get = server.request("GET /indexes/books/search?facets=genre&limit=0").with_key(&token);
    let distribution = get.send().json()["facetDistribution"].clone();
    assert_eq!(distribution, json!({"genre": {"craft": 1, "novel": 1}}));

    let (_, similar) = send("POST /indexes/vecs/similar", json!({"id": 1, "embedder": "hand"}));
    assert_eq!(ids(&similar), [3]);
    // The document that is hidden is not there to be compared with, either.
    let (status, hidden) = send("POST /indexes/vecs/similar", json!({"id": 2, "embedder": "hand"}));
    assert_eq!((status, &hidden["code"]), (400, &json!("not_found_similar_id")));
    let line = "GET /indexes/vecs/similar?id=2&embedder=hand";
    let hidden = server.request(line).with_key(&token).send();
    hidden.is_error(400, "not_found_similar_id", "Document `2` not found.");
    // A filter of the request hides hits, and not the document.
    let body = json!({"id": 1, "embedder": "hand", "filter": "n = diagonal"});
    assert_eq!(ids(&send("POST /indexes/vecs/similar", body).1), [3]);

    let queries = json!([{"indexUid": "books", "q": "rope"}, {"indexUid": "vecs"}]);
    let (_, answers) = send("POST /multi-search", json!({"queries": queries}));
    assert_eq!(ids(&answers["results"][0]), [4]);
    assert_eq!(ids(&answers["results"][1]), [1, 3]);
    let (_, merged) = send("POST /multi-search", json!({"queries": queries, "federation": {}}));
    let mut found = ids(&merged);
    found.sort_unstable();
    assert_eq!(found, [1, 3, 4]);
    let (status, refused) =
        send("POST /multi-search", json!({"queries": [{"indexUid": "books"}, {"indexUid": "x"}]}));
    assert_eq!(status, 403);
    assert_eq!(refused["message"], format!("Inside `.queries[1]`: {INVALID}"));
    // Saying that one is an instance of a network changes nothing.
    server.call_json("PATCH /experimental-features", json!({"network": true}));
    let proxied = |line: &str, body: Value| {
        let request = server.request(line).with_key(&token).header("Meili-Proxy-Search", "true");
        request.json(&body).send()
    };
    let found = proxied("POST /indexes/books/search", json!({"q": "rope"})).json();
    assert_eq!(ids(&found), [4]);
    let body = json!({"queries": [{"indexUid": "books", "q": "rope"}], "federation": {}});
    assert_eq!(ids(&proxied("POST /multi-search", body).json()), [4]);
    let told = proxied("POST /indexes/vecs/similar", json!({"id": 2, "embedder": "hand"})).text();
    assert!(!told.contains("right"), "{told}");
}

#[test]
fn tokens_open_no_route_but_searches() {
    let scene = Scene::new(&["*"], &["*"]);
    let token = scene.token(json!(["*"]));
    for route in route_table() {
        let Some(action) = route.action else { continue };
        let path = route.pattern.replace("{uid}", "books").replace(['{', '}'], "");
        let line = format!("{} {path}", route.method);
        let answer = scene.server.request(&line).with_key(&token).send();
        match action.split('|').any(|way| ["search", "chatCompletions"].contains(&way)) {
            true => assert!(![401, 403].contains(&answer.status), "{line}"),
            false => answer.is_error(403, "invalid_api_key", INVALID),
        }
    }
}

#[test]
fn tokens_are_refused_for_a_reason() {
    let scene = Scene::new(&["search"], &["books", "films"]);
    let send = |token: &str, index: &str| {
        scene
            .server
            .request(&format!("POST /indexes/{index}/search"))
            .with_key(token)
            .json(&json!({}))
            .send()
    };
    let uid = &scene.parent["uid"];
    let good = scene.token(json!(["books", "a*"]));
    assert_eq!(send(&good, "books").status, 200);
    for (token, index, message) in [
        (
            good.clone(),
            "films",
            r#"The provided tenant token cannot acces the index `films`, allowed indexes are ["a*", "books"]."#,
        ),
        (
            scene.token(json!(["*"])),
            "cars",
            "The API key used to generate this tenant token cannot acces the index `cars`.",
        ),
        (
            scene.token_with(json!({"apiKeyUid": uid})),
            "books",
            "Could not decode tenant token, JSON error: missing field `searchRules` at line 1 column 52.",
        ),
        (
            scene.token_with(json!({"searchRules": ["*"], "apiKeyUid": uid, "aud": "x"})),
            "books",
            "Could not decode tenant token, InvalidAudience.",
        ),
        (
            signed(&json!({"searchRules": ["*"], "apiKeyUid": uid}), MASTER_KEY),
            "books",
            "Could not decode tenant token, InvalidSignature.",
        ),
    ] {
        send(&token, index).is_error(403, "invalid_api_key", message);
    }
    let expired = json!({"searchRules": ["*"], "apiKeyUid": uid, "exp": 1});
    send(&scene.token_with(expired), "books").is_error_like(
        403,
        "invalid_api_key",
        "Tenant token expired. Was valid up to `1` and we're now `",
    );
    // It goes with its key.
    scene.server.call(&format!("DELETE /keys/{}", uid.as_str().unwrap())).is_empty(204);
    send(&good, "books").is_error(403, "invalid_api_key", INVALID);
}
