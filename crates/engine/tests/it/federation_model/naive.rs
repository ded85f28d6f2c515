//! Expected result of a federated search, from the whole answer of each query alone. Uses only what
//! clients see: the score of a hit and the values in its details.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use engine::search::{FederatedRequest, HitView, SearchAnswer, SearchRequest, Window};
use model::Cancel;
use serde_json::Value;

use crate::federation_model::world::World;
use crate::federation_model::{ComparedHit, billionths};

const EVERYTHING: Window = Window::Offset { offset: 0, limit: 1_000_000 };

pub struct Expected {
    /// The whole list.
    pub hits: Vec<ComparedHit>,
    /// None where it depends on how far the ranking went.
    pub total: Option<u64>,
}

impl Expected {
    pub fn of(world: &World, request: &FederatedRequest) -> Self {
        let mut lists: BTreeMap<&str, Vec<VecDeque<Entry>>> = BTreeMap::new();
        for (place, query) in request.queries.iter().enumerate() {
            let uid = query.index_uid.as_str();
            let mut of_query = query.request.clone();
            if request.distinct.is_some() {
                of_query.criteria.distinct.clone_from(&request.distinct);
            }
            let answer = whole(world, uid, &of_query);
            let hits: Vec<Value> = serde_json::from_str(&answer.hits).expect("JSON");
            let entry = |hit: &Value| Entry::new(world, request, place, hit);
            lists.entry(uid).or_default().push(hits.iter().map(entry).collect());
        }
        let of_indexes = lists.into_iter().map(|(uid, lists)| {
            let most = world.settings[uid]["pagination"]["maxTotalHits"].as_u64();
            merged(lists, true, most.unwrap_or(1000) as usize)
        });
        let hits = merged(of_indexes.collect(), false, usize::MAX);
        Self {
            hits: hits.into_iter().map(|entry| entry.shown).collect(),
            total: total(world, request),
        }
    }

    pub fn window(&self, window: Window) -> &[ComparedHit] {
        let (offset, limit) = match window {
            Window::Offset { offset, limit } => (offset, limit),
            Window::Page { page: 0, .. } => (0, 0),
            Window::Page { page, hits_per_page } => ((page - 1) * hits_per_page, hits_per_page),
        };
        let offset = offset.min(self.hits.len());
        &self.hits[offset..(offset + limit).min(self.hits.len())]
    }
}

fn whole(world: &World, uid: &str, request: &SearchRequest) -> SearchAnswer {
    let view = HitView { ranking_score: true, ranking_score_details: true, ..request.view.clone() };
    let request = SearchRequest { window: EVERYTHING, view, ..request.clone() };
    world.engine().searcher().search(uid, &request, &Cancel::default()).expect("an answer")
}

struct Entry {
    shown: ComparedHit,
    parts: Vec<SortKey>,
    values: Vec<String>,
}

enum SortKey {
    Rank(f64),
    Sort { is_ascending: bool, value: Value },
    Distance { is_ascending: bool, metres: Option<f64> },
}

impl Entry {
    fn new(world: &World, request: &FederatedRequest, place: usize, hit: &Value) -> Self {
        let query = &request.queries[place];
        let uid = query.index_uid.as_str();
        let id = hit["id"].as_u64().expect("an id");
        let score = hit["_rankingScore"].as_f64().expect("a score");
        let mut parts = Vec::new();
        let mut was_ranked = false;
        for (rule, detail) in hit["_rankingScoreDetails"].as_object().expect("details") {
            let is_ascending = rule.ends_with(":asc");
            if rule.starts_with("_geoPoint") {
                let metres = detail["distance"].as_f64();
                parts.push(SortKey::Distance { is_ascending, metres });
            } else if is_ascending || rule.ends_with(":desc") {
                parts.push(SortKey::Sort { is_ascending, value: detail["value"].clone() });
            } else if !was_ranked {
                was_ranked = true;
                parts.push(SortKey::Rank(score * query.weight));
            }
        }
        let attribute = request.distinct.as_deref();
        let document = &world.documents[uid][&id];
        let shown = ComparedHit {
            index: uid.to_owned(),
            id,
            query: place as u64,
            score: billionths(score * query.weight),
        };
        Self { shown, parts, values: values(document, attribute) }
    }

