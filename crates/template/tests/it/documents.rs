//! Texts of documents, and fragments.

use std::num::NonZeroUsize;

use serde_json::{Map, Value, json};
use template::{
    DEFAULT_DOCUMENT_TEMPLATE, DocumentTemplate, Fields, Fragment, OwnFields, RenderError,
    Variables,
};

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("not an object: {other}"),
    }
}

fn render(template: &str, document: Value) -> Result<String, RenderError> {
    DocumentTemplate::parse(template).unwrap().render(&object(document), &OwnFields, None)
}

#[track_caller]
fn check(template: &str, document: Value, expected: &str) {
    assert_eq!(render(template, document).unwrap(), expected);
}

#[test]
fn values_are_written_as_recorded() {
    check("Hello {{ doc.name }}", json!({"name": "Ada"}), "Hello Ada");
    check("{{doc.a.b}} and {{doc.list[1]}}", json!({"a": {"b": 3}, "list": ["x", "y"]}), "3 and y");
    check(
        "{% for f in fields %}{{f.name}}={{f.value}};{% endfor %}",
        json!({"a": 1, "b": "two", "c": [1, 2]}),
        "a=1;b=two;c=12;",
    );
    check(
        "{{ doc.n | plus: 2 }} {{ doc.s | upcase | truncate: 5 }}",
        json!({"n": 40, "s": "liquid"}),
        "42 LI...",
    );
    check("{% if doc.ok %}yes{% else %}no{% endif %}", json!({"ok": false}), "no");
    check("{{doc}}", json!({"a": 1}), "a1");
    check(
        "{{doc.price}} {{doc.none}} {{doc.big}}",
        json!({"price": 1.5, "none": null, "big": 12_345_678_901_234_567_890_u64}),
        "1.5  12345678901234567890",
    );
    check("no variables", json!({}), "no variables");
    check("", json!({"a": 1}), "");
    check("{{ doc.tags | join: \", \" }}", json!({"tags": ["é", "ß", "日"]}), "é, ß, 日");
}

#[test]
fn objects_keep_the_order_of_their_members_wherever_they_go() {
    let document = json!({
        "z": {"k": 1, "a": {"y": 2, "b": [{"q": 3, "c": 4}], "x": {}}, "h": null},
        "list": [{"n": "second", "b": 1, "a": 2}, {"n": "First", "d": 3, "c": 4}],
        "many": {"m": 1, "l": 2, "k": 3, "j": 4, "i": 5, "h": 6, "g": 7, "f": 8, "e": 9, "d": 10},
        "same": [{"b": 1, "a": 2}, {"a": 2, "b": 1}, {"b": 1, "a": 3}],
    });
    for (template, expected) in [
        ("{{doc.z}}", "k1ay2bq3c4xh"),
        ("{{doc.z.a}}|{{doc.z['a'].b}}", "y2bq3c4x|q3c4"),
        ("{{doc.many}}", "m1l2k3j4i5h6g7f8e9d10"),
        ("{{doc.many.d}}{{doc.many.size}}", "1010"),
        ("{{doc.list}}", "nsecondb1a2nFirstd3c4"),
        ("{% assign x = doc.z %}{{x}}|{{x.a.b[0].c}}|{{x.a}}", "k1ay2bq3c4xh|4|y2bq3c4x"),
        (
            "{% assign x = doc.list | reverse %}{{x[1].n}}{{x.size}}{{x}}",
            "second2nFirstd3c4nsecondb1a2",
        ),
        ("{% assign x = doc.list | first %}{{x | append: '!'}}{{x | size}}", "nsecondb1a2!3"),
        ("{{doc.list | first}}|{{doc.list | last | upcase}}", "nsecondb1a2|NFIRSTD3C4"),
        ("{{doc.list | sort: 'n'}}", "nFirstd3c4nsecondb1a2"),
        ("{{doc.list | sort_natural: 'n' | map: 'n' | join: ','}}", "First,second"),
        ("{{doc.list | where: 'd' | first}}", "nFirstd3c4"),
        ("{{doc.list | concat: doc.same | compact | size}}", "5"),
        ("{{doc.list | concat: doc.same | last}}", "b1a3"),
        ("{{doc.same | uniq}}", "b1a2b1a3"),
        ("{{doc.none | default: doc.z.a}}", "y2bq3c4x"),
        ("{{'=' | append: doc.z.a}}", "=y2bq3c4x"),
        ("{% for p in doc.z %}{{p[0]}}:{{p[1]}};{% endfor %}", "k:1;a:y2bq3c4x;h:;"),
        (
            "{% assign x = doc.z.a %}{% for p in x %}{{p[0]}}={{p[1]}};{% endfor %}",
            "y=2;b=q3c4;x=;",
        ),
        (
            "{% for o in doc.list %}{{o}},{% for p in o %}{{p[0]}}{% endfor %};{% endfor %}",
            "nsecondb1a2,nba;nFirstd3c4,ndc;",
        ),
        ("{% for o in doc.list reversed limit:1 %}{{o.n}}{{o}}{% endfor %}", "secondnsecondb1a2"),
        (
            "{% tablerow o in doc.list %}{{o}}{% endtablerow %}",
            "<tr class=\"row1\"><td class=\"col1\">nsecondb1a2</td><td class=\"col2\">nFirstd3c4</td></tr>",
        ),
        ("{% capture x %}{{doc.z.a}}{% endcapture %}{{x}}", "y2bq3c4x"),
        ("{% for f in fields limit:1 %}{{f.name}}={{f.value}}{% endfor %}", "z=k1ay2bq3c4xh"),
        (
            "{% if doc.z.a.x == empty %}empty{% endif %}{% if doc.z contains 'h' %}h{% endif %}",
            "emptyh",
        ),
    ] {
        let document = match template.contains("doc.none") {
            true => json!({"none": null, "z": document["z"]}),
            false => document.clone(),
        };
        assert_eq!(render(template, document).unwrap(), expected, "{template}");
    }
}

