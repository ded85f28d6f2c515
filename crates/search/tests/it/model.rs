//! The model itself: it gives the recorded answers, and it is sound on random cases.
//!
//! `recorded/answers.jsonl` holds a small index per line with queries and the answers (document
//! and score) of another implementation of the same rules, which was compared with the reference
//! engine.

use serde_json::Value;

use crate::cases::random_world;
use crate::oracle::{Answer, Artefacts, Dropping, ModelIndex, ModelSettings, Question};

fn dropping(strategy: &Value) -> Dropping {
    match strategy.as_str() {
        Some("all") => Dropping::All,
        Some("frequency") => Dropping::Frequency,
        _ => Dropping::Last,
    }
}

fn model(settings: &Value, artefacts: Artefacts, documents: &[Value]) -> ModelIndex {
    let documents = (0..).zip(documents.iter().filter_map(Value::as_object).cloned());
    ModelIndex::new(ModelSettings::new(settings, artefacts), documents.collect())
}

#[test]
fn the_model_gives_the_recorded_answers() {
    let mut queries = 0;
    for line in include_str!("recorded/answers.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let documents = case["docs"].as_array().unwrap();
        let model = model(&case["settings"], Artefacts::Reference, documents);
        for query in case["queries"].as_array().unwrap() {
            let text = query["q"].as_str().unwrap();
            let sort: Vec<String> =
                serde_json::from_value(query["sort"].clone()).unwrap_or_default();
            let dropping = dropping(&query["strategy"]);
            let found =
                model.search(&Question { text, dropping, sort: &sort, ..Question::default() });
            let expected: Vec<(u32, f64)> =
                serde_json::from_value(query["answer"].clone()).unwrap();
            let is_same = found.len() == expected.len()
                && found.iter().zip(&expected).all(|(answer, (doc_id, score))| {
                    answer.doc_id == *doc_id && (answer.score - score).abs() < 1e-9
                });
            assert!(is_same, "{query}\nof {line}\nfound {found:#?}");
            queries += 1;
        }
    }
    assert!(queries > 300);
}

#[test]
fn random_cases_have_sound_answers() {
    let mut found = 0;
    for seed in 0..150 {
        let (mut world, asks) = random_world(seed, 12, 1);
        // Rules that sort leave scores in no order.
        if let Some(rules) = world.settings["rankingRules"].as_array_mut() {
            rules.retain(|rule| rule.as_str().is_some_and(|rule| !rule.contains(':')));
        }
        let documents: Vec<Value> = world.documents().into_iter().map(|(_, d)| d).collect();
        let model = model(&world.settings, Artefacts::Improved, &documents);
        for ask in &asks {
            let question = Question {
                text: &ask.text,
                dropping: dropping(&ask.strategy.as_str().into()),
                attributes: ask.attributes.as_deref(),
                ..Question::default()
            };
            let answers = model.search(&question);
            assert_sound(&answers);
            found += usize::from(!answers.is_empty());
        }
    }
    assert!(found > 150 * 12 / 2, "most queries should find something, {found} did");
}

/// Every document at most once, ever lower scores, ties in order of their numbers.
fn assert_sound(answers: &[Answer]) {
    for pair in answers.windows(2) {
        let tie = (pair[0].score - pair[1].score).abs() < 1e-12;
        assert!(pair[0].score > pair[1].score || tie && pair[0].doc_id < pair[1].doc_id);
    }
    assert!(answers.iter().all(|answer| (0.0..=1.0).contains(&answer.score)));
}

#[test]
fn at_most_one_document_per_value_of_the_distinct_attribute() {
    let settings = serde_json::json!({"searchableAttributes": ["t"], "distinctAttribute": "g"});
    let texts = [
        ("blue shirt", Some("A")),
        ("blue shirt long", Some("A")),
        ("a blue shirt", Some("B")),
        ("shirt blue", Some("A")),
        ("blue shirt", None),
        ("blue shirt", None),
    ];
    let documents = texts.map(|(t, g)| serde_json::json!({"t": t, "g": g}));
    let model = model(&settings, Artefacts::Improved, &documents);
    let answers = model.search(&Question { text: "blue shirt ", ..Question::default() });
    let order: Vec<u32> = answers.iter().map(|answer| answer.doc_id).collect();
    assert_eq!(order, [0, 4, 5, 2]);
}
