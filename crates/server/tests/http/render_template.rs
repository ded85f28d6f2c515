//! Rendering of templates with documents and queries, and invalid templates and inputs.

use serde_json::{Value, json};

use super::harness::{Answer, Setup, TestServer, change_settings};

const DEFAULT: &str = "{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}";

fn server(features: &[&str]) -> TestServer {
    let server = TestServer::start(Setup::default());
    for feature in ["renderRoute"].iter().chain(features) {
        let answer = server.call_json("PATCH /experimental-features", json!({*feature: true}));
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    server
}

/// An embedder that is never asked: its dimensions are given, and so are its vectors.
fn rest(members: Value) -> Value {
    let mut rest = json!({
        "source": "rest", "url": "http://localhost:9/embed", "dimensions": 2,
        "request": "{{text}}", "response": "{{embedding}}",
    });
    rest.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    rest
}

/// An index with an embedder for each way to make something of its one document.
fn server_with_cafes() -> TestServer {
    let server = server(&["multimodal"]);
    let indexing = json!({
        "text": {"value": {"type": "text", "text": "A {{doc.name}}"}},
        "pic": {"value": {"image": "{{doc.picture}}"}},
    });
    let search = json!({
        "t": {"value": {"text": "{{q}}"}},
        "m": {"value": ["{{media.image}}", 1, null]},
    });
    change_settings(
        &server,
        "cafes",
        json!({
            "searchableAttributes": ["name", "city"],
            "embedders": {
                "own": rest(json!({
                    "documentTemplate": "Cafe {{doc.name}} in {{doc.city}}",
                    "documentTemplateMaxBytes": 6,
                })),
                "default": rest(json!({})),
                "none": {"source": "userProvided", "dimensions": 2},
                "fragments": rest(json!({
                    "request": "{{fragment}}",
                    "indexingFragments": indexing, "searchFragments": search,
                })),
            },
        }),
    );
    let given = json!({"own": [1, 0], "default": [1, 0], "none": [1, 0], "fragments": [1, 0]});
    server.with_documents(
        "cafes",
        json!([{"id": 1, "name": "Blue Cup", "city": "Lisbon", "stars": 4, "_vectors": given}]),
    );
    server
}

fn render(server: &TestServer, template: &Value, input: &Value) -> Answer {
    server.call_json("POST /render-template", json!({"template": template, "input": input}))
}

fn inline(text: &str) -> Value {
    json!({"kind": "inlineDocumentTemplate", "inline": text})
}

fn inline_document(fields: Value) -> Value {
    json!({"kind": "inlineDocument", "inline": fields})
}

fn stored(id: &str) -> Value {
    json!({"kind": "indexDocument", "indexUid": "cafes", "id": id})
}

fn of_embedder(embedder: &str) -> Value {
    json!({"kind": "documentTemplate", "indexUid": "cafes", "embedder": embedder})
}

fn fragment(kind: &str, name: &str) -> Value {
    json!({"kind": kind, "indexUid": "cafes", "embedder": "fragments", "fragment": name})
}

fn search(members: Value) -> Value {
    json!({"kind": "inlineSearch", "inline": members})
}

#[test]
fn the_route_needs_its_feature_but_looks_at_the_body_first() {
    let server = TestServer::start(Setup::default());
    render(&server, &inline("x"), &Value::Null).is_error_like(
        400,
        "feature_not_enabled",
        "calling the /render-template route requires enabling the `render_route` experimental feature. See ",
    );
    server.call_json("POST /render-template", json!({})).is_error(
        400,
        "bad_request",
        "Missing field `template`",
    );
}

#[test]
fn kinds_need_the_features_they_belong_to() {
    let server = server(&[]);
    let member = json!({"indexUid": "a", "embedder": "e", "fragment": "f"});
    let of_kind = |kind: &str| {
        let mut template = member.clone();
        template["kind"] = json!(kind);
        template
    };
    let chat = json!({"kind": "chatDocumentTemplate", "indexUid": "a"});
    let inline_fragment = json!({"kind": "inlineFragment", "inline": "x"});
    for (template, tried, feature) in [
        (chat, "accessing chat settings", "chat completions"),
        (of_kind("indexingFragment"), "accessing fragments", "multimodal"),
        (of_kind("searchFragment"), "accessing fragments", "multimodal"),
        (inline_fragment, "rendering an inline fragment", "multimodal"),
    ] {
        let message = format!(
            "error while fetching template: {tried} requires enabling the `{feature}` experimental feature. See "
        );
        render(&server, &template, &Value::Null).is_error_like(
            400,
            "feature_not_enabled",
            &message,
        );
    }
    render(&server, &inline("x"), &search(json!({}))).is_error_like(
        400,
        "feature_not_enabled",
        "error while fetching input: rendering an inline search requires enabling the `multimodal` experimental feature. See ",
    );
}

#[test]
fn inline_templates_are_shown_and_rendered() {
    let server = server(&[]);
    let document = inline_document(json!({"name": "Ada", "list": ["x", "y"], "n": 40}));
    for (text, rendered) in [
        ("Hello {{ doc.name }}, {{doc.list[1]}}", "Hello Ada, y"),
        ("{{ doc.n | plus: 2 }}", "42"),
        ("{% for f in fields %}{{f.name}}={{f.value}};{% endfor %}", "name=Ada;list=xy;n=40;"),
        (DEFAULT, "name: Ada\nlist: xy\nn: 40\n"),
        ("", ""),
    ] {
        let expected = json!({"template": text, "rendered": rendered});
        render(&server, &inline(text), &document).is(200, expected);
        let unrendered = json!({"template": text, "rendered": null});
        render(&server, &inline(text), &Value::Null).is(200, unrendered.clone());
        let without = server.call_json("POST /render-template", json!({"template": inline(text)}));
        without.is(200, unrendered);
    }
}

#[test]
fn templates_that_do_not_parse_and_those_that_do_not_fit_are_told_apart() {
    let server = server(&[]);
    let document = inline_document(json!({"a": 1}));
    for text in ["{{doc.name", "{% if %}", "{{ doc.a | nofilter }}"] {
        for input in [&document, &Value::Null] {
            render(&server, &inline(text), input).is_error_like(
                400,
                "template_parsing_error",
                "error while fetching template: ",
            );
        }
    }
    for text in ["{{doc.missing}}", "{{other}}"] {
        render(&server, &inline(text), &document).is_error_like(
            400,
            "template_rendering_error",
            "error while rendering template: ",
        );
    }
}

#[test]
fn stored_templates_meet_stored_documents() {
    let server = server_with_cafes();
    let own = "Cafe {{doc.name}} in {{doc.city}}";
    let inline_cafe = inline_document(json!({"name": "N", "city": "C", "stars": 5}));
    let mut cut = of_embedder("own");
    cut["documentTemplateMaxBytes"] = json!(5);
    for (template, input, shown, rendered) in [
        (of_embedder("own"), Value::Null, own, Value::Null),
        (of_embedder("own"), stored("1"), own, json!("Cafe Blue Cup in Lisbon")),
        (cut, stored("1"), own, json!("Cafe Blue Cup in Lisbon")),
        (of_embedder("own"), inline_cafe.clone(), own, json!("Cafe N in C")),
        // What is searchable is for the index of the document to say.
        (of_embedder("default"), stored("1"), DEFAULT, json!("name: Blue Cup\ncity: Lisbon\n")),
        (inline(DEFAULT), stored("1"), DEFAULT, json!("name: Blue Cup\ncity: Lisbon\n")),
        (of_embedder("default"), inline_cafe, DEFAULT, json!("name: N\ncity: C\nstars: 5\n")),
        (inline("{{doc.stars}}"), stored("1"), "{{doc.stars}}", json!("4")),
    ] {
        let answer = render(&server, &template, &input);
        answer.is(200, json!({"template": shown, "rendered": rendered}));
    }
}

#[test]
fn the_template_of_conversations_is_rendered_as_well() {
    let server = server(&["chatCompletions"]);
    server.with_documents("chatty", json!([{"id": 1, "name": "Blue Cup"}]));
    let template = json!({"kind": "chatDocumentTemplate", "indexUid": "chatty"});
    let document = json!({"kind": "indexDocument", "indexUid": "chatty", "id": "1"});
    let rendered = "id: 1\nname: Blue Cup\n";
    let answer = render(&server, &template, &document);
    answer.is(200, json!({"template": DEFAULT, "rendered": rendered}));
    let own = json!({"chat": {"documentTemplate": "<{{doc.name}}>"}});
    change_settings(&server, "chatty", own);
    let answer = render(&server, &template, &document);
    answer.is(200, json!({"template": "<{{doc.name}}>", "rendered": "<Blue Cup>"}));
}

#[test]
fn fragments_keep_their_form() {
    let server = server_with_cafes();
    let text = json!({"type": "text", "text": "A {{doc.name}}"});
    let media = json!(["{{media.image}}", 1, null]);
    let inline_fragment = |inline: &Value| json!({"kind": "inlineFragment", "inline": inline});
    let nested = json!({"a": ["{{doc.name}}", 2, true, {"b": "{{doc.id}}!"}]});
    let of_query = json!({"a": "{{q}}"});
    for (template, input, shown, rendered) in [
        (fragment("indexingFragment", "text"), Value::Null, &text, Value::Null),
        (
            fragment("indexingFragment", "text"),
            stored("1"),
            &text,
            json!({"type": "text", "text": "A Blue Cup"}),
        ),
        (
            fragment("searchFragment", "t"),
            search(json!({"q": "tea", "media": null})),
            &json!({"text": "{{q}}"}),
            json!({"text": "tea"}),
        ),
        (
            fragment("searchFragment", "m"),
            search(json!({"media": {"image": "x.png"}})),
            &media,
            json!(["x.png", 1, null]),
        ),
        (
            inline_fragment(&nested),
            stored("1"),
            &nested,
            json!({"a": ["Blue Cup", 2, true, {"b": "1!"}]}),
        ),
        (
            inline_fragment(&of_query),
            search(json!({"q": "hi", "x": 1})),
            &of_query,
            json!({"a": "hi"}),
        ),
        (inline("{{q}}"), search(json!({"q": "hi"})), &json!("{{q}}"), json!("hi")),
    ] {
        let answer = render(&server, &template, &input);
        answer.is(200, json!({"template": shown, "rendered": rendered}));
    }
    for (template, input) in [
        (fragment("indexingFragment", "pic"), stored("1")),
        (fragment("searchFragment", "t"), search(json!({"media": {}}))),
        (fragment("searchFragment", "t"), search(json!({"q": null}))),
        (fragment("searchFragment", "t"), stored("1")),
        (inline("{{doc.name}}"), search(json!({"q": "hi"}))),
    ] {
        render(&server, &template, &input).is_error_like(
            400,
            "template_rendering_error",
            "error while rendering template: ",
        );
    }
    render(&server, &inline_fragment(&json!(["{{"])), &Value::Null).is_error_like(
        400,
        "template_parsing_error",
        "error while fetching template: in `inline[0]`: ",
    );
}

#[test]
fn a_composite_embedder_has_the_templates_of_its_parts() {
    let server = server(&["multimodal", "compositeEmbedders"]);
    let part =
        |kind: &str, fragments: Value| rest(json!({"request": "{{fragment}}", kind: fragments}));
    let both = json!({
        "source": "composite",
        "searchEmbedder": part("searchFragments", json!({"s": {"value": "{{q}}"}})),
        "indexingEmbedder": part("indexingFragments", json!({"i": {"value": "{{doc.id}}"}})),
    });
    change_settings(&server, "cafes", json!({"embedders": {"fragments": both}}));
    for (kind, name, shown) in
        [("indexingFragment", "i", "{{doc.id}}"), ("searchFragment", "s", "{{q}}")]
    {
        let answer = render(&server, &fragment(kind, name), &Value::Null);
        answer.is(200, json!({"template": shown, "rendered": null}));
    }
    render(&server, &of_embedder("fragments"), &Value::Null).is_error_like(
        400,
        "invalid_render_template",
        "does not use a document template.",
    );
}

#[test]
fn missing_things_are_named_in_the_error() {
    let server = server_with_cafes();
    let mut nowhere = of_embedder("own");
    nowhere["indexUid"] = json!("none");
    let mut fragment_of_nobody = fragment("searchFragment", "t");
    fragment_of_nobody["embedder"] = json!("z");
    for (template, status, code, message) in [
        (nowhere, 404, "index_not_found", "cannot open index `none`: Index `none` not found."),
        (
            of_embedder("z"),
            400,
            "invalid_render_template",
            "cannot find embedder `z` in index `cafes`",
        ),
        (
            of_embedder("none"),
            400,
            "invalid_render_template",
            "embedder `none` in index `cafes` does not use a document template.",
        ),
        (
            of_embedder("fragments"),
            400,
            "invalid_render_template",
            "embedder `fragments` in index `cafes` does not use a document template.",
        ),
        (
            fragment_of_nobody,
            400,
            "invalid_render_template",
            "cannot find embedder `z` in index `cafes`",
        ),
        (
            fragment("indexingFragment", "t"),
            400,
            "invalid_render_template",
            "cannot find indexing fragment `t` for embedder `fragments` in index `cafes`",
        ),
        (
            fragment("searchFragment", "text"),
            400,
            "invalid_render_template",
            "cannot find search fragment `text` for embedder `fragments` in index `cafes`",
        ),
    ] {
        let message = format!("error while fetching template: {message}");
        // Templates are looked for before inputs.
        for input in [Value::Null, json!({"kind": "inlineDocument"})] {
            render(&server, &template, &input).is_error(status, code, &message);
        }
    }
    for id in ["404", "bad id"] {
        let message = format!("error while fetching input: document `{id}` not found in `cafes`");
        render(&server, &inline("x"), &stored(id)).is_error(
            404,
            "render_document_not_found",
            &message,
        );
    }
    // The index is looked for before the id is missed.
    for input in [
        json!({"kind": "indexDocument", "indexUid": "none", "id": "1"}),
        json!({"kind": "indexDocument", "indexUid": "none"}),
    ] {
        let message = "Cannot open index `none`: Index `none` not found.";
        render(&server, &inline("x"), &input).is_error(404, "index_not_found", message);
    }
    render(&server, &inline("x"), &json!({"kind": "indexDocument", "indexUid": "cafes"})).is_error(
        400,
        "invalid_render_input",
        "error while fetching input: parameter `id` missing for kind `indexDocument`",
    );
}

#[test]
fn each_kind_has_its_members() {
    let server = server(&["multimodal", "chatCompletions"]);
    for (template, problem) in [
        (json!({"kind": "documentTemplate"}), "parameter `index_uid` missing"),
        (json!({"kind": "documentTemplate", "indexUid": "a"}), "parameter `embedder` missing"),
        (
            json!({"kind": "documentTemplate", "indexUid": "a", "embedder": "e", "inline": "x"}),
            "parameter `inline` disallowed",
        ),
        (
            json!({"kind": "documentTemplate", "indexUid": "a", "embedder": "e", "fragment": "x"}),
            "parameter `fragment` disallowed",
        ),
        (json!({"kind": "chatDocumentTemplate"}), "parameter `index_uid` missing"),
        (
            json!({"kind": "chatDocumentTemplate", "indexUid": "a", "embedder": "e"}),
            "parameter `embedder` disallowed",
        ),
        (
            json!({"kind": "indexingFragment", "indexUid": "a", "embedder": "e"}),
            "parameter `fragment` missing",
        ),
        (
            json!({"kind": "searchFragment", "indexUid": "a", "fragment": "f"}),
            "parameter `embedder` missing",
        ),
        (
            json!({"kind": "searchFragment", "indexUid": "a", "embedder": "e", "fragment": "f", "documentTemplateMaxBytes": 1}),
            "parameter `documentTemplateMaxBytes` disallowed",
        ),
        (json!({"kind": "inlineDocumentTemplate"}), "parameter `inline` missing"),
        (
            json!({"kind": "inlineDocumentTemplate", "inline": "x", "indexUid": "a"}),
            "parameter `index_uid` disallowed",
        ),
        (
            json!({"kind": "inlineDocumentTemplate", "inline": "x", "embedder": "a"}),
            "parameter `embedder` disallowed",
        ),
        (json!({"kind": "inlineFragment", "inline": null}), "parameter `inline` missing"),
        (
            json!({"kind": "inlineFragment", "inline": "x", "fragment": "f"}),
            "parameter `fragment` disallowed",
        ),
    ] {
        let kind = template["kind"].as_str().unwrap();
        let message = format!("error while fetching template: {problem} for kind `{kind}`");
        render(&server, &template, &Value::Null).is_error(400, "invalid_render_template", &message);
    }
    render(&server, &json!({"kind": "inlineDocumentTemplate", "inline": 3}), &Value::Null)
        .is_error(
            400,
            "invalid_render_template",
            "error while fetching template: inline document templates must be strings",
        );
    for (input, problem) in [
        (
            json!({"kind": "indexDocument", "id": "1"}),
            "parameter `index_uid` missing for kind `indexDocument`",
        ),
        (
            json!({"kind": "indexDocument", "indexUid": "a", "id": "1", "inline": {}}),
            "parameter `inline` disallowed for kind `indexDocument`",
        ),
        (json!({"kind": "inlineDocument"}), "parameter `inline` missing for kind `inlineDocument`"),
        (
            json!({"kind": "inlineDocument", "inline": {}, "id": "1"}),
            "parameter `id` disallowed for kind `inlineDocument`",
        ),
        (
            json!({"kind": "inlineSearch", "inline": {}, "indexUid": "a"}),
            "parameter `index_uid` disallowed for kind `inlineSearch`",
        ),
        (inline_document(json!("x")), "inline documents must be objects"),
        (search(json!([])), "inline searches must be objects"),
        (search(json!({"q": 1})), "`q` of inline searches must be a string"),
    ] {
        let message = format!("error while fetching input: {problem}");
        render(&server, &inline("x"), &input).is_error(400, "invalid_render_input", &message);
    }
}

#[test]
fn the_body_is_refused_member_by_member() {
    let server = server(&[]);
    let kinds = "`documentTemplate`, `chatDocumentTemplate`, `indexingFragment`, `searchFragment`, `inlineDocumentTemplate`, `inlineFragment`";
    for (template, message) in [
        (json!(null), "Invalid value type at `.template`: expected an object, but found null".to_owned()),
        (json!("x"), "Invalid value type at `.template`: expected an object, but found a string: `\"x\"`".to_owned()),
        (json!({}), "Missing field `kind` inside `.template`".to_owned()),
        (json!({"kind": "poem"}), format!("Unknown value `poem` at `.template.kind`: expected one of {kinds}")),
        (json!({"kind": "inlineDocumentTemplate", "inline": "x", "extra": 1}), "Unknown field `extra` inside `.template`: expected one of `kind`, `indexUid`, `embedder`, `fragment`, `inline`, `documentTemplateMaxBytes`".to_owned()),
        (json!({"kind": "inlineDocumentTemplate", "inline": "x", "documentTemplateMaxBytes": 0}), "Invalid value at `.template.documentTemplateMaxBytes`: a non-zero integer value lower than `18446744073709551615` was expected, but found a zero".to_owned()),
    ] {
        render(&server, &template, &Value::Null).is_error(400, "invalid_render_template", &message);
    }
    for (input, message) in [
        (
            json!("x"),
            "Invalid value type at `.input`: expected an object, but found a string: `\"x\"`",
        ),
        (json!({}), "Missing field `kind` inside `.input`"),
        (
            json!({"kind": "song"}),
            "Unknown value `song` at `.input.kind`: expected one of `indexDocument`, `inlineDocument`, `inlineSearch`",
        ),
        (
            json!({"kind": "inlineDocument", "inline": {}, "id": 1}),
            "Invalid value type at `.input.id`: expected a string, but found a positive integer: `1`",
        ),
    ] {
        render(&server, &inline("x"), &input).is_error(400, "invalid_render_input", message);
    }
    server
        .call_json("POST /render-template", json!({"template": inline("x"), "extra": 1}))
        .is_error(400, "bad_request", "Unknown field `extra`: expected one of `template`, `input`");
    server.call("GET /render-template").is_empty(405);
}
