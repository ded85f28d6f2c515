//! A few small indexes with random settings and documents, and random requests to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::Engine;
use engine::search::{
    Criteria, FederatedQuery, FederatedRequest, HitView, SearchRequest, Strategy, Window,
};
use model::IndexUid;
use serde_json::{Map, Value, json};
use settings::Change;
use tasks::{Method, Status};
use testkit::Random;

use crate::support::Instance;

pub const INDEXES: [&str; 3] = ["a", "b", "c"];
const WORDS: [&str; 8] =
    ["amber", "tide", "harbour", "harbor", "lantern", "lanterns", "song", "winter"];
const KINDS: [&str; 4] = ["boat", "bird", "bell", "book"];

/// Rules that rank stand together, so that the score of a hit is what they say.
const RULES: [&[&str]; 5] = [
    &["words", "typo", "proximity", "attributeRank", "wordPosition", "exactness", "sort"],
    &["sort", "words", "typo", "proximity", "exactness"],
    &["words", "sort"],
    &["sort"],
    &["words", "typo", "year:desc", "sort"],
];

pub struct World {
    instance: Instance,
    pub settings: BTreeMap<&'static str, Value>,
    /// By id.
    pub documents: BTreeMap<&'static str, BTreeMap<u64, Value>>,
}

impl World {
    pub fn new(random: &mut Random) -> Self {
        let mut world = Self {
            instance: Instance::new(),
            settings: BTreeMap::new(),
            documents: BTreeMap::new(),
        };
        let rules = random.pick(&RULES);
        for uid in INDEXES {
            let rules = if random.percent(85) { rules } else { random.pick(&RULES) };
            world.make(uid, rules, random);
        }
        world
    }

    pub fn engine(&self) -> &Arc<Engine> {
        self.instance.engine()
    }

    fn make(&mut self, uid: &'static str, rules: &[&str], random: &mut Random) {
        let mut settings = json!({
            "rankingRules": rules,
            "searchableAttributes": ["title", "more"],
            "filterableAttributes": ["kind", "tags", "year"],
            "sortableAttributes": ["year", "_geo"],
            // However slow the machine is.
            "searchCutoffMs": 600_000,
        });
        if random.percent(25) {
            settings["pagination"] = json!({ "maxTotalHits": random.between(1, 9) });
        }
        if random.percent(10) {
            settings["distinctAttribute"] = json!("kind");
        }
        let change = Change::of_many(settings.clone()).expect("good settings");
        let uid_of_task = IndexUid::new(uid).expect("a good name");
        let task = self.instance.engine().change_settings(uid_of_task, change, true, None);
        let task = self.instance.wait(&task.expect("the change is enqueued"));
        assert_eq!(task.status, Status::Succeeded, "{:?}", task.error);
        self.settings.insert(uid, settings);

        let count = random.between(0, 40) as u64;
        let documents: BTreeMap<u64, Value> =
            (1..=count).map(|id| (id, document(id, random))).collect();
        // In several segments, some of them with replaced documents.
        let all: Vec<&Value> = documents.values().collect();
        for part in all.chunks(all.len().div_ceil(2).max(1)) {
            let text = serde_json::to_string(part).expect("JSON");
            let task = self.instance.add(uid, Method::Replace, &text);
            assert_eq!(self.instance.wait(&task).status, Status::Succeeded);
        }
        self.documents.insert(uid, documents);
    }

    pub fn request(&self, random: &mut Random) -> FederatedRequest {
        let sort = sort(random);
        let distinct = match random.below(6) {
            0 => Some("kind".to_owned()),
            1 => Some("tags".to_owned()),
            _ => None,
        };
        let queries = (0..random.between(1, 5))
            .map(|_| {
                let index_uid = random.pick(&INDEXES).to_owned();
                let sort = if random.percent(90) { sort.clone() } else { self::sort(random) };
                let own = (distinct.is_none() && random.percent(10)).then(|| "kind".to_owned());
                let mut request = SearchRequest { sort, ..search(random) };
                request.criteria.distinct = own;
                let weight = random.pick(&[0.0, 0.5, 1.0, 1.0, 1.0, 1.5, 3.0]);
                FederatedQuery { index_uid, request, weight, ..FederatedQuery::default() }
            })
            .collect();
        let window = match random.below(3) {
            0 => Window::Page { page: random.between(0, 3), hits_per_page: random.between(0, 8) },
            1 => Window::Offset { offset: 0, limit: 1000 },
            _ => Window::Offset { offset: random.below(6), limit: random.between(0, 9) },
        };
        FederatedRequest { queries, window, distinct, ..FederatedRequest::default() }
    }
}

fn document(id: u64, random: &mut Random) -> Value {
    let text = |random: &mut Random| {
        let count = random.between(1, 4);
        let words: Vec<&str> = (0..count).map(|_| random.pick(&WORDS)).collect();
        words.join(" ")
    };
    let mut document = Map::new();
    document.insert("id".into(), json!(id));
    document.insert("title".into(), json!(text(random)));
    if random.percent(50) {
        document.insert("more".into(), json!(text(random)));
    }
    if random.percent(85) {
        document.insert("kind".into(), json!(random.pick(&KINDS)));
    }
    if random.percent(80) {
        document.insert("tags".into(), json!(random.few_of(&KINDS, 3)));
    }
    match random.below(5) {
        0 => {}
        1 => drop(document.insert("year".into(), json!(random.pick(&["old", "new"])))),
        _ => drop(document.insert("year".into(), json!(random.between(1998, 2003)))),
    }
    if random.percent(60) {
        let place = json!({ "lat": random.between(0, 3), "lng": random.between(0, 3) });
        document.insert("_geo".into(), place);
    }
    Value::Object(document)
}

fn sort(random: &mut Random) -> Vec<String> {
    let items = ["year:asc", "year:desc", "_geoPoint(0, 0):asc", "_geoPoint(1, 2):desc"];
    let items = random.few_of(&items, 2);
    items.into_iter().map(str::to_owned).collect()
}

fn search(random: &mut Random) -> SearchRequest {
    let text = match random.below(4) {
        0 => None,
        _ => {
            let count = random.between(1, 2);
            let words: Vec<&str> = (0..count).map(|_| random.pick(&WORDS)).collect();
            Some(words.join(" "))
        }
    };
    let kind = random.pick(&KINDS);
    SearchRequest {
        text,
        criteria: Criteria {
            matching_strategy: random.pick(&[
                Strategy::Last,
                Strategy::Last,
                Strategy::All,
                Strategy::Frequency,
            ]),
            ranking_score_threshold: random.percent(10).then_some(0.6),
            ..Criteria::default()
        },
        filter: random.percent(20).then(|| json!(format!("kind = {kind}"))),
        view: HitView { attributes_to_retrieve: Some(vec!["id".to_owned()]), ..HitView::default() },
        ..SearchRequest::default()
    }
}
