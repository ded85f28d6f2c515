//! `/indexes/{uid}/facet-search`: searches the values of a facet among matching documents. Unlike
//! elsewhere, unknown fields are ignored.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use engine::search::{
    Criteria, FacetSearchAnswer, FacetSearchRequest, SearchRequest, has_text, searched_text,
};
use model::features::{Feature, Features};
use model::{Code, IndexUid, ServiceError};
use remote_search::{FanOut, WireShown, merge_facet_searches};
use serde::Serialize;

use super::validated_search::{check_network, check_vectors, semantic};
use super::values::languages;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::error::{ErrorObject, Links};
use crate::http::proxy::foreign_access;
use crate::routes::on_network::{self, Caller};
use crate::routes::usage;
use crate::search_parameters::table::FacetSearchBody;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FacetSearchReply<'a> {
    facet_hits: Vec<FacetHit>,
    facet_query: Option<&'a str>,
    processing_time_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote_errors: Option<BTreeMap<&'a str, ErrorObject<'a>>>,
    /// Settings that another instance needs to show values as this one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<WireShown>,
}

#[derive(Debug, Serialize)]
struct FacetHit {
    value: String,
    count: u64,
}

pub async fn search(app: App, mut call: Call) -> Answer {
    let (body, _memory) = call.search_json::<FacetSearchBody>().await?;
    let uid = call.index_uid()?;
    let use_network = body.use_network;
    let mut request = request(body, &app.engine.features(), call.limits.bounds.query_size)?;
    let running = app.begin(&call.headers, || usage::facet_searched(&request));
    request.among.foreign = foreign_access(&call.headers, &call.access)?;
    request.among.filter = call.access.narrowed(&uid, request.among.filter.take());
    let answered = match Caller::of(&call.headers, use_network, &app.remotes)? {
        Caller::Client => {
            let facet_query = request.text.clone();
            let answer = search_here(&app, uid, request).await?;
            let reply = reply(answer.hits, facet_query.as_deref(), answer.elapsed);
            answer::ok(&reply)
        }
        Caller::Instance => {
            let facet_query = request.text.clone();
            let request = FacetSearchRequest { unlimited: true, ..request };
            let answer = search_here(&app, uid, request).await?;
            let shown = Some(answer.shown.into());
            let reply = reply(answer.hits, facet_query.as_deref(), answer.elapsed);
            answer::ok(&FacetSearchReply { shown, ..reply })
        }
        Caller::NetworkClient(fan_out) => {
            of_network(&app, &call.links, uid, request, fan_out).await?
        }
    };
    running.succeeded();
    Ok(answered)
}

async fn search_here(
    app: &App,
    uid: IndexUid,
    request: FacetSearchRequest,
) -> Result<FacetSearchAnswer, ServiceError> {
    app.engine
        .in_turn(move |engine, turn| engine.searcher().facet_search(&uid, &request, turn.cancel))
        .await
}

async fn of_network(
    app: &App,
    links: &Links,
    uid: IndexUid,
    request: FacetSearchRequest,
    fan_out: FanOut,
) -> Answer {
    let begun = Instant::now();
    let asked = app.remotes.ask_facet_search(&fan_out, &uid, &request);
    let own = match &fan_out.here {
        Some(scope) => {
            let mut part = FacetSearchRequest { unlimited: true, ..request.clone() };
            part.among.filter = scope.narrowed(part.among.filter);
            match search_here(app, uid.clone(), part).await {
                Ok(own) => Some(own),
                // Worded for the filter that the client sent.
                Err(error) if error.code == Code::InvalidSearchFilter => {
                    return Err(search_here(app, uid, request).await.err().unwrap_or(error));
                }
                Err(error) => return Err(error),
            }
        }
        None => None,
    };
    let ask = |others: &FanOut| app.remotes.ask_facet_search(others, &uid, &request);
    let (remotes, errors) = app.remotes.gather(&fan_out, asked, ask).await;
    let hits = merge_facet_searches(&request, own, remotes);
    let remote_errors = Some(on_network::shown(&errors, links));
    let reply = reply(hits, request.text.as_deref(), begun.elapsed());
    Ok(answer::ok(&FacetSearchReply { remote_errors, ..reply }))
}

fn reply<'a>(
    hits: Vec<(String, u64)>,
    facet_query: Option<&'a str>,
    elapsed: Duration,
) -> FacetSearchReply<'a> {
    FacetSearchReply {
        facet_hits: hits.into_iter().map(|(value, count)| FacetHit { value, count }).collect(),
        facet_query,
        processing_time_ms: elapsed.as_millis() as u64,
        remote_errors: None,
        shown: None,
    }
}

fn request(
    body: FacetSearchBody,
    features: &Features,
    query_size: usize,
) -> Result<FacetSearchRequest, ServiceError> {
    check_vectors(body.media.is_some(), body.vector.is_some(), body.hybrid.is_some())?;
    if body.media.is_some() {
        features.check(Feature::multimodal, "passing `media` in a facet search query")?;
    }
    check_network(body.use_network, features)?;
    let text = searched_text(body.q, query_size);
    let has_text = has_text(text.as_deref());
    Ok(FacetSearchRequest {
        facet: body.facet_name,
        text: searched_text(body.facet_query, query_size),
        exhaustive: body.exhaustive_facet_count.unwrap_or(false),
        unlimited: false,
        among: SearchRequest {
            text,
            criteria: Criteria {
                matching_strategy: body.matching_strategy.0,
                attributes_to_search_on: body.attributes_to_search_on,
                locales: body.locales.map(languages),
                ranking_score_threshold: body.ranking_score_threshold.map(|least| least.0),
                ..Criteria::default()
            },
            filter: body.filter,
            semantic: semantic(body.hybrid, has_text, body.vector, body.media)?,
            ..SearchRequest::default()
        },
    })
}
