use std::sync::LazyLock;

use filter::{Order, SortItem};
use model::Cancel;
use roaring::RoaringBitmap;
use serde_json::{Value, json};

use super::order;
use crate::error::SearchError;
use crate::query::Query;
use crate::strategy::Strategy;
use crate::testing::{TestIndex, asc, desc};

/// Values of every kind, as attribute `p` of documents with ids from 1.
fn mixed() -> Vec<Value> {
    let values = json!([
        30, "Abc", null, [5, 40], "", "aaa", true, [], ["zoo", 12], { "x": 1 }, "9", -2.5,
        [["deep", 1]], false, "Ébène", "eb", [null, "mm"], 30.0
    ]);
    let values = values.as_array().expect("an array");
    (1..).zip(values).map(|(id, value)| json!({ "id": id, "p": value })).collect()
}

fn sortable(names: &[&str]) -> Value {
    json!({ "sortableAttributes": names })
}

fn point(latitude: f64, longitude: f64, order: Order) -> SortItem {
    SortItem::Point { latitude, longitude, order }
}

const ASCENDING: [u64; 18] = [12, 13, 4, 9, 1, 18, 11, 6, 2, 16, 15, 14, 17, 7, 3, 5, 8, 10];
const DESCENDING: [u64; 18] = [4, 1, 18, 9, 13, 12, 7, 17, 14, 15, 16, 2, 6, 11, 3, 5, 8, 10];

static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

#[test]
fn numbers_then_strings_then_nothing_in_both_directions() {
    let index = TestIndex::new(sortable(&["p"]), &mixed());
    assert_eq!(index.sorted(&[asc("p")]), ASCENDING);
    assert_eq!(index.sorted(&[desc("p")]), DESCENDING);
}

/// Enough documents to walk values, and few enough that the walk ends in listing.
#[test]
fn the_order_does_not_depend_on_the_way_it_is_found() {
    let values: Vec<u64> = (0..3000).map(|number| number * 7919 % 1013).collect();
    let document = |(id, value): (u64, &u64)| match value % 5 {
        0 => json!({ "id": id, "p": format!("v{value:04}") }),
        1 => json!({ "id": id, "p": [value, value + 1, "x"] }),
        2 => json!({ "id": id }),
        _ => json!({ "id": id, "p": value }),
    };
    let documents: Vec<Value> = (0..).zip(&values).map(document).collect();
    let index = TestIndex::new(sortable(&["p"]), &documents);
    // Some are replaced by others, some go: what older segments say of them does not count.
    let changed: Vec<Value> = (0..3000).step_by(7).map(|id| json!({ "id": id, "p": -1 })).collect();
    index.put(&changed);
    index.delete(&(0..3000).step_by(11).collect::<Vec<_>>());

    let key = |id: u64, is_descending: bool| -> (u8, i64, String) {
        let value = values[id as usize] as i64;
        let sign = if is_descending { -1 } else { 1 };
        let reversed = |text: String| match is_descending {
            true => text.chars().map(|c| char::from(255 - c as u8)).collect(),
            false => text,
        };
        match value % 5 {
            _ if id.is_multiple_of(7) => (0, -sign, String::new()),
            0 => (1, 0, reversed(format!("v{value:04}"))),
            1 => (0, sign * (value + i64::from(is_descending)), String::new()),
            2 => (2, 0, String::new()),
            _ => (0, sign * value, String::new()),
        }
    };
    for (item, is_descending) in [(asc("p"), false), (desc("p"), true)] {
        let mut expected: Vec<u64> = (0..3000).filter(|id| id % 11 != 0).collect();
        expected.sort_by_cached_key(|id| (key(*id, is_descending), *id));
        let window = |offset: usize, limit: usize| {
            let sort = [item.clone()];
            let ask = |query: &mut Query<'_>| {
                (query.offset, query.limit, query.with_scores) = (offset, limit, false);
            };
            index.run_sorted(&sort, ask).expect("an answer").ids()
        };
        assert_eq!(window(0, 10_000), expected);
        for offset in [0, 1, 500, 1500, 2600] {
            assert_eq!(window(offset, 20), expected[offset..offset + 20], "from {offset}");
        }
    }
}