    fn is_before(&self, other: &Self) -> bool {
        let order = compare(&self.parts, &other.parts).reverse();
        order.then(self.shown.query.cmp(&other.shown.query)) == Ordering::Less
    }
}

/// Distinct values of an attribute.
fn values(document: &Value, attribute: Option<&str>) -> Vec<String> {
    match attribute.map(|name| &document[name]) {
        Some(Value::Array(items)) => items.iter().map(Value::to_string).collect(),
        None | Some(Value::Null) => Vec::new(),
        Some(value) => vec![value.to_string()],
    }
}

/// Greater is better.
fn compare(left: &[SortKey], right: &[SortKey]) -> Ordering {
    for (left, right) in left.iter().zip(right) {
        let order = match (left, right) {
            (SortKey::Rank(left), SortKey::Rank(right)) if (left - right).abs() < 1e-12 => {
                Ordering::Equal
            }
            (SortKey::Rank(left), SortKey::Rank(right)) => left.total_cmp(right),
            (SortKey::Sort { is_ascending, value: left }, SortKey::Sort { value: right, .. }) => {
                let class = |value: &Value| match value {
                    Value::Number(_) => 2,
                    Value::String(_) => 1,
                    _ => 0,
                };
                let ascending = match (left.as_f64(), right.as_f64()) {
                    (Some(left), Some(right)) => left.total_cmp(&right),
                    _ => left.as_str().cmp(&right.as_str()),
                };
                let order = if *is_ascending { ascending.reverse() } else { ascending };
                class(left).cmp(&class(right)).then(order)
            }
            (
                SortKey::Distance { is_ascending, metres: left },
                SortKey::Distance { metres: right, .. },
            ) => match (left, right) {
                (Some(left), Some(right)) if *is_ascending => right.total_cmp(left),
                (Some(left), Some(right)) => left.total_cmp(right),
                _ => left.is_some().cmp(&right.is_some()),
            },
            _ => panic!("rules of different kinds were let through"),
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len())
}

/// Takes the best of the first entries again and again.
fn merged(mut lists: Vec<VecDeque<Entry>>, one_index: bool, most: usize) -> VecDeque<Entry> {
    let mut ids = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut all = VecDeque::new();
    while all.len() < most {
        let mut best: Option<usize> = None;
        for place in 0..lists.len() {
            let Some(first) = lists[place].front() else { continue };
            if best.is_none_or(|best| first.is_before(&lists[best][0])) {
                best = Some(place);
            }
        }
        let Some(entry) = best.and_then(|best| lists[best].pop_front()) else { break };
        if one_index && !ids.insert(entry.shown.id) {
            continue;
        }
        if entry.values.iter().any(|value| seen.contains(value)) {
            continue;
        }
        seen.extend(entry.values.iter().cloned());
        all.push_back(entry);
    }
    all
}

/// Known where every query can be asked for all that it matches.
fn total(world: &World, request: &FederatedRequest) -> Option<u64> {
    let is_exact = matches!(request.window, Window::Page { .. });
    let mut found: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for query in &request.queries {
        let uid = query.index_uid.as_str();
        let has_distinct = !world.settings[uid]["distinctAttribute"].is_null();
        if has_distinct || query.request.criteria.distinct.is_some() {
            return None;
        }
        if query.request.criteria.ranking_score_threshold.is_some() && !is_exact {
            return None;
        }
        let answer = whole(world, uid, &query.request);
        let hits: Vec<Value> = serde_json::from_str(&answer.hits).expect("JSON");
        if answer.total != hits.len() as u64 {
            return None;
        }
        let ids = hits.iter().filter_map(|hit| hit["id"].as_u64());
        found.entry(uid).or_default().extend(ids);
    }
    let documents = || {
        let of_index = |(uid, ids): (&&str, &BTreeSet<u64>)| -> Vec<&Value> {
            ids.iter().map(|id| &world.documents[*uid][id]).collect()
        };
        found.iter().flat_map(of_index)
    };
    match request.distinct.as_deref() {
        None => Some(documents().count() as u64),
        // Each value once; which documents remain does not matter where each has one value.
        Some("kind") if is_exact => {
            let kinds: BTreeSet<String> =
                documents().flat_map(|document| values(document, Some("kind"))).collect();
            let without = documents().filter(|document| document["kind"].is_null()).count();
            Some((kinds.len() + without) as u64)
        }
        Some(_) => None,
    }
}
