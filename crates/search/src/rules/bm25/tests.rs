//! The rule against the formula itself, applied to the words of every document.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::strategy::Strategy;
use crate::testing::TestIndex;

/// Words of three letters, so that typos do not matter. The first ones are frequent.
const WORDS: [&str; 12] =
    ["the", "tho", "and", "cat", "dog", "owl", "elk", "bee", "ant", "emu", "fox", "yak"];

#[derive(Debug, Clone)]
struct Document {
    title: Vec<&'static str>,
    text: Vec<&'static str>,
}

impl Document {
    fn attributes(&self) -> [&[&'static str]; 2] {
        [&self.title, &self.text]
    }
}

/// Every document that was ever stored, and those that are left by id.
#[derive(Default)]
struct Naive {
    stored: Vec<Document>,
    live: BTreeMap<u64, Document>,
}

/// How often a document has a term in a list of words.
type Count<'q> = Box<dyn Fn(&Document, &[&str]) -> usize + 'q>;

impl Naive {
    fn put(&mut self, id: u64, document: &Document) {
        self.stored.push(document.clone());
        self.live.insert(id, document.clone());
    }

    /// The documents by falling score, then by age.
    fn ranked(&self, terms: &[Count<'_>]) -> Vec<(u64, f64)> {
        let average = |attribute: usize| {
            let lengths = self.stored.iter().map(|document| document.attributes()[attribute].len());
            let lengths: Vec<usize> = lengths.filter(|length| *length > 0).collect();
            lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64
        };
        let averages = [average(0), average(1)];
        let count = |term: &Count<'_>, document: &Document| -> [usize; 2] {
            document.attributes().map(|words| term(document, words))
        };
        let all = self.live.len() as f64;
        let idf = |term: &Count<'_>| {
            let having = self.live.values().filter(|document| count(term, document) != [0, 0]);
            let having = having.count() as f64;
            if having > 0.0 { (1.0 + (all - having + 0.5) / (having + 0.5)).ln() } else { 0.0 }
        };
        let idfs: Vec<f64> = terms.iter().map(idf).collect();
        let score = |document: &Document| -> f64 {
            let of_term = |(term, idf): (&Count<'_>, &f64)| {
                let counts = count(term, document);
                let frequency: f64 = (0..2)
                    .map(|place| {
                        let length = document.attributes()[place].len() as f64;
                        let weight = [1.0, 1.0 / 1.5][place];
                        counts[place] as f64 * weight
                            / (0.25 + 0.75 * length / averages[place].max(1e-9))
                    })
                    .sum();
                idf * frequency / (1.2 + frequency)
            };
            terms.iter().zip(&idfs).map(of_term).sum::<f64>() / idfs.iter().sum::<f64>()
        };
        let mut ranked: Vec<(u64, f64)> =
            self.live.iter().map(|(id, document)| (*id, score(document))).collect();
        ranked.retain(|(_, score)| *score > 0.0);
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }
}

fn word(wanted: &str) -> Count<'_> {
    Box::new(move |_, words| words.iter().filter(|word| **word == wanted).count())
}

fn prefix(wanted: &str) -> Count<'_> {
    Box::new(move |_, words| words.iter().filter(|word| word.starts_with(wanted)).count())
}

/// Every place of the first word counts if the phrase is somewhere in the document.
fn phrase<'q>(first: &'q str, second: &'q str) -> Count<'q> {
    Box::new(move |document, words| {
        let follows = |words: &[&str]| words.windows(2).any(|pair| *pair == [first, second]);
        match document.attributes().into_iter().any(follows) {
            true => words.iter().filter(|word| **word == first).count(),
            false => 0,
        }
    })
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    /// Some words are repeated more often than posting lists count.
    fn words(&mut self, most: usize) -> Vec<&'static str> {
        let mut words = Vec::new();
        for _ in 0..self.below(most) {
            let word = WORDS[self.below(WORDS.len()) * self.below(WORDS.len()) / WORDS.len()];
            let times = if self.below(12) == 0 { 6 + self.below(5) } else { 1 };
            words.extend(vec![word; times]);
        }
        words
    }

    fn document(&mut self) -> Document {
        Document { title: self.words(4), text: self.words(12) }
    }
}

fn to_json(id: u64, document: &Document) -> Value {
    json!({ "id": id, "title": document.title.join(" "), "text": document.text.join(" ") })
}