#[test]
fn equal_values_leave_the_order_to_the_next_rule() {
    let documents = [
        json!({ "id": 1, "a": 1, "b": "x" }),
        json!({ "id": 2, "a": 0, "b": "y" }),
        json!({ "id": 3, "a": 1, "b": "a" }),
        json!({ "id": 4, "a": 1.0, "b": "X " }),
        json!({ "id": 5 }),
    ];
    let index = TestIndex::new(sortable(&["a", "b"]), &documents);
    assert_eq!(index.sorted(&[asc("a")]), [2, 1, 3, 4, 5]);
    assert_eq!(index.sorted(&[desc("a"), asc("b")]), [3, 1, 4, 2, 5]);
    assert_eq!(index.sorted(&[asc("a"), desc("b")]), [2, 1, 4, 3, 5]);
    // An attribute counts once.
    assert_eq!(index.sorted(&[asc("a"), desc("a"), desc("b")]), [2, 1, 4, 3, 5]);
}

#[test]
fn sort_stands_where_the_rules_have_it() {
    let documents = [
        json!({ "id": 1, "t": "oak table", "price": 90, "pop": 1 }),
        json!({ "id": 2, "t": "table of oak", "price": 20, "pop": 5 }),
        json!({ "id": 3, "t": "oak oak table lamp", "price": 50, "pop": 5 }),
        json!({ "id": 4, "t": "table", "price": 10 }),
    ];
    let find = |rules: Value, sort: &[SortItem]| {
        let settings = json!({ "sortableAttributes": ["price"], "searchableAttributes": ["t"],
            "rankingRules": rules });
        let index = TestIndex::new(settings, &documents);
        index.run_sorted(sort, |query| query.text = Some("oak table ")).expect("an answer")
    };
    let usual = json!(["words", "typo", "proximity", "attributeRank", "sort", "exactness"]);
    assert_eq!(find(usual.clone(), &[asc("price")]).ids(), [3, 1, 2]);
    assert_eq!(find(usual, &[]).ids(), [1, 3, 2]);
    assert_eq!(find(json!(["sort", "words"]), &[asc("price")]).ids(), [2, 3, 1]);
    let answer = find(json!(["words", "pop:desc", "sort"]), &[asc("price")]);
    assert_eq!(answer.ids(), [2, 3, 1]);
    assert_eq!(
        answer.details("/pop:desc"),
        [5.0, 5.0, 1.0].map(|v| json!({ "order": 1, "value": v }))
    );
    assert_eq!(answer.details("/price:asc/order"), [2, 2, 2]);
    // Rules of the settings that sort need no declaration, and count before a later `sort`.
    let answer = find(json!(["price:desc", "sort", "words"]), &[asc("price")]);
    assert_eq!(answer.ids(), [1, 3, 2]);
    assert_eq!(answer.details("/price:asc"), [Value::Null, Value::Null, Value::Null]);
    assert_eq!(answer.details("/words/order"), [1, 1, 1]);
    // Values say nothing about relevance.
    assert_eq!(answer.ranked(), [(1, 1.0), (3, 1.0), (2, 1.0)]);
}

#[test]
fn details_show_values_unless_the_attribute_is_hidden() {
    let settings = json!({ "sortableAttributes": ["p", "q"], "displayedAttributes": ["id", "p"] });
    let documents = [json!({ "id": 1, "p": "Ab", "q": 2 }), json!({ "id": 2, "q": 1 })];
    let index = TestIndex::new(settings, &documents);
    let answer = index.run_sorted(&[asc("p"), asc("q")], |_| ()).expect("an answer");
    let hidden = json!({ "order": 1, "value": "<hidden>" });
    assert_eq!(
        answer.details(""),
        [
            json!({ "p:asc": { "order": 0, "value": "ab" }, "<hidden-rule-1>": hidden }),
            json!({ "p:asc": { "order": 0, "value": null }, "<hidden-rule-1>": hidden }),
        ]
    );
    assert_eq!(answer.ranked(), [(1, 1.0), (2, 1.0)]);
}

