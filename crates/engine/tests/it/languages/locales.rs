//! Which language a text is taken to be in: the rules of `localizedAttributes` for documents and
//! queries, and `locales` of a query before them.

use serde_json::{Value, json};

use crate::languages::support::Texts;

/// Equal texts under names that the rules distinguish.
fn labelled() -> Vec<Value> {
    let label = |id: &str, name: &str, text: &str| json!({ "id": id, name: text });
    vec![
        label("de", "title_de", "Waschmaschine"),
        label("sv", "title_sv", "båt på sjön"),
        label("ja", "title_ja", "写真"),
        label("free", "title", "Waschmaschine, båt, 写真"),
    ]
}

fn rules() -> Value {
    json!([
        { "attributePatterns": ["*_de"], "locales": ["de"] },
        { "attributePatterns": ["title_s*"], "locales": ["sv"] },
        { "attributePatterns": ["*_ja*"], "locales": ["jpn"] },
    ])
}

#[test]
fn documents_are_cut_by_the_first_rule_for_their_attribute() {
    let texts = Texts::of_documents(json!({ "localizedAttributes": rules() }), &labelled());
    texts.check_on(&["title_de"], "maschine", &[("de", "maschine")]);
    texts.check_on(&["title"], "maschine", &[]);
    texts.check_on(&["title_sv"], "båt", &[("sv", "båt")]);
    texts.check_on(&["title_sv"], "bat", &[]);
    texts.check_on(&["title"], "bat", &[("free", "båt")]);
    texts.check_on(&["title_ja"], "写真", &[("ja", "写真")]);
}

#[test]
fn a_rule_before_another_wins() {
    let german = json!({ "attributePatterns": ["*_de"], "locales": ["de"] });
    let english = json!({ "attributePatterns": ["title*"], "locales": ["en"] });
    let first = json!({ "localizedAttributes": [german, english] });
    let last = json!({ "localizedAttributes": [english, german] });
    let texts = Texts::of_documents(first, &labelled());
    texts.check_on(&["title_de"], "maschine", &[("de", "maschine")]);
    texts.change(last);
    texts.check_on(&["title_de"], "maschine", &[]);
}

#[test]
fn texts_are_cut_again_when_the_rules_change() {
    let texts = Texts::of_documents(json!({}), &labelled());
    texts.check_on(&["title_de"], "maschine", &[]);
    texts.check_on(&["title_sv"], "bat", &[("sv", "båt")]);
    texts.change(json!({ "localizedAttributes": rules() }));
    texts.check_on(&["title_de"], "maschine", &[("de", "maschine")]);
    texts.check_on(&["title_sv"], "bat", &[]);
    texts.change(json!({ "localizedAttributes": null }));
    texts.check_on(&["title_de"], "maschine", &[]);
    texts.check_on(&["title_sv"], "bat", &[("sv", "båt")]);
}

#[test]
fn a_query_is_in_the_languages_of_what_it_searches() {
    let texts = Texts::of_documents(json!({ "localizedAttributes": rules() }), &labelled());
    // In German: its parts.
    texts.check_on(&["title_de"], "maschine wasch ", &[("de", "Wasch|maschine")]);
    texts.check_on(&["title_de"], "waschmaschine ", &[("de", "Wasch|maschine")]);
    // Where no rule is for the attribute it is in any.
    texts.check_on(&["title"], "waschmaschine ", &[("free", "Waschmaschine")]);
}

#[test]
fn several_locales_leave_a_choice() {
    let either = json!([{ "attributePatterns": ["title_de"], "locales": ["de", "en"] }]);
    let documents = [
        json!({ "id": "de", "title_de": "Die Kaffeemaschine steht in der Küche" }),
        json!({ "id": "en", "title_de": "The coffeehouse stands in the kitchen" }),
    ];
    let texts = Texts::of_documents(json!({ "localizedAttributes": either }), &documents);
    texts.check("maschine", &[("de", "maschine")]);
    texts.check("house", &[]);
    texts.check("coffeehouse", &[("en", "coffeehouse")]);
}

#[test]
fn locales_of_a_query_come_before_the_rules() {
    let texts = Texts::of_documents(json!({ "localizedAttributes": rules() }), &labelled());
    texts.check_in(
        &["de"],
        "waschmaschine ",
        &[("de", "Wasch|maschine"), ("free", "Wasch|maschine")],
    );
    texts.check_in(&["sv"], "båt ", &[("sv", "båt")]);
    texts.check_in(&["en"], "båt ", &[("free", "båt")]);
}