#[test]
fn values_of_different_kinds_are_sorted_all_the_same() {
    let list = json!({"list": ["b", 2, null, true, 1.5, "a", {"b": 1, "a": 2}, [1], 1, false]});
    check("{{ doc.list | sort | join: ' ' }}", list, "1 false true 1 1.5 2 b1a2 a b ");
}

#[test]
fn missing_fields_are_errors() {
    for template in ["{{doc.missing}}", "{{other}}", "{{doc.a.b}}", "{{doc.list[7]}}"] {
        let error = render(template, json!({"a": 1, "list": []})).unwrap_err();
        assert!(matches!(error, RenderError::Liquid(_)), "{template}: {error:?}");
    }
    let error = render("{{doc.missing}}", json!({"a": 1})).unwrap_err().to_string();
    assert!(error.contains("requested index=missing"), "{error}");
}

#[test]
fn invalid_liquid_is_refused() {
    for template in
        ["{{doc.name", "{% if %}", "{{ doc.a | nofilter }}", "{% for a in %}", "{{ doc. }}", "{{"]
    {
        let error = DocumentTemplate::parse(template).unwrap_err().to_string();
        assert!(error.starts_with("liquid: ") && !error.ends_with('\n'), "{template}: {error:?}");
    }
}

struct IndexFields(Vec<String>);

impl Fields for IndexFields {
    fn known(&self) -> &[String] {
        &self.0
    }

    fn is_searchable(&self, name: &str) -> bool {
        name != "stars"
    }
}

#[test]
fn the_default_template_lists_searchable_fields_with_values() {
    let template = DocumentTemplate::parse(DEFAULT_DOCUMENT_TEMPLATE).unwrap();
    let fields = IndexFields(["city", "name", "other"].map(str::to_owned).to_vec());
    let document = json!({"name": "Blue Cup", "stars": 4, "city": "Lisbon", "none": null, "new": 1, "_vectors": {"a": [1]}});
    let text = template.render(&object(document), &fields, None).unwrap();
    assert_eq!(text, "city: Lisbon\nname: Blue Cup\nnew: 1\n");
}

#[test]
fn index_fields_come_first_and_may_be_nil() {
    let template = DocumentTemplate::parse(
        "{% for f in fields %}{{ forloop.index }}/{{ forloop.length }} {{ f.name }} {{ f.value }}{% unless forloop.last %}, {% endunless %}{% endfor %}",
    )
    .unwrap();
    let fields = IndexFields(["city", "name"].map(str::to_owned).to_vec());
    let text = template.render(&object(json!({"name": "N", "x": 1})), &fields, None).unwrap();
    assert_eq!(text, "1/3 city , 2/3 name N, 3/3 x 1");
}