#[test]
fn points_by_distance_and_what_has_none_last() {
    let places = [(45.764, 4.8357), (45.77, 4.83), (52.52, 13.405), (0.0, 0.0), (-13.8, -171.75)];
    let mut documents: Vec<Value> = (1..)
        .zip(places)
        .map(|(id, (lat, lng))| json!({ "id": id, "_geo": { "lat": lat, "lng": lng } }))
        .collect();
    documents.extend([json!({ "id": 6, "n": 2 }), json!({ "id": 7, "_geo": null, "n": 1 })]);
    let index = TestIndex::new(sortable(&["_geo", "n"]), &documents);
    let near_lyon = |order| point(45.764, 4.8357, order);
    assert_eq!(index.sorted(&[near_lyon(Order::Asc)]), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(index.sorted(&[near_lyon(Order::Desc)]), [5, 4, 3, 2, 1, 6, 7]);
    assert_eq!(index.sorted(&[near_lyon(Order::Asc), asc("n")]), [1, 2, 3, 4, 5, 7, 6]);

    let answer = index.run_sorted(&[point(0.0, 0.0, Order::Asc)], |_| ()).expect("an answer");
    assert_eq!(answer.ids(), [4, 1, 2, 3, 5, 6, 7]);
    let details = answer.details("/_geoPoint(0, 0):asc");
    assert_eq!(
        details[1],
        json!({ "order": 0, "value": { "lat": 45.764, "lng": 4.8357 }, "distance": 5110768.082 })
    );
    assert_eq!(details[6], json!({ "order": 0, "value": null, "distance": null }));
}

#[test]
fn points_within_a_metre_of_the_first_tie() {
    // About 0.11 m apart each.
    let documents: Vec<Value> = (0..30)
        .map(|id| json!({ "id": id, "n": 30 - id, "_geo": { "lat": id as f64 * 1e-6, "lng": 0 } }))
        .collect();
    let index = TestIndex::new(sortable(&["_geo", "n"]), &documents);
    let sort = [point(0.0, 0.0, Order::Asc), asc("n")];
    let answer = index.run_sorted(&sort, |query| query.limit = 30).expect("an answer");
    assert_eq!(answer.ids()[..9], [8, 7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(answer.ids()[9..18], [17, 16, 15, 14, 13, 12, 11, 10, 9]);
    let distances = answer.details("/_geoPoint(0, 0):asc/distance");
    assert_eq!(distances[..9], [0.0; 9]);
    assert!(distances[9].as_f64() > Some(1.0));
}

/// A few of many documents are measured; many are found by their distance.
#[test]
fn distances_count_the_same_however_many_documents_there_are() {
    let documents: Vec<Value> = (0..2000)
        .map(|id| {
            let (lat, lng) = ((id * 37 % 180) as f64 - 90.0, (id * 101 % 360) as f64 - 180.0);
            let t = if id % 100 == 0 { "rare" } else { "usual" };
            json!({ "id": id, "t": t, "_geo": { "lat": lat, "lng": lng } })
        })
        .collect();
    let index = TestIndex::new(sortable(&["_geo"]), &documents);
    index.delete(&[0, 1, 2, 300]);
    let sort = [point(10.0, 20.0, Order::Desc)];
    let all = index.run_sorted(&sort, |query| query.limit = 2000).expect("an answer").ids();
    assert_eq!(all.len(), 1996);
    let some = |text: &'static str| {
        let ask = |query: &mut Query<'_>| (query.text, query.limit) = (Some(text), 100);
        index.run_sorted(&sort, ask).expect("an answer").ids()
    };
    let rare: Vec<u64> = all.iter().copied().filter(|id| id % 100 == 0).collect();
    assert_eq!(some("rare"), rare);
    assert_eq!(some(""), all[..100]);
}

#[test]
fn invalid_sort_criteria_are_rejected() {
    let refused = |settings: Value, item: SortItem| {
        let index = TestIndex::new(settings, &[json!({ "id": 1 })]);
        index.run_sorted(&[item], |_| ()).err().expect("a refusal").to_string()
    };
    assert_eq!(
        refused(json!({}), asc("p")),
        "Attribute `p` is not sortable. This index does not have configured sortable attributes."
    );
    let settings =
        json!({ "sortableAttributes": ["b", "a", "hidden"], "displayedAttributes": ["a", "b"] });
    assert_eq!(
        refused(settings.clone(), asc("p")),
        "Attribute `p` is not sortable. Available sortable attributes are: \
         `a, b, <..hidden-attributes>`."
    );
    assert_eq!(
        refused(settings, point(0.0, 0.0, Order::Asc)),
        "Attribute `_geo` is not sortable. Available sortable attributes are: \
         `a, b, <..hidden-attributes>`."
    );
    let settings = json!({ "sortableAttributes": ["p"], "rankingRules": ["words"] });
    assert_eq!(
        refused(settings, asc("p")),
        "You must specify where `sort` is listed in the rankingRules setting to use the sort \
         parameter at search time."
    );
}

#[test]
fn children_of_a_sortable_attribute_are_sortable() {
    let documents = [
        json!({ "id": 1, "car": { "make": "Volta" } }),
        json!({ "id": 2, "car.make": "Brisa" }),
        json!({ "id": 3, "car": [{ "make": "Zen" }, { "make": "Aero" }] }),
        json!({ "id": 4, "car": "on foot" }),
    ];
    let index = TestIndex::new(sortable(&["car"]), &documents);
    assert_eq!(index.sorted(&[asc("car.make")]), [3, 2, 1, 4]);
    assert_eq!(index.sorted(&[desc("car.make")]), [3, 1, 2, 4]);
    assert_eq!(index.sorted(&[asc("car")]), [4, 1, 2, 3]);
    assert_eq!(index.sorted(&[asc("car.colour")]), [1, 2, 3, 4]);
}

#[test]
fn any_set_of_documents_can_be_put_in_order() {
    let index = TestIndex::new(sortable(&["p"]), &mixed());
    let snapshot = index.snapshot();
    let ids = |documents: Vec<u32>| -> Vec<u64> {
        documents.into_iter().map(|doc_id| crate::testing::id_of(&snapshot, doc_id)).collect()
    };
    let all = snapshot.live().clone();
    let ordered = order(&snapshot, &all, &[desc("p")], (0, 100), &NOT_CANCELLED).expect("an order");
    assert_eq!(ids(ordered), DESCENDING);
    let ordered =
        order(&snapshot, &all, &[asc("p"), desc("p")], (3, 2), &NOT_CANCELLED).expect("an order");
    assert_eq!(ids(ordered), ASCENDING[3..5]);
    let some: RoaringBitmap = all.iter().take(4).collect();
    let ordered = order(&snapshot, &some, &[asc("p")], (0, 100), &NOT_CANCELLED).expect("an order");
    assert_eq!(ids(ordered), [4, 1, 2, 3]);
    let ordered = order(&snapshot, &some, &[], (1, 100), &NOT_CANCELLED).expect("an order");
    assert_eq!(ids(ordered), [2, 3, 4]);
    let refusal = order(&snapshot, &all, &[asc("q")], (0, 1), &NOT_CANCELLED);
    assert!(matches!(refusal, Err(SearchError::NotSortable(_))));
}

#[test]
fn the_deadline_and_the_threshold_hold_with_rules_that_sort() {
    let settings = json!({ "sortableAttributes": ["p"], "searchableAttributes": ["t"],
        "rankingRules": ["sort", "words"] });
    let documents = [
        json!({ "id": 1, "t": "amber tide", "p": 3 }),
        json!({ "id": 2, "t": "amber", "p": 1 }),
        json!({ "id": 3, "t": "amber tide", "p": 2 }),
        json!({ "id": 4, "t": "amber", "p": 3 }),
    ];
    let index = TestIndex::new(settings, &documents);
    let find = |change: &dyn Fn(&mut Query<'_>)| {
        let ask = |query: &mut Query<'_>| {
            (query.text, query.criteria.to_mut().matching_strategy) =
                (Some("amber tide "), Strategy::Last);
            change(query);
        };
        index.run_sorted(&[asc("p")], ask).expect("an answer")
    };
    let answer = find(&|query| query.criteria.to_mut().ranking_score_threshold = Some(0.9));
    assert_eq!((answer.ids(), answer.total()), (vec![3, 1], 2));
    let answer = find(&|query| query.deadline = std::time::Instant::now());
    assert_eq!(answer.ids(), [1, 2, 3, 4]);
    assert!(answer.found.degraded);
    assert_eq!(answer.details("/skipped/order"), [0, 0, 0, 0]);
}

#[test]
fn there_is_a_limit_to_what_is_sorted_by() {
    let index = TestIndex::new(sortable(&["p"]), &mixed());
    let snapshot = index.snapshot();
    let all = snapshot.live().clone();
    let items: Vec<SortItem> = (0..300).map(|number| asc(&format!("p.{number}"))).collect();
    assert!(order(&snapshot, &all, &items[..256], (0, 1), &NOT_CANCELLED).is_ok());
    let refusal = order(&snapshot, &all, &items, (0, 1), &NOT_CANCELLED);
    assert!(matches!(refusal, Err(SearchError::NotSortable(message)) if message.contains("256")));
}
