use engine::search::FederatedQuery;
use search::facets::FacetDisplay;
use search::federation::{DistinctValue, SortKey};
use serde_json::{Value, json};
use settings::FacetOrder;

use super::*;

fn sent() -> SentQueries {
    let query = |uid: &str| FederatedQuery { index_uid: uid.to_owned(), ..Default::default() };
    let mut queries = vec![query("books"), query("films")];
    queries[1].position = Some(5);
    let request = FederatedRequest {
        queries,
        distinct: Some("kind".to_owned()),
        ..FederatedRequest::default()
    };
    SentQueries::new("far", &request, &[0, 1])
}

fn hit(position: usize, uid: &str) -> Value {
    json!({
        "id": 1,
        "_federation": {
            "indexUid": uid,
            "queriesPosition": position,
            "weightedRankingScore": 0.25,
            "weightedScoreValues": [{"rank": "0.5"}],
            "extra_document": {"kind": [{"text": "x"}], "other": [{"text": "y"}]},
            "documentNumber": 12,
            "isSemantic": true,
        },
        "_rankingScore": 0.5,
    })
}

fn answer(hits: Value) -> Value {
    json!({"hits": hits, "estimatedTotalHits": 9, "limit": 20, "offset": 0, "new": [1]})
}

fn read(answer: &Value) -> Result<RemoteAnswer, String> {
    sent().read(answer.to_string().as_bytes())
}

#[test]
fn hits_become_candidates_and_name_their_remote() {
    let found = read(&answer(json!([hit(5, "films"), hit(0, "books")]))).unwrap().found;
    assert_eq!((found.total, found.hits.len(), found.is_semantic), (9, 2, false));
    let first = &found.hits[0];
    assert_eq!((first.query, first.number, first.score), (5, 12, 0.25));
    assert_eq!(first.parts, [SortKey::Rank(0.5)]);
    assert_eq!(first.distinct, [DistinctValue::Text("x".to_owned())]);
    let FoundHit::Remote { json, is_semantic: true, .. } = &first.hit else { panic!("{first:?}") };
    assert_eq!(
        json,
        r#"{"id":1,"_federation":{"indexUid":"films","queriesPosition":5,"weightedRankingScore":0.25,"remote":"far"},"_rankingScore":0.5}"#
    );
}

#[test]
fn documents_of_remotes_stay_as_written() {
    let body = format!(
        r#"{{"hits":[{{"n":1e400,"big":123456789012345678901234567890,"d":1.10,"_federation":{}}}],"totalHits":1}}"#,
        hit(0, "books")["_federation"]
    );
    let found = sent().read(body.as_bytes()).unwrap().found;
    let FoundHit::Remote { json, .. } = &found.hits[0].hit else { panic!("{found:?}") };
    let begin = r#"{"n":1e400,"big":123456789012345678901234567890,"d":1.10,"_federation":{"#;
    assert!(json.starts_with(begin), "{json}");
}

#[test]
fn pins_facets_vectors_and_keys_are_read() {
    let mut pinned = hit(0, "books");
    pinned["_federation"]["pinnedPosition"] = json!(3);
    let mut answer = answer(json!([pinned]));
    answer["facetsByIndex"] = json!({
        "books": {"distribution": {"kind": {"b": 2, "a": 1}}, "stats": {"year": {"min": 1, "max": 2.5}},
                  "shown": {"kind": {"order": "count", "maxValues": 7}}},
    });
    answer["queryVectors"] = json!({"5": [0.5, 1.0], "6": [1.0]});
    answer["semanticHitCount"] = json!(0);
    answer["metadata"] = json!([{"queryUid": "u", "indexUid": "books", "primaryKey": "id"}, {}]);
    let RemoteAnswer { found, primary_keys } = read(&answer).unwrap();
    let pin = found.hits[0].pin.unwrap();
    assert_eq!((pin.position, pin.precedence), (3, u64::MAX));
    let IndexFacets { facets, shown } = &found.facets["books"];
    assert_eq!(shown["kind"], FacetDisplay { order: FacetOrder::Count, most: 7 });
    let counts = vec![("a".to_owned(), 1), ("b".to_owned(), 2)];
    assert_eq!(facets.distribution, [("kind".to_owned(), counts)]);
    assert_eq!(facets.stats, [("year".to_owned(), (1.0, 2.5))]);
    assert_eq!(found.query_vectors, BTreeMap::from([(5, vec![0.5, 1.0])]));
    assert!(found.is_semantic);
    assert_eq!(primary_keys, HashMap::from([(0, "id".to_owned())]));
}

#[test]
fn anything_else_is_no_answer() {
    let without = |member: &str| {
        let mut hit = hit(0, "books");
        hit["_federation"].as_object_mut().unwrap().shift_remove(member);
        answer(json!([hit]))
    };
    let mut odd = hit(0, "books");
    odd["_federation"]["weightedScoreValues"] = json!([{"rank": "many"}]);
    for wrong in [
        json!(null),
        json!([]),
        json!({"hits": []}),
        json!({"hits": 3, "totalHits": 3}),
        json!({"hits": [], "totalHits": -1}),
        answer(json!([3])),
        answer(json!([{"id": 1}])),
        answer(json!([{"id": 1, "_federation": 3}])),
        answer(json!([hit(1, "books")])),
        answer(json!([hit(0, "films")])),
        answer(json!([odd])),
        without("weightedScoreValues"),
        without("indexUid"),
        without("queriesPosition"),
        without("weightedRankingScore"),
    ] {
        assert!(read(&wrong).is_err(), "{wrong}");
    }
    assert!(sent().read(b"").is_err() && sent().read(b"\xff{").is_err());
}

#[test]
fn numbers_that_are_none_do_no_harm() {
    let mut odd = hit(0, "books");
    odd["_federation"]["weightedScoreValues"] = json!([{"rank": "NaN"}, {"similarity": "inf"}]);
    odd["_federation"]["extra_document"] = json!({"kind": [{"number": "NaN"}]});
    let found = read(&answer(json!([odd, hit(0, "books"), odd]))).unwrap().found;
    let merged = search::federation::merge_answers(vec![found.hits.clone(), found.hits], 10);
    assert!(!merged.hits.is_empty());
}

#[test]
fn no_more_hits_are_taken_than_were_asked_for() {
    let hits: Vec<Value> = (0..50).map(|_| hit(0, "books")).collect();
    assert_eq!(read(&answer(hits.into())).unwrap().found.hits.len(), 20);
}

#[test]
fn numbers_are_read_as_what_they_say() {
    for place in 1..300_u64 {
        let number = (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) as f64 / 2.0_f64.powi(64)).sqrt();
        let mut hit = hit(0, "books");
        hit["_federation"]["weightedRankingScore"] = json!(number);
        let mut answer = answer(json!([hit]));
        let stats = json!({"year": {"min": number, "max": -number}});
        answer["facetsByIndex"] =
            json!({"books": {"distribution": {}, "stats": stats, "shown": {}}});
        let found = read(&answer).unwrap().found;
        assert_eq!(found.facets["books"].facets.stats, [("year".to_owned(), (number, -number))]);
        assert_eq!(found.hits[0].score, number);
        let FoundHit::Remote { json, .. } = &found.hits[0].hit else { panic!("{found:?}") };
        assert!(json.contains(&format!("\"weightedRankingScore\":{number},")), "{json}");
    }
}
