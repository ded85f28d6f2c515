//! Tests of the printed report, with known values.

use serde_json::{Map, json};

use super::super::metrics::{Grades, Values};
use super::super::read::Query;
use super::super::variant::{Variant, VariantResult};
use super::*;

fn judged() -> JudgedQueries {
    let ids = ["1", "2", "3"];
    let queries = ids.map(|id| Query { id: id.to_owned(), text: format!("words of {id}") });
    let grades = || Grades::from([("a".to_owned(), 1.0)]);
    JudgedQueries::of(
        queries.to_vec(),
        ids[..2].iter().map(|id| ((*id).to_owned(), grades())).collect(),
    )
    .unwrap()
}

/// The only relevant document is at these ranks.
fn result(
    name: &'static str,
    ranks: [usize; 2],
    settings: Option<Map<String, Value>>,
) -> VariantResult {
    let grades = Grades::from([("a".to_owned(), 1.0)]);
    let values = ranks.map(|rank| {
        let mut hits: Vec<String> = vec!["x".to_owned(); rank - 1];
        hits.push("a".to_owned());
        Values::of(&hits, &grades, 10)
    });
    let variant = Variant { name, body: Map::new(), settings };
    VariantResult { variant, values: values.to_vec(), milliseconds: vec![1.0, 2.0] }
}

fn shown(results: &[VariantResult], worst: usize) -> String {
    let (judged, mut out) = (judged(), Vec::new());
    Report::new("films", 10, &judged, results, worst).write(100, false, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn one_way_has_one_column() {
    assert_eq!(
        shown(&[result("first", [1, 3], None)], 1),
        "                      value\n\
         NDCG@10              0.7500\n\
         recall@10            1.0000\n\
         MRR@10               0.6667\n\
         precision@10         0.1000\n\
         ms per query            1.5\n\
         95 of 100 within ms     2.0\n\n\
         2 queries.\n\
         1 query skipped: no judged document above grade 0.\n\n\
         query  NDCG@10  text\n\
         2       0.5000  words of 2\n"
    );
}

#[test]
fn two_ways_are_compared() {
    let settings = json!({"rankingRules": ["bm25"]}).as_object().cloned();
    let text = shown(&[result("first", [1, 3], None), result("second", [1, 1], settings)], 1);
    for part in [
        "first:  `films` as it is\nsecond: a copy of `films` with {\"rankingRules\":[\"bm25\"]}\n\n",
        "NDCG@10              0.7500  1.0000     +0.2500  1.0000  not distinguishable from chance\n",
        "recall@10            1.0000  1.0000     +0.0000  1.0000  the same\n",
        "2 queries at NDCG@10: 1 better, 1 equal, 0 worse. The difference is not distinguishable from chance.\n",
        "2      0.5000  1.0000     +0.5000  words of 2\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn json_has_every_figure() {
    let results = [result("first", [1, 3], None), result("second", [1, 1], Some(Map::new()))];
    let judged = judged();
    let json = Report::new("films", 10, &judged, &results, 1).json();
    assert_eq!((&json["queries"], &json["queriesWithoutJudgement"]), (&json!(2), &json!(1)));
    assert_eq!((&json["runs"][0]["ndcg"], &json["runs"][1]["mrr"]), (&json!(0.75), &json!(1.0)));
    assert_eq!(
        json["comparison"]["ndcg"],
        json!({"difference": 0.25, "pValue": 1.0, "isSignificant": false, "better": 1, "equal": 1, "worse": 0})
    );
    assert_eq!(json["worst"], json!([{"id": "2", "text": "words of 2", "ndcg": [0.5, 1.0]}]));
}
