//! The worked examples of the specification, against the engine and against the model. Documents
//! are given in the order of their ids, which begin at 1; a space at the end of a query means
//! that its last word is complete.

use serde_json::{Map, Value, json};

use crate::cases::{Ask, Batch, Change, World};
use crate::engine::{self, State, Window};
use crate::oracle::{Artefacts, Dropping, ModelIndex, ModelSettings, Question};

struct Example {
    state: State,
    model: ModelIndex,
}

struct Hit {
    id: u64,
    score: f64,
    details: Map<String, Value>,
}

/// Documents with one attribute `t`.
fn texts(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| json!({"t": text})).collect()
}

fn only_t() -> Value {
    json!({"searchableAttributes": ["t"]})
}

fn example(settings: Value, documents: Vec<Value>) -> Example {
    let with_id = |(id, document): (usize, Value)| {
        let mut whole = Map::from_iter([("id".to_owned(), (id + 1).into())]);
        whole.extend(document.as_object().cloned().unwrap_or_default());
        Change::Upsert(whole.into())
    };
    let changes = documents.into_iter().enumerate().map(with_id).collect();
    let world = World {
        settings,
        settings_first: true,
        buffer_bytes: 1 << 20,
        copies: 1,
        batches: vec![Batch { changes, merges: false }],
    };
    let state = engine::build(&world);
    let settings = ModelSettings::new(&world.settings, Artefacts::Improved);
    let model = ModelIndex::new(settings, engine::numbered(&state, &world, 0));
    Example { state, model }
}

impl Example {
    fn ask(&self, text: &str) -> Answers {
        self.ask_with(text, "last")
    }

    fn ask_with(&self, text: &str, strategy: &str) -> Answers {
        self.put(&ask(text, strategy, &[]))
    }

    fn ask_sorted(&self, text: &str, sort: &[&str]) -> Answers {
        self.put(&ask(text, "last", sort))
    }

    fn put(&self, ask: &Ask) -> Answers {
        let dropping = match ask.strategy.as_str() {
            "all" => Dropping::All,
            "frequency" => Dropping::Frequency,
            _ => Dropping::Last,
        };
        let (text, sort) = (ask.text.as_str(), &ask.sort[..]);
        let question = Question { text, dropping, sort, ..Question::default() };
        let of_model = self.model.search(&question).into_iter().map(|answer| Hit {
            id: self.id_of(answer.doc_id),
            score: answer.score,
            details: answer.details,
        });
        let of_engine = self.put_to_engine(ask, Window::ALL);
        Answers { by: [("the model", of_model.collect()), ("the engine", of_engine)] }
    }

    fn engine(&self, text: &str, window: Window) -> Vec<Hit> {
        self.put_to_engine(&ask(text, "last", &[]), window)
    }

    fn put_to_engine(&self, ask: &Ask, window: Window) -> Vec<Hit> {
        let found = engine::ask(&self.state, ask, window).unwrap();
        let hit = |hit: engine::Hit| Hit {
            id: self.id_of(hit.doc_id),
            score: hit.score,
            details: hit.details(),
        };
        found.hits.into_iter().map(hit).collect()
    }

    fn id_of(&self, doc_id: u32) -> u64 {
        let document = self.state.document(doc_id).unwrap().unwrap();
        let document: Value = serde_json::from_str(&document).unwrap();
        document["id"].as_u64().unwrap()
    }
}

fn ask(text: &str, strategy: &str, sort: &[&str]) -> Ask {
    Ask {
        text: text.to_owned(),
        strategy: strategy.to_owned(),
        attributes: None,
        sort: sort.iter().map(ToString::to_string).collect(),
        distinct: None,
    }
}

