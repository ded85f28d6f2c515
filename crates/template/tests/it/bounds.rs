//! Templates that ask for too much: they end, soon, with an error.

use std::time::Duration;

use serde_json::{Value, json};
use template::{DocumentTemplate, OwnFields, RenderError};
use testkit::takes_at_most;

fn render(template: &str, document: Value) -> Result<String, RenderError> {
    let Value::Object(document) = document else { panic!("not an object") };
    let template = DocumentTemplate::parse(template).unwrap();
    takes_at_most(Duration::from_secs(20), || template.render(&document, &OwnFields, None))
}

#[test]
fn loops_end() {
    for template in [
        "{% for i in (1..9000000000000000000) %}{% endfor %}",
        "{% for i in (doc.from..doc.to) %}{% endfor %}",
        "{% tablerow i in (1..9000000000000000000) %}{% endtablerow %}",
        "{% for a in (1..999) %}{% for b in (1..999) %}{% for c in (1..999) %}{% endfor %}{% endfor %}{% endfor %}",
    ] {
        let document = json!({"from": i64::MIN, "to": i64::MAX});
        let rendered = render(template, document);
        assert!(matches!(rendered, Err(RenderError::TooManySteps { .. })), "{rendered:?}");
    }
    let limited = "{% for i in (1..9000000000000000000) limit:2 offset:1 %}{{i}}{% endfor %}";
    assert_eq!(render(limited, json!({})).unwrap(), "23");
}

#[test]
fn texts_end() {
    let long = "x".repeat(100_000);
    for template in [
        "{% for i in (1..1000) %}{{ doc.long }}{% endfor %}",
        "{% capture c %}{% for i in (1..1000) %}{{ doc.long }}{% endfor %}{% endcapture %}",
        "{% assign s = 'aa' %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}",
        "{% assign s = 'a,a' | split: ',' %}{% for i in (1..60) %}{% assign s = s | concat: s %}{% endfor %}",
        "{{ doc.long | replace: 'x', doc.long }}",
        "{{ doc.long | split: '' | join: doc.long }}",
    ] {
        let rendered = render(template, json!({"long": long}));
        assert!(matches!(rendered, Err(RenderError::TooLong { .. })), "{template}");
    }
}

#[test]
fn extreme_numbers_do_not_panic() {
    let document = json!({"min": i64::MIN, "max": i64::MAX, "list": [1, 2, 3]});
    for template in [
        "{{ doc.min | divided_by: -1 }}",
        "{{ doc.min | modulo: -1 }}",
        "{{ doc.max | times: doc.max }}",
        "{{ doc.max | plus: doc.max }}",
        "{{ doc.min | abs }}",
        "{{ 'abc' | slice: doc.min, doc.max }}",
        "{{ 'abc' | truncate: doc.min }}",
        "{{ 1 | modulo: 0 }}{{ 1 | divided_by: 0 }}",
        "{% tablerow i in doc.list cols:0 %}{% endtablerow %}",
        "{% for i in doc.list limit:doc.min offset:doc.max %}{% endfor %}",
    ] {
        // Whatever it is, it is no panic.
        let _ = render(template, document.clone());
    }
}

#[test]
fn deep_templates_are_refused() {
    let blocks =
        |depth| format!("{}x{}", "{% if true %}".repeat(depth), "{% endif %}".repeat(depth));
    assert_eq!(render(&blocks(60), json!({})).unwrap(), "x");
    let error = DocumentTemplate::parse(&blocks(100_000)).unwrap_err().to_string();
    assert!(error.contains("nested more than 64 deep"), "{error}");
    let brackets = format!("{{{{ {}{} }}}}", "a[".repeat(100_000), "]".repeat(100_000));
    assert!(DocumentTemplate::parse(&brackets).is_err());
    // Many blocks beside each other are fine.
    assert_eq!(render(&blocks(1).repeat(1000), json!({})).unwrap().len(), 1000);
}
