//! Federated searches of random indexes, queries, weights and windows, against a naive merge of
//! what each query finds alone; and pages put one behind the other against the whole list.
//!
//! `FEDERATION_SEED` is the seed of the first world and `FEDERATION_WORLDS` says how many there are.

mod naive;
mod world;

use std::sync::Arc;

use engine::search::{FederatedAnswer, FederatedQuery, FederatedRequest, SearchRequest, Window};
use model::{Cancel, Code, IndexUid, ServiceError};
use serde_json::Value;

use naive::Expected;
use testkit::Random;
use world::World;

const USUAL_WORLDS: u64 = 10;
const REQUESTS: usize = 60;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn a_federated_search_is_a_merge_of_its_queries() {
    let first = number("FEDERATION_SEED", 1);
    let worlds = number("FEDERATION_WORLDS", USUAL_WORLDS);
    let (mut compared, mut shown, mut refused) = (0, 0, 0);
    for seed in first..first + worlds {
        let mut random = Random::new(seed);
        let world = World::new(&mut random);
        for request in 0..REQUESTS {
            let request_of_world = world.request(&mut random);
            let told =
                || format!("FEDERATION_SEED={seed}, request {request}: {request_of_world:#?}");
            match run(&world, &request_of_world) {
                Ok(answer) => {
                    compared += 1;
                    let expected = Expected::of(&world, &request_of_world);
                    shown += check(&answer, &request_of_world, &expected, told);
                    check_pages(&world, &request_of_world, &expected, &mut random, told);
                }
                Err(error) => {
                    let code = Code::InvalidMultiSearchQueryRankingRules;
                    assert_eq!(error.code, code, "{}\n{}", error.message, told());
                    refused += 1;
                }
            }
        }
    }
    // Answers that are empty or refused would all be alike.
    assert!(compared > refused, "{compared} answers and {refused} refusals");
    assert!(shown > 2 * compared, "{shown} hits in {compared} answers");
}

#[test]
fn work_without_a_waiting_client_ends() {
    let world = World::new(&mut Random::new(7));
    let cancel = Cancel::new();
    cancel.cancel();
    let full = world.documents.iter().find(|(_, documents)| documents.len() > 5);
    let (uid, _) = full.expect("an index with documents");
    let request = SearchRequest { text: Some("amber tide".to_owned()), ..SearchRequest::default() };
    let query = FederatedQuery {
        index_uid: (*uid).to_owned(),
        request: request.clone(),
        weight: 1.0,
        ..FederatedQuery::default()
    };
    let federated =
        FederatedRequest { queries: vec![query.clone(), query], ..FederatedRequest::default() };
    assert!(world.engine().searcher().federated_search(Arc::new(federated), &cancel).is_err());
    let searches = vec![(IndexUid::new(*uid).expect("a good name"), request); 3];
    assert!(world.engine().searcher().multi_search(&searches, &cancel).is_err());
}

fn run(world: &World, request: &FederatedRequest) -> Result<FederatedAnswer, ServiceError> {
    let cancel = Cancel::default();
    world.engine().searcher().federated_search(Arc::new(request.clone()), &cancel)
}

/// Compared members of a hit.
#[derive(Debug, Clone, PartialEq)]
struct ComparedHit {
    index: String,
    id: u64,
    query: u64,
    /// In billionths: reading JSON may change the last digits.
    score: i64,
}

fn billionths(score: f64) -> i64 {
    (score * 1e9).round() as i64
}

fn shown(answer: &FederatedAnswer) -> Vec<ComparedHit> {
    let hits: Vec<Value> = serde_json::from_str(&answer.hits).expect("JSON");
    let shown = |hit: &Value| ComparedHit {
        index: hit["_federation"]["indexUid"].as_str().expect("an index").to_owned(),
        id: hit["id"].as_u64().expect("an id"),
        query: hit["_federation"]["queriesPosition"].as_u64().expect("a query"),
        score: billionths(hit["_federation"]["weightedRankingScore"].as_f64().expect("a score")),
    };
    hits.iter().map(shown).collect()
}

#[track_caller]
fn check(
    answer: &FederatedAnswer,
    request: &FederatedRequest,
    expected: &Expected,
    told: impl Fn() -> String,
) -> usize {
    let hits = shown(answer);
    assert_eq!(hits, expected.window(request.window), "{}", told());
    if let Some(total) = expected.total {
        assert_eq!(answer.total, total, "{}", told());
    }
    hits.len()
}

/// Windows of any size show parts of one list.
fn check_pages(
    world: &World,
    request: &FederatedRequest,
    expected: &Expected,
    random: &mut Random,
    told: impl Fn() -> String,
) {
    let size = random.between(1, 7);
    let mut all = Vec::new();
    for page in 0.. {
        let window = match request.window {
            Window::Offset { .. } => Window::Offset { offset: page * size, limit: size },
            Window::Page { .. } => Window::Page { page: page + 1, hits_per_page: size },
        };
        let answer =
            run(world, &FederatedRequest { window, ..request.clone() }).expect("an answer");
        let hits = shown(&answer);
        if hits.is_empty() {
            break;
        }
        all.extend(hits);
    }
    assert_eq!(all, expected.hits, "pages of {size}, {}", told());
}