/// The answers of both.
struct Answers {
    by: [(&'static str, Vec<Hit>); 2],
}

impl Answers {
    #[track_caller]
    fn are(self, ids: &[u64]) -> Self {
        for (who, hits) in &self.by {
            let found: Vec<u64> = hits.iter().map(|hit| hit.id).collect();
            assert_eq!(found, ids, "{who}");
        }
        self
    }

    /// Scores as far as they are given, to four digits.
    #[track_caller]
    fn with_scores(self, scores: &[f64]) -> Self {
        for (who, hits) in &self.by {
            let found: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
            let near = found.iter().zip(scores).all(|(a, b)| (a - b).abs() < 5.1e-5);
            assert!(near && found.len() >= scores.len(), "{who}: {found:?}, not {scores:?}");
        }
        self
    }

    /// One member of the details, by its path, of the first documents.
    #[track_caller]
    fn with_details(self, path: &str, values: &[Value]) -> Self {
        for (who, hits) in &self.by {
            assert!(hits.len() >= values.len(), "{who}");
            for (hit, value) in hits.iter().zip(values) {
                let details = Value::Object(hit.details.clone());
                let found = details.pointer(path).unwrap_or(&Value::Null);
                let same = match (found.as_f64(), value.as_f64()) {
                    (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                    _ => found == value,
                };
                assert!(same, "{who}: {path} of {} is {found}, not {value}", hit.id);
            }
        }
        self
    }
}

fn numbers(numbers: &[u32]) -> Vec<Value> {
    numbers.iter().map(|number| json!(number)).collect()
}

/// Parts of one whole.
fn shares(ranks: &[u32], max: u32) -> Vec<Value> {
    ranks.iter().map(|rank| json!(f64::from(*rank) / f64::from(max))).collect()
}

#[test]
fn e1_words() {
    let documents = ["amber tide song", "amber tide", "amber song", "tide song", "amber"];
    let example = example(only_t(), texts(&documents));
    example
        .ask("amber tide song")
        .are(&[1, 2, 5, 3])
        .with_scores(&[1.0, 0.6667, 0.3333, 0.3283])
        .with_details("/words/matchingWords", &numbers(&[3, 2, 1, 1]))
        .with_details("/words/maxMatchingWords", &numbers(&[3, 3, 3, 3]))
        .with_details(
            "/exactness/matchType",
            &[json!("exactMatch"), json!("exactMatch"), json!("exactMatch"), json!("matchesStart")],
        );
    example.ask_with("amber tide song", "all").are(&[1]).with_details("/words", &[Value::Null]);
    example
        .ask_with("amber tide song", "frequency")
        .are(&[1, 4])
        .with_details("/words/matchingWords", &numbers(&[2, 1]))
        .with_details("/words/maxMatchingWords", &numbers(&[2, 2]));
}

#[test]
fn e2_typo_levels() {
    let documents = [
        "harvester",
        "harvestor",
        "havrester",
        "harvesturs",
        "garvester",
        "garvestor",
        "harvesters",
    ];
    let example = example(only_t(), texts(&documents));
    example
        .ask("harvester ")
        .are(&[1, 2, 3, 7, 4, 5])
        .with_scores(&[1.0, 0.6414, 0.6414, 0.6414, 0.3081, 0.3081])
        .with_details("/typo/typoCount", &numbers(&[0, 1, 1, 1, 2, 2]))
        .with_details("/typo/maxTypoCount", &numbers(&[2; 6]));
    example
        .ask("harvester")
        .are(&[1, 7, 2, 3, 4, 5])
        .with_scores(&[1.0, 0.9747])
        .with_details("/typo/typoCount", &numbers(&[0, 0, 1, 1, 1, 2]));
}

#[test]
fn e3_concatenation_and_split() {
    let documents = ["moon light", "moonlight", "moonlights", "light moon", "moon of light"];
    let example = example(only_t(), texts(&documents));
    example
        .ask("moon light ")
        .are(&[1, 5, 4, 2, 3])
        .with_details("/typo/typoCount", &numbers(&[0, 0, 0, 2, 3]))
        .with_details("/typo/maxTypoCount", &numbers(&[3; 5]))
        .with_details("/proximity/score", &[1.0, 0.75, 0.75, 0.5, 0.5].map(Value::from));
    example
        .ask("moonlight ")
        .are(&[2, 1, 3])
        .with_details("/typo/typoCount", &numbers(&[0, 1, 1]))
        .with_details("/typo/maxTypoCount", &numbers(&[2; 3]));
}

fn silver_keys() -> Vec<Value> {
    let mut documents = texts(&[
        "silver. key",
        "silver",
        "silver aa bb cc key",
        "silver aa bb key",
        "key aa silver",
        "key silver",
        "silver aa key",
        "silver key",
    ]);
    documents[1] = json!({"t": "silver", "b": "key"});
    documents
}

#[test]
fn e4_proximity() {
    let settings =
        json!({"searchableAttributes": ["t", "b"], "rankingRules": ["words", "proximity"]});
    example(settings, silver_keys())
        .ask("silver key ")
        .are(&[8, 6, 7, 4, 5, 1, 2, 3])
        .with_scores(&[1.0, 0.875, 0.875, 0.75, 0.75, 0.625, 0.625, 0.625]);
}

#[test]
fn e4_proximity_by_attribute() {
    let settings = json!({
        "searchableAttributes": ["t", "b"],
        "rankingRules": ["words", "proximity"],
        "proximityPrecision": "byAttribute",
    });
    let example = example(settings, silver_keys());
    example
        .ask("silver key ")
        .are(&[1, 3, 4, 5, 6, 7, 8, 2])
        .with_scores(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.625]);
    example.ask("\"silver key\"").are(&[1, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn e5_hard_separator_in_the_query() {
    let settings = json!({"searchableAttributes": ["t"], "rankingRules": ["words", "proximity"]});
    let example = example(settings, texts(&["salt pepper", "pepper aa bb cc dd salt"]));
    example.ask("salt, pepper ").are(&[1, 2]).with_scores(&[1.0, 1.0]);
    example.ask("salt pepper ").are(&[1, 2]).with_scores(&[1.0, 0.625]);
}

#[test]
fn e6_stop_words() {
    let settings = json!({"searchableAttributes": ["t"], "stopWords": ["of"]});
    let documents = ["lord of rings", "lord rings", "rings lord", "of rings"];
    let example = example(settings, texts(&documents));
    example
        .ask("lord of rings ")
        .are(&[1, 2, 3])
        .with_scores(&[1.0, 0.9868, 0.9709])
        .with_details("/exactness/matchType", &[json!("exactMatch")])
        .with_details("/proximity/score", &shares(&[1, 1, 1], 1))
        .with_details("/wordPosition/score", &shares(&[21, 20, 18], 21));
    example.ask("of ").are(&[1, 2, 3, 4]).with_scores(&[1.0; 4]);
    example.ask("of").are(&[]);
    example
        .ask("\"lord of rings\"")
        .are(&[1, 2])
        .with_details("/exactness/matchType", &[json!("matchesStart")]);
}

#[test]
fn e7_attribute_and_position() {
    let settings = json!({
        "searchableAttributes": ["title", "body"],
        "rankingRules": ["words", "attributeRank", "wordPosition"],
    });
    let documents = vec![
        json!({"title": "coral", "body": "reef"}),
        json!({"title": "coral reef"}),
        json!({"body": "coral reef"}),
        json!({"title": "big old coral reef"}),
        json!({"title": "reef", "body": "coral"}),
    ];
    example(settings, documents)
        .ask("coral reef ")
        .are(&[2, 4, 1, 5, 3])
        .with_scores(&[1.0, 0.9683, 0.8254, 0.8254, 0.6667])
        .with_details("/attributeRank/score", &shares(&[3, 3, 2, 2, 1], 3))
        .with_details("/wordPosition/score", &shares(&[21, 17, 20, 20, 21], 21));
}

#[test]
fn e8_exactness_against_position() {
    let documents = ["starling", "stars", "star", "my star", "stair"];
    let example = example(only_t(), texts(&documents));
    example
        .ask("star")
        .are(&[3, 1, 2, 4])
        .with_scores(&[1.0, 0.9621, 0.9621, 0.9242])
        .with_details("/exactness/matchType", &[json!("exactMatch"), json!("noExactMatch")]);
    example.ask("star ").are(&[3, 4]);
}

#[test]
fn e9_exactness() {
    let documents = ["red lamp", "red lamp post", "old red lamp", "red lamps", "lamp red"];
    example(only_t(), texts(&documents))
        .ask("red lamp")
        .are(&[1, 2, 4, 3, 5])
        .with_scores(&[1.0, 0.9993, 0.9985, 0.9947, 0.9530])
        .with_details(
            "/exactness/matchType",
            &[json!("exactMatch"), json!("matchesStart"), json!("noExactMatch")],
        )
        .with_details("/exactness/matchingWords", &[Value::Null, Value::Null, json!(1)])
        .with_details("/wordPosition/score", &shares(&[21, 21, 21, 19], 21))
        .with_details("/proximity/score", &shares(&[4, 4, 4, 4, 3], 4));

    example(only_t(), texts(&["red candel", "old red candel", "red candle"]))
        .ask("red candle ")
        .are(&[3, 1, 2])
        .with_scores(&[1.0, 0.8325, 0.8278])
        .with_details(
            "/exactness/matchType",
            &[json!("exactMatch"), json!("matchesStart"), json!("noExactMatch")],
        );
}

#[test]
fn e10_full_score() {
    let settings = json!({"searchableAttributes": ["title", "body"]});
    let document = json!({"title": "Night train to Lisbon", "body": "a slow jurney by rail"});
    example(settings, vec![document])
        .ask("nigth train lisbon ")
        .are(&[1])
        .with_scores(&[0.9046])
        .with_details("/words/matchingWords", &numbers(&[3]))
        .with_details("/typo/typoCount", &numbers(&[1]))
        .with_details("/typo/maxTypoCount", &numbers(&[3]))
        .with_details("/proximity/score", &shares(&[6], 7))
        .with_details("/attributeRank/score", &shares(&[4], 4))
        .with_details("/wordPosition/score", &shares(&[30], 31))
        .with_details("/exactness/matchingWords", &numbers(&[2]))
        .with_details("/exactness/maxMatchingWords", &numbers(&[3]))
        .with_details("/exactness/score", &shares(&[3], 12))
        .with_details("/exactness/order", &numbers(&[5]));
}

#[test]
fn e11_sort() {
    let settings = json!({"searchableAttributes": ["t"], "sortableAttributes": ["p"]});
    let documents = vec![
        json!({"t": "mug", "p": 30}),
        json!({"t": "mug", "p": "Abc"}),
        json!({"t": "mug"}),
        json!({"t": "mug", "p": [5, 40]}),
        json!({"t": "mug", "p": null}),
        json!({"t": "mug", "p": "aaa"}),
        json!({"t": "mug", "p": true}),
    ];
    let example = example(settings, documents);
    let values = json!([5.0, 30.0, "aaa", "abc", "true", null, null]);
    example
        .ask_sorted("mug", &["p:asc"])
        .are(&[4, 1, 6, 2, 7, 3, 5])
        .with_scores(&[1.0; 7])
        .with_details("/p:asc/value", values.as_array().unwrap());
    let values = json!([40.0, 30.0, "true", "abc", "aaa", null, null]);
    example
        .ask_sorted("mug", &["p:desc"])
        .are(&[4, 1, 7, 2, 6, 3, 5])
        .with_scores(&[1.0; 7])
        .with_details("/p:desc/value", values.as_array().unwrap());
}

#[test]
fn e12_synonyms() {
    let settings = json!({
        "searchableAttributes": ["t"],
        "synonyms": {"sofa": ["couch"], "new york": ["nyc"], "nyc": ["big apple"]},
    });
    let documents = ["sofa", "couch", "new york pizza", "nyc pizza", "big apple pizza"];
    let example = example(settings, texts(&documents));
    example
        .ask("sofa ")
        .are(&[1, 2])
        .with_scores(&[1.0, 0.9621])
        .with_details("/typo/typoCount", &numbers(&[0, 0]));
    example.ask("couch ").are(&[2]);
    example
        .ask("new york pizza ")
        .are(&[3, 4])
        .with_details("/typo/typoCount", &numbers(&[0, 2]))
        .with_details("/typo/maxTypoCount", &numbers(&[4, 4]));
    example.ask("nyc pizza ").are(&[4, 5]).with_details("/typo/typoCount", &numbers(&[0, 0]));
}

#[test]
fn e13_attribute_without_typos() {
    let settings = json!({
        "searchableAttributes": ["sku", "t"],
        "typoTolerance": {"disableOnAttributes": ["sku"]},
    });
    let documents = vec![
        json!({"sku": "falcon"}),
        json!({"t": "falcon"}),
        json!({"t": "falcons"}),
        json!({"sku": "falcons"}),
    ];
    let example = example(settings, documents);
    example.ask("falcom ").are(&[2]);
    example.ask("falcon ").are(&[1, 2, 3]);
    example.ask("falco").are(&[1, 4, 2, 3]);
    example.ask("fal con ").are(&[2]).with_details("/typo/typoCount", &numbers(&[2]));
}

#[test]
fn e14_numbers() {
    let documents = || texts(&["room 20245", "room 20246", "room x20245"]);
    example(only_t(), documents()).ask("20245 ").are(&[1, 2]);
    let settings = json!({
        "searchableAttributes": ["t"],
        "typoTolerance": {"disableOnNumbers": true},
    });
    example(settings, documents()).ask("20245 ").are(&[1]);
}

#[test]
fn e15_phrase_and_negative() {
    let documents =
        ["green tea leaf", "leaf of green tea", "green leaf tea", "black tea", "green. tea"];
    let example = example(only_t(), texts(&documents));
    example
        .ask("\"green tea\" leaf ")
        .are(&[1, 2])
        .with_details("/proximity/score", &shares(&[4, 1], 4));
    example.ask("tea -green").are(&[4]);
    example.ask("-\"green tea\"").are(&[3, 4, 5]);
    example.ask("tea - green").are(&[1, 2, 3, 5, 4]);
}

#[test]
fn e16_arrays() {
    let settings = json!({"rankingRules": ["words", "proximity", "wordPosition"]});
    let documents = vec![
        json!({"tags": ["calm sea", "blue"]}),
        json!({"tags": ["sea blue"]}),
        json!({"tags": "nothing"}),
        json!({"tags": "sea, blue"}),
    ];
    example(settings, documents)
        .ask("sea blue ")
        .are(&[2, 4, 1])
        .with_details("/proximity/score", &shares(&[4, 1, 1], 4));
}

#[test]
fn e17_distinct() {
    let settings = json!({"searchableAttributes": ["t"], "distinctAttribute": "g"});
    let documents = vec![
        json!({"t": "blue shirt", "g": "A"}),
        json!({"t": "blue shirt long", "g": "A"}),
        json!({"t": "a blue shirt", "g": "B"}),
        json!({"t": "shirt blue", "g": "A"}),
        json!({"t": "blue shirt"}),
        json!({"t": "blue shirt"}),
    ];
    example(settings, documents).ask("blue shirt ").are(&[1, 5, 6, 3]);
}

#[test]
fn e18_threshold() {
    let example = example(only_t(), texts(&["amber tide song", "amber tide", "amber"]));
    for exhaustive in [false, true] {
        let window = Window { threshold: Some(0.5), exhaustive, ..Window::ALL };
        let ids: Vec<u64> =
            example.engine("amber tide song", window).iter().map(|hit| hit.id).collect();
        assert_eq!(ids, [1, 2]);
    }
}

#[test]
fn e19_cutoff() {
    let settings = json!({"searchableAttributes": ["t"], "rankingRules": ["words", "typo"]});
    let documents =
        ["linan aprun pocket", "linan apron pocket", "linen", "linen apron", "linen apron pocket"];
    let example = example(settings, texts(&documents));
    let query = "linen apron pocket";
    example.ask(query).are(&[5, 2, 1, 4, 3]).with_scores(&[1.0, 0.9167, 0.8333, 0.6667, 0.3333]);

    let hits = example.engine(query, Window { is_late: true, ..Window::ALL });
    let found: Vec<(u64, f64)> = hits.iter().map(|hit| (hit.id, hit.score)).collect();
    assert_eq!(found, [(1, 0.0), (2, 0.0), (3, 0.0), (4, 0.0), (5, 0.0)]);
    assert!(hits.iter().all(|hit| hit.details.keys().eq(["skipped"])));
}

#[test]
fn e21_frequency_order() {
    let settings = json!({"searchableAttributes": ["t"], "rankingRules": ["words"]});
    let documents = ["ivy fern", "ivy moss", "ivy", "moss fern", "ivy moss"];
    let example = example(settings, texts(&documents));
    example
        .ask_with("ivy moss fern ", "frequency")
        .are(&[1, 4])
        .with_details("/words/score", &shares(&[2, 2], 3));
    example
        .ask_with("fern moss ivy ", "frequency")
        .are(&[4, 1])
        .with_details("/words/score", &shares(&[2, 1], 3));
}
