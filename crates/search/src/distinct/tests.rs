use model::Cancel;
use segment::DocId;
use serde_json::{Value, json};

use super::Distinct;
use crate::context::Context;
use crate::query::Query;
use crate::testing::{TestIndex, asc, desc, id_of};

fn skus() -> Vec<Value> {
    let skus = json!(["A", "A", "B", "a", null, "", ["B", "C"], "C", 7, 7.0, "7", [], "x"]);
    let skus = skus.as_array().expect("an array");
    (1..).zip(skus).map(|(id, sku)| json!({ "id": id, "sku": sku, "n": id })).collect()
}

fn index() -> TestIndex {
    let settings = json!({ "distinctAttribute": "sku", "sortableAttributes": ["n"],
        "filterableAttributes": ["n"] });
    TestIndex::new(settings, &skus())
}

fn window(offset: usize, limit: usize, exhaustive: bool) -> (Vec<u64>, u64) {
    let ask = |query: &mut Query<'_>| {
        (query.offset, query.limit, query.exhaustive) = (offset, limit, exhaustive);
    };
    let answer = index().run(ask).expect("an answer");
    (answer.ids(), answer.total())
}

#[test]
fn one_document_of_each_value_and_all_without() {
    assert_eq!(window(0, 20, false), (vec![1, 3, 5, 6, 8, 9, 11, 12, 13], 9));
}

#[test]
fn only_known_duplicates_are_not_counted_unless_exhaustive() {
    assert_eq!(window(0, 3, false), (vec![1, 3, 5], 10));
    assert_eq!(window(3, 3, false), (vec![6, 8, 9], 9));
    assert_eq!(window(0, 0, false), (vec![], 13));
    assert_eq!(window(0, 3, true), (vec![1, 3, 5], 9));
    assert_eq!(window(6, 3, true), (vec![11, 12, 13], 9));
    assert_eq!(window(0, 0, true), (vec![], 9));
}

#[test]
fn the_first_in_the_order_is_kept() {
    let index = index();
    assert_eq!(index.sorted(&[asc("n")]), [1, 3, 5, 6, 8, 9, 11, 12, 13]);
    assert_eq!(index.sorted(&[desc("n")]), [13, 12, 11, 10, 8, 6, 5, 4, 3]);
}

#[test]
fn values_of_replaced_and_deleted_documents_do_not_count() {
    let index = index();
    index.put(&[json!({ "id": 1, "sku": "new", "n": 1 }), json!({ "id": 13, "sku": "NEW" })]);
    index.delete(&[3, 9]);
    assert_eq!(index.sorted(&[asc("n")]), [1, 2, 5, 6, 7, 10, 11, 12]);
}

/// Whatever the rules, and though most documents are duplicates.
#[test]
fn many_duplicates_are_passed_over() {
    let document = |id: u64| {
        let t = if id.is_multiple_of(3) { "red lamp" } else { "lamp red" };
        json!({ "id": id, "t": t, "group": id / 2500, "n": 10_000 - id })
    };
    let documents: Vec<Value> = (0..10_000).map(document).collect();
    let settings = json!({ "distinctAttribute": "group", "searchableAttributes": ["t"],
        "sortableAttributes": ["n"] });
    let index = TestIndex::new(settings, &documents);
    let find = |sorts: bool, text: &'static str| {
        let sort = [asc("n")];
        let sort = if sorts { &sort[..] } else { &[] };
        let answer = index.run_sorted(sort, |query| query.text = Some(text));
        let answer = answer.expect("an answer");
        (answer.ids(), answer.total())
    };
    assert_eq!(find(false, ""), (vec![0, 2500, 5000, 7500], 4));
    assert_eq!(find(true, ""), (vec![9999, 7499, 4999, 2499], 4));
    assert_eq!(find(false, "red lamp "), (vec![0, 2502, 5001, 7500], 4));
    assert_eq!(find(true, "red lamp "), (vec![9999, 7497, 4998, 2499], 4));
}

#[test]
fn a_request_may_name_another_attribute_if_it_is_filterable() {
    let features = |on: bool| json!({ "filter": { "equality": on, "comparison": false } });
    let settings = json!({ "distinctAttribute": "sku", "displayedAttributes": ["id", "n"],
        "filterableAttributes": ["n", "secret",
            { "attributePatterns": ["mat*"], "features": features(false) }] });
    let index = TestIndex::new(settings, &skus());
    let ask = |name: &'static str| {
        index.run(move |query| query.criteria.to_mut().distinct = Some(name.to_owned()))
    };
    assert_eq!(ask("n").expect("an answer").total(), 13);
    let refusal = |name| ask(name).err().expect("a refusal").to_string();
    let start = "is not filterable and thus, cannot be used as distinct attribute.";
    assert_eq!(
        refusal("sku"),
        format!(
            "Attribute `sku` {start} Available filterable attributes patterns are: \
             `n, <..hidden-attributes>`."
        )
    );
    assert_eq!(
        refusal("material"),
        format!(
            "Attribute `material` {start} Note: this attribute matches rule #2 in \
             filterableAttributes, but this rule does not enable filtering.\nHint: enable \
             filtering in rule #2 by adding appropriate filter features.\nHint: prepend \
             another rule matching material with filter features before rule #2"
        )
    );
    let index = TestIndex::new(json!({}), &[]);
    let refusal = index
        .run(|query| query.criteria.to_mut().distinct = Some("a".to_owned()))
        .err()
        .expect("a refusal");
    assert_eq!(
        refusal.to_string(),
        format!("Attribute `a` {start} This index does not have configured filterable attributes.")
    );
}

#[test]
fn the_first_of_each_set_of_values_is_told_if_there_is_room() {
    let index = index();
    let snapshot = index.snapshot();
    let wanted = Cancel::default();
    let context = Context::new(&snapshot, None, None, &wanted).expect("a context");
    let ids = |documents: &mut dyn Iterator<Item = DocId>| -> Vec<u64> {
        documents.map(|doc_id| id_of(&snapshot, doc_id)).collect()
    };
    let contenders = |mut room: usize| {
        let mut distinct = Distinct::new(&context, "sku").expect("values");
        let told = distinct.contenders(&context, snapshot.live(), &mut room).expect("an answer");
        told.map(|(without_value, contenders)| (without_value, contenders, room))
    };
    let (without_value, told, left) = contenders(1000).expect("room");
    assert_eq!(ids(&mut without_value.iter()), [5, 6, 12]);
    assert_eq!(ids(&mut told.iter().map(|(doc_id, _)| doc_id)), [1, 3, 7, 8, 9, 11, 13]);
    let values: Vec<usize> = told.iter().map(|(_, values)| values.len()).collect();
    assert_eq!(values, [1, 1, 2, 1, 1, 1, 1]);
    let needed = 1000 - left;
    assert!(contenders(needed).is_some() && contenders(needed - 1).is_none());
}
