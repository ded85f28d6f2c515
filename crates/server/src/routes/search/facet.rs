//! `/indexes/{uid}/facet-search`: the values of one attribute among the documents that a search
//! finds. Unlike everywhere else, fields that nobody knows are passed over.

use deserr::{Deserr, ValuePointerRef};
use engine::search::{FacetSearchRequest, SearchRequest};
use model::ServiceError;
use model::features::{Feature, Features};
use serde::Serialize;
use serde_json::Value;

use super::body::Hybrid;
use super::demand::{check_network, check_vectors, is_text, semantic};
use super::values::{Locale, MatchingStrategy, Threshold};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::json::BodyError;
use crate::http::refused::{Refused, body_code};
use crate::routes::turn::in_turn;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase)]
struct FacetSearchBody {
    #[deserr(default, error = body_code!(InvalidFacetSearchQuery))]
    facet_query: Option<String>,
    #[deserr(
        error = body_code!(InvalidFacetSearchFacetName),
        missing_field_error = missing_facet_name
    )]
    facet_name: String,
    #[deserr(default, error = body_code!(InvalidSearchQ))]
    q: Option<String>,
    #[deserr(default, error = body_code!(InvalidSearchVector))]
    vector: Option<Vec<f32>>,
    #[deserr(default, error = body_code!(InvalidSearchMedia))]
    media: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchHybridQuery))]
    hybrid: Option<Hybrid>,
    #[deserr(default, error = body_code!(InvalidSearchFilter))]
    filter: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchMatchingStrategy))]
    matching_strategy: MatchingStrategy,
    #[deserr(default, error = body_code!(InvalidSearchAttributesToSearchOn))]
    attributes_to_search_on: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSearchRankingScoreThreshold))]
    ranking_score_threshold: Option<Threshold>,
    #[deserr(default, error = body_code!(InvalidSearchLocales))]
    locales: Option<Vec<Locale>>,
    #[deserr(default, error = body_code!(InvalidFacetSearchExhaustiveFacetCount))]
    exhaustive_facet_count: Option<bool>,
    #[deserr(default, error = body_code!(InvalidSearchUseNetwork))]
    use_network: Option<bool>,
}

fn missing_facet_name(
    field: &str,
    at: ValuePointerRef<'_>,
) -> body_code!(MissingFacetSearchFacetName) {
    Refused::missing(field, at)
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FacetSearchReply {
    facet_hits: Vec<FacetHit>,
    facet_query: Option<String>,
    processing_time_ms: u64,
}

#[derive(Debug, Serialize)]
struct FacetHit {
    value: String,
    count: u64,
}

pub async fn search(app: App, mut call: Call) -> Answer {
    let body: FacetSearchBody = call.json().await?;
    let uid = call.index_uid()?;
    let request = request(body, &app.engine.features())?;
    let reply = in_turn(&app, move |engine, turn| {
        let answer = engine.facet_search(&uid, &request, turn.cancelled)?;
        let hit = |(value, count)| FacetHit { value, count };
        Ok(FacetSearchReply {
            facet_hits: answer.hits.into_iter().map(hit).collect(),
            facet_query: request.text,
            processing_time_ms: answer.elapsed.as_millis() as u64,
        })
    })
    .await?;
    Ok(answer::ok(&reply))
}

fn request(body: FacetSearchBody, features: &Features) -> Result<FacetSearchRequest, ServiceError> {
    check_vectors(body.media.is_some(), body.vector.is_some(), body.hybrid.is_some())?;
    if body.media.is_some() {
        features.check(Feature::multimodal, "passing `media` in a facet search query")?;
    }
    check_network(body.use_network, features)?;
    let has_text = is_text(body.q.as_deref());
    Ok(FacetSearchRequest {
        facet: body.facet_name,
        text: body.facet_query,
        exhaustive: body.exhaustive_facet_count.unwrap_or(false),
        among: SearchRequest {
            text: body.q,
            strategy: body.matching_strategy.0,
            attributes_to_search_on: body.attributes_to_search_on,
            locales: body.locales.map(|all| all.into_iter().map(|locale| locale.0).collect()),
            threshold: body.ranking_score_threshold.map(|least| least.0),
            filter: body.filter,
            semantic: semantic(body.hybrid, has_text, body.vector, body.media),
            ..SearchRequest::default()
        },
    })
}
