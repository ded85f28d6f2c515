use serde_json::{Value, json};

use super::{Correction, correction};
use crate::query::Query;
use crate::strategy::Strategy;
use crate::testing::{TestIndex, one_attribute, usual_query};

fn corrected_with<'q>(
    index: &TestIndex,
    text: &'q str,
    change: impl FnOnce(&mut Query<'q>),
) -> Option<String> {
    let mut query = Query { text: Some(text), ..usual_query() };
    change(&mut query);
    let found = correction(&index.snapshot(), &query).expect("an answer");
    found.meant().map(str::to_owned)
}

fn check(index: &TestIndex, cases: &[(&str, Option<&str>)]) {
    for (text, expected) in cases {
        assert_eq!(corrected_with(index, text, |_| ()).as_deref(), *expected, "{text}");
    }
}

fn repeated(counted: &[(&str, usize)]) -> TestIndex {
    let texts: Vec<&str> =
        counted.iter().flat_map(|(text, times)| std::iter::repeat_n(*text, *times)).collect();
    TestIndex::of_texts(one_attribute(), &texts)
}

fn books() -> TestIndex {
    repeated(&[
        ("Harry Potter and the goblet", 3),
        ("pottery for beginners", 20),
        ("the hurry of harpers", 30),
        ("New York moonlight", 4),
        ("houseboat", 2),
        ("received letters", 5),
    ])
}

#[test]
fn misspelled_words_are_replaced_as_typed_around() {
    check(
        &books(),
        &[
            ("harry poter", Some("harry potter")),
            ("Harry POTER goblet", Some("Harry POTTER goblet")),
            ("  harrry,  Poter! ", Some("  harry,  Potter! ")),
            ("\"harry poter\" ", Some("\"harry potter\" ")),
            ("recieved leters", Some("received letters")),
            ("poter -beginers", Some("potter -beginers")),
            ("harry potter", None),
            ("harry pot", None),
            ("", None),
            ("-harry", None),
            ("xyzzyx", None),
        ],
    );
}

#[test]
fn words_are_cut_and_joined() {
    check(
        &books(),
        &[
            ("newyork moonlight", Some("new york moonlight")),
            ("new york moon light ", Some("new york moonlight ")),
            ("house boat ", Some("houseboat ")),
            ("new york ", None),
        ],
    );
}

#[test]
fn neighbours_outweigh_frequency() {
    // `kitty` is rare, but it stands beside `hello`.
    let index = repeated(&[
        ("hello kitty", 2),
        ("kitts", 50),
        ("hello and goodbye kitts", 1),
        ("hellos", 9),
    ]);
    check(&index, &[("hello kittx ", Some("hello kitty ")), ("kittx ", Some("kitts "))]);
}

#[test]
fn words_that_exist_stay_unless_the_whole_query_finds_nothing() {
    let index = repeated(&[("casual wear", 12), ("causal graph", 12), ("casual causal", 1)]);
    check(
        &index,
        &[
            ("causal wear ", Some("casual wear ")),
            ("casual graph ", Some("causal graph ")),
            ("casual ", None),
            ("causal ", None),
            ("casual causal ", None),
        ],
    );
    // A rare misspelling in the documents does not protect itself.
    let index = repeated(&[("seperate", 1), ("separate", 10)]);
    check(&index, &[("seperate ", Some("separate ")), ("separate ", None)]);
    let index = repeated(&[("seperate", 1), ("separate", 9)]);
    check(&index, &[("seperate ", None)]);
}

#[test]
fn words_that_no_document_has_do_not_hinder_others() {
    let index = books();
    check(&index, &[("harrry poter qqqqqqqq ", Some("harry potter qqqqqqqq "))]);
    let all = |query: &mut Query<'_>| query.criteria.to_mut().matching_strategy = Strategy::All;
    assert_eq!(corrected_with(&index, "harrry poter qqqqqqqq ", all), None);
}

#[test]
fn only_documents_of_the_filter_and_displayed_words_count() {
    let documents: Vec<Value> = (0..20)
        .map(|id| json!({"id": id, "t": if id < 10 { "garden" } else { "gardin" }, "n": id, "hidden": "password"}))
        .collect();
    let settings = json!({
        "searchableAttributes": ["t", "hidden"], "displayedAttributes": ["id", "t"], "filterableAttributes": ["n"],
    });
    let index = TestIndex::new(settings, &documents);
    let filter =
        filter::Filter::from_json(&json!("n < 10")).expect("a filter").expect("a condition");
    let filtered = corrected_with(&index, "gardin ", |query| query.filter = Some(&filter));
    assert_eq!(filtered.as_deref(), Some("garden "));
    check(&index, &[("gardin ", None), ("pasword ", None)]);
    let only = ["hidden".to_owned()];
    let mut query = Query { text: Some("gardex "), ..usual_query() };
    query.criteria.to_mut().attributes_to_search_on = Some(only.to_vec());
    assert_eq!(correction(&index.snapshot(), &query).unwrap().meant(), None);
}

#[test]
fn typos_that_the_settings_forbid_are_none() {
    let settings = json!({"searchableAttributes": ["t"], "typoTolerance": {"enabled": false}});
    let index = TestIndex::of_texts(settings, &["harry potter"]);
    check(&index, &[("harry poter ", None)]);
}

#[test]
fn several_instances_decide_together() {
    let part = |text: Option<&str>, found, typed| Correction {
        text: text.map(str::to_owned),
        found,
        typed,
    };
    let merged =
        Correction::merged([part(Some("a"), 6, 0), part(Some("b"), 5, 0), part(Some("a"), 4, 1)]);
    assert_eq!(merged, part(Some("a"), 10, 1));
    assert_eq!(merged.meant(), Some("a"));
    let elsewhere = Correction::merged([part(Some("a"), 9, 0), part(None, 0, 1)]);
    assert_eq!(elsewhere.meant(), None);
    assert_eq!(Correction::merged([]).meant(), None);
}