/// Two segments of 100 documents, some of which are replaced or deleted later.
fn sample(seed: u64) -> (TestIndex, Naive) {
    let mut random = Random(seed);
    let mut naive = Naive::default();
    let mut put = |naive: &mut Naive, id| {
        let document = random.document();
        naive.put(id, &document);
        to_json(id, &document)
    };
    let documents: Vec<Value> = (0..200).map(|id| put(&mut naive, id)).collect();
    let settings = json!({
        "searchableAttributes": ["title", "text"],
        "rankingRules": ["bm25"],
        "filterableAttributes": ["id"],
    });
    let index = TestIndex::new(settings, &documents);
    let replaced: Vec<Value> = (0..200).step_by(17).map(|id| put(&mut naive, id)).collect();
    index.put(&replaced);
    let deleted: Vec<u64> = (0..200).skip(5).step_by(19).collect();
    index.delete(&deleted);
    deleted.iter().for_each(|id| {
        naive.live.remove(id);
    });
    (index, naive)
}

#[test]
fn the_best_documents_are_those_of_the_formula() {
    // More terms than the rules of the reference have, and some of them twice or three times.
    let question = "elk bee ant emu fox yak the cat dog owl and tho emu the emu ";
    let queries: [(&str, Vec<Count<'_>>); 7] = [
        (question, question.split_whitespace().map(word).collect()),
        ("fox ", vec![word("fox")]),
        ("the cat ", vec![word("the"), word("cat")]),
        ("the and yak dog bee ", ["the", "and", "yak", "dog", "bee"].map(word).into()),
        ("emu th", vec![word("emu"), prefix("th")]),
        ("\"the cat\" owl ", vec![phrase("the", "cat"), word("owl")]),
        ("\"the the\" \"cat dog\" ", vec![phrase("the", "the"), phrase("cat", "dog")]),
    ];
    for seed in 0..8 {
        let (index, naive) = sample(seed);
        for (text, terms) in &queries {
            let expected = naive.ranked(terms);
            for limit in [1, 7, 300] {
                let answer = index.run(|query| {
                    (query.text, query.criteria.to_mut().matching_strategy) =
                        (Some(*text), Strategy::Any);
                    query.limit = limit;
                });
                let answer = answer.unwrap();
                assert_eq!(answer.total() as usize, expected.len(), "{text}");
                let found: Vec<(u64, f64)> = answer
                    .ids()
                    .into_iter()
                    .zip(answer.details("/bm25/score"))
                    .map(|(id, score)| (id, score.as_f64().unwrap()))
                    .collect();
                assert_eq!(found.len(), limit.min(expected.len()), "{text}");
                for ((id, score), (_, best)) in found.iter().zip(&expected) {
                    let (_, own) = expected.iter().find(|(other, _)| other == id).unwrap();
                    assert!((score - own).abs() < 1e-9, "{text}: {id} {score} {own}");
                    assert!((score - best).abs() < 1e-9, "{text}: {id} {score} {best}");
                }
            }
        }
    }
}

#[test]
fn the_best_boosted_documents_are_those_of_the_formula() {
    let boosts = json!([
        {"value": {"attribute": "id", "curve": "sqrt", "max": 150}, "weight": 4},
        {"filter": "id > 120", "weight": 0.5},
    ]);
    let checked = settings::boosts::check_boosts(boosts).unwrap();
    let filter = filter::Filter::from_json(&json!("id > 120")).unwrap();
    let boosts = settings::boosts::boosts_from(&checked).into_iter().zip([None, filter]);
    let boosts = boosts.map(|(boost, filter)| crate::FilteredBoost { boost, filter }).collect();
    let boosting = crate::Boosting { boosts, is_from_request: true, now: 0.0 };
    let factor = |id: u64| {
        let sum = 4.0 * (id as f64 / 150.0).min(1.0).sqrt() + if id > 120 { 0.5 } else { 0.0 };
        (1.0 + sum) / 5.5
    };
    for seed in 0..8 {
        let (index, naive) = sample(seed);
        for text in ["elk bee the ", "the and yak dog bee emu fox ", "the cat "] {
            let terms: Vec<Count<'_>> = text.split_whitespace().map(word).collect();
            let mut expected = naive.ranked(&terms);
            expected.iter_mut().for_each(|(id, score)| *score *= factor(*id));
            expected.sort_by(|a, b| b.1.total_cmp(&a.1));
            for limit in [1, 7, 300] {
                let answer = index.run(|query| {
                    (query.text, query.criteria.to_mut().matching_strategy) =
                        (Some(text), Strategy::Any);
                    (query.limit, query.boosts) = (limit, Some(&boosting));
                });
                let answer = answer.unwrap();
                let scores = answer.details("/bm25/score");
                assert_eq!(scores.len(), limit.min(expected.len()), "{text}");
                let factors = answer.details("/bm25/boost/factor");
                for (place, id) in answer.ids().into_iter().enumerate() {
                    let score = scores[place].as_f64().unwrap();
                    let (_, own) = expected.iter().find(|(other, _)| *other == id).unwrap();
                    assert!((score - own).abs() < 1e-9, "{text}: {id} {score} {own}");
                    assert!((score - expected[place].1).abs() < 1e-9, "{text}: {id} at {place}");
                    let told = factors[place].as_f64().unwrap();
                    assert!((told - factor(id)).abs() < 1e-12, "{id} {told}");
                }
            }
        }
    }
}

#[test]
fn terms_after_the_tenth_count_though_no_document_needs_them() {
    let ten = "one two three four five six seven eight nine ten";
    let texts = [ten, &format!("{ten} other"), &format!("{ten} rare"), "rare rare"];
    let settings = json!({ "searchableAttributes": ["t"], "rankingRules": ["words", "bm25"] });
    let index = TestIndex::of_texts(settings, &texts);
    let query = format!("{ten} one rare missing rare ");
    assert_eq!(index.find(&query, Strategy::All).ids(), [3, 1, 2]);
    assert_eq!(index.find(&query, Strategy::Any).ids(), [3, 1, 2, 4]);
    let answer = index.run(|asked| (asked.text, asked.with_words) = (Some(query.as_str()), true));
    let words = answer.unwrap().found.words;
    assert!(words.terms.iter().any(|term| term.original == "rare"), "{words:?}");
}

#[test]
fn few_documents_of_many_are_ranked_alike() {
    let mut random = Random(3);
    let mut naive = Naive::default();
    (0..200).for_each(|id| naive.put(id, &random.document()));
    let documents: Vec<Value> =
        naive.live.iter().map(|(id, document)| to_json(*id, document)).collect();
    let settings = json!({
        "searchableAttributes": ["title", "text"],
        "rankingRules": ["bm25"],
        "filterableAttributes": ["id"],
    });
    let index = TestIndex::new(settings, &documents);
    let wanted = [3, 41, 77, 120];
    let filter =
        filter::Filter::from_json(&json!([["id = 3", "id = 41", "id = 77", "id = 120"]])).unwrap();
    let answer = index.run(|query| {
        (query.text, query.criteria.to_mut().matching_strategy) =
            (Some("the cat dog "), Strategy::Any);
        query.filter = filter.as_ref();
    });
    let expected = naive.ranked(&["the", "cat", "dog"].map(word));
    let expected = expected.iter().map(|(id, _)| *id).filter(|id| wanted.contains(id));
    assert_eq!(answer.unwrap().ids(), expected.collect::<Vec<_>>());
}

#[test]
fn words_that_were_likely_meant_count_more() {
    let settings = json!({ "searchableAttributes": ["t"], "rankingRules": ["bm25"] });
    let many = ["receive"; 50].join(" ");
    let index =
        TestIndex::of_texts(settings.clone(), &["relieve", &format!("{many} relieve"), "receive"]);
    let answer = index.find("recieve ", Strategy::Any);
    let found: BTreeMap<u64, f64> = answer
        .ids()
        .into_iter()
        .zip(answer.details("/bm25/score"))
        .map(|(id, score)| (id, score.as_f64().unwrap()))
        .collect();
    // `relieve` costs 2.5 more than `receive` and is in as many documents: 2.5 / ln 2 is about 4.
    let average = (1.0 + 51.0 + 1.0) / 3.0;
    let score = |receive: f64, relieve: f64| {
        let length = receive + relieve;
        let frequency = (receive + relieve / 16.0) / (0.25 + 0.75 * length / average);
        frequency / (1.2 + frequency)
    };
    for (id, expected) in [(1, score(0.0, 1.0)), (2, score(50.0, 1.0)), (3, score(1.0, 0.0))] {
        assert!((found[&id] - expected).abs() < 1e-9, "{id}: {} {expected}", found[&id]);
    }
    // A word as it was typed counts alone.
    let index = TestIndex::of_texts(settings, &["recieve", "receive receive", "receive"]);
    let answer = index.find("recieve ", Strategy::Any);
    assert_eq!(answer.ids(), [1]);
}

#[test]
fn frequent_words_and_whole_ones_are_likelier_than_others() {
    let settings = json!({ "searchableAttributes": ["t"], "rankingRules": ["bm25"] });
    let mut texts = vec!["loser", "lover", "covered", "cover"];
    texts.extend(["lover and"; 6]);
    let index = TestIndex::of_texts(settings, &texts);
    // Both have one letter more, and more documents have one of them.
    let ids = index.find("loer ", Strategy::Any).ids();
    assert!(ids.is_empty(), "a word of four letters has no typos: {ids:?}");
    let best = |text: &str| index.find(text, Strategy::Any).ids()[0];
    assert_eq!(best("loyer "), 2);
    // The last word may be the beginning of another one, which is less likely.
    assert_eq!(best("covere"), 4);
}