#[test]
fn texts_are_cut_between_characters() {
    let template = DocumentTemplate::parse("{{doc.a}}").unwrap();
    let cut = |text: &str, bytes| {
        let document = object(json!({"a": text}));
        template.render(&document, &OwnFields, NonZeroUsize::new(bytes)).unwrap()
    };
    assert_eq!(cut("abcdefgh", 3), "abc");
    assert_eq!(cut("abc", 3), "abc");
    assert_eq!(cut("aéé", 4), "aé");
    assert_eq!(cut("日本", 2), "");
}

#[test]
fn the_standard_library_is_there() {
    let list = json!({"list": ["b", "a", "c"]});
    check("{% for i in (1..3) reversed %}{{i}}{% endfor %}", json!({}), "321");
    check("{% for i in doc.list limit:1 offset:1 %}{{i}}{% endfor %}", list.clone(), "a");
    check("{% for i in doc.list %}{{i}}{% break %}{% endfor %}", list.clone(), "b");
    check("{% for i in doc.none %}x{% else %}none{% endfor %}", json!({"none": []}), "none");
    check("{% for p in doc.o %}{{ p[0] }}{{ p[1] }}{% endfor %}", json!({"o": {"k": 1}}), "k1");
    check(
        "{% for a in (1..2) %}{% for b in (1..2) %}{{ forloop.parentloop.index }}{{ b }} {% endfor %}{% endfor %}",
        json!({}),
        "11 12 21 22 ",
    );
    check(
        "{% tablerow i in doc.list cols:2 %}{{i}}{% endtablerow %}",
        list.clone(),
        "<tr class=\"row1\"><td class=\"col1\">b</td><td class=\"col2\">a</td></tr><tr class=\"row2\"><td class=\"col1\">c</td></tr>",
    );
    check("{% assign x = doc.list | sort | join %}{{x}}", list.clone(), "a b c");
    check("{% capture x %}<{{doc.list}}>{% endcapture %}{{x}}{{x}}", list, "<bac><bac>");
    check("{{ 'a-b' | replace: '-', '+' }}{{ 'a-b' | replace: '-' }}", json!({}), "a+bab");
    check("{% case doc.a %}{% when 1 %}one{% else %}other{% endcase %}", json!({"a": 1}), "one");
    check(
        "{% comment %}{{ nothing }}{% endcomment %}{% raw %}{{ x }}{% endraw %}",
        json!({}),
        "{{ x }}",
    );
}

#[test]
fn fragments_render_every_string() {
    let value = json!({"a": ["{{doc.breed}}", 2, true, {"b": "{{doc.id}}!"}], "c": null});
    let fragment = Fragment::parse(&value, "f").unwrap();
    let document = Variables::of_document(&object(json!({"id": 1, "breed": "collie"})));
    assert_eq!(
        fragment.render(&document).unwrap(),
        json!({"a": ["collie", 2, true, {"b": "1!"}], "c": null})
    );
    let without = Variables::of_document(&object(json!({"id": 1})));
    assert!(fragment.render(&without).is_err());
}

#[test]
fn search_fragments_see_the_query() {
    let text = Fragment::parse(&json!({"text": "{{q}}"}), "f").unwrap();
    let image = Fragment::parse(&json!(["{{media.image}}", 1]), "f").unwrap();
    let media = json!({"image": "x.png"});
    let query = Variables::of_query(Some("poodle"), None);
    assert_eq!(text.render(&query).unwrap(), json!({"text": "poodle"}));
    assert!(image.render(&query).is_err());
    let query = Variables::of_query(None, Some(&media));
    assert_eq!(image.render(&query).unwrap(), json!(["x.png", 1]));
    assert!(text.render(&query).is_err());
}

#[test]
fn a_bad_fragment_is_named() {
    let error = Fragment::parse(&json!({"a": ["x", "{{doc.a"]}), "indexingFragments.f.value");
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("in `indexingFragments.f.value.a[1]`: liquid: "), "{error}");
}
