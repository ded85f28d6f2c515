//! `/indexes/{uid}/suggest`: completes a half-typed query with phrases of the documents.
//! Meilisearch has no such route.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use deserr::Deserr;
use engine::search::{SuggestAnswer, SuggestRequest, Suggestion, searched_text};
use model::features::Features;
use model::{Code, IndexUid, ServiceError};
use remote_search::{FanOut, WireSuggestion, merge_suggestion_lists};
use serde::Serialize;
use serde_json::Value;

use super::validated_search::check_network;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::error::{ErrorObject, Links};
use crate::http::field_error::body_code;
use crate::http::json::BodyError;
use crate::http::proxy::foreign_access;
use crate::routes::on_network::{self, Caller};

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct SuggestBody {
    #[deserr(default, error = body_code!(InvalidSuggestQ))]
    q: Option<String>,
    #[deserr(default = SuggestRequest::DEFAULT_LIMIT, error = body_code!(InvalidSuggestLimit))]
    limit: usize,
    #[deserr(default, error = body_code!(InvalidSuggestAttribute))]
    attribute: Option<String>,
    #[deserr(default, error = body_code!(InvalidSuggestFilter))]
    filter: Option<Value>,
    #[deserr(default, error = body_code!(InvalidSearchUseNetwork))]
    use_network: Option<bool>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SuggestReply<'a, S> {
    suggestions: Vec<S>,
    query: &'a str,
    processing_time_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote_errors: Option<BTreeMap<&'a str, ErrorObject<'a>>>,
}

#[derive(Debug, Serialize)]
struct SuggestionObject {
    text: String,
    count: u64,
}

pub async fn suggest(app: App, mut call: Call) -> Answer {
    let (body, _memory) = call.search_json::<SuggestBody>().await?;
    let uid = call.index_uid()?;
    let use_network = body.use_network;
    let mut request = request(body, &app.engine.features(), call.limits.bounds.query_size)?;
    request.foreign = foreign_access(&call.headers, &call.access)?;
    request.filter = call.access.narrowed(&uid, request.filter.take());
    let query = request.text.clone();
    match Caller::of(&call.headers, use_network, &app.remotes)? {
        Caller::Client => {
            let SuggestAnswer { suggestions, elapsed } = search_here(&app, uid, request).await?;
            let suggestions = suggestions.into_iter().map(SuggestionObject::from);
            Ok(answer::ok(&reply(suggestions, &query, elapsed)))
        }
        Caller::Instance => {
            let SuggestAnswer { suggestions, elapsed } = search_here(&app, uid, request).await?;
            let suggestions = suggestions.into_iter().map(WireSuggestion::from);
            Ok(answer::ok(&reply(suggestions, &query, elapsed)))
        }
        Caller::NetworkClient(fan_out) => {
            of_network(&app, &call.links, uid, request, fan_out).await
        }
    }
}

async fn search_here(
    app: &App,
    uid: IndexUid,
    request: SuggestRequest,
) -> Result<SuggestAnswer, ServiceError> {
    app.engine
        .in_turn(move |engine, turn| engine.searcher().suggest(&uid, &request, turn.cancel))
        .await
}

async fn of_network(
    app: &App,
    links: &Links,
    uid: IndexUid,
    request: SuggestRequest,
    fan_out: FanOut,
) -> Answer {
    let begun = Instant::now();
    // A phrase that is frequent in the network may be rare on each instance.
    let all = SuggestRequest { limit: SuggestRequest::MOST, ..request.clone() };
    let asked = app.remotes.ask_suggestions(&fan_out, &uid, &all);
    let own = match &fan_out.here {
        Some(scope) => {
            let filter = scope.narrowed(all.filter.clone());
            let part = SuggestRequest { filter, ..all.clone() };
            match search_here(app, uid.clone(), part).await {
                Ok(own) => Some(own),
                // Worded for the filter that the client sent.
                Err(error) if error.code == Code::InvalidSuggestFilter => {
                    return Err(search_here(app, uid, request).await.err().unwrap_or(error));
                }
                Err(error) => return Err(error),
            }
        }
        None => None,
    };
    let ask = |others: &FanOut| app.remotes.ask_suggestions(others, &uid, &all);
    let (remotes, errors) = app.remotes.gather(&fan_out, asked, ask).await;
    let suggestions = merge_suggestion_lists(own, remotes, request.limit);
    let remote_errors = Some(on_network::shown(&errors, links));
    let suggestions = suggestions.into_iter().map(SuggestionObject::from);
    let reply = reply(suggestions, &request.text, begun.elapsed());
    Ok(answer::ok(&SuggestReply { remote_errors, ..reply }))
}

fn reply<S>(
    suggestions: impl Iterator<Item = S>,
    query: &str,
    elapsed: Duration,
) -> SuggestReply<'_, S> {
    SuggestReply {
        suggestions: suggestions.collect(),
        query,
        processing_time_ms: elapsed.as_millis() as u64,
        remote_errors: None,
    }
}

impl From<Suggestion> for SuggestionObject {
    fn from(Suggestion { text, count, .. }: Suggestion) -> Self {
        Self { text, count }
    }
}

fn request(
    body: SuggestBody,
    features: &Features,
    query_size: usize,
) -> Result<SuggestRequest, ServiceError> {
    let SuggestBody { q, limit, attribute, filter, use_network } = body;
    let most = SuggestRequest::MOST;
    if limit > most {
        return Err(ServiceError::new(
            Code::InvalidSuggestLimit,
            format!("Invalid value at `.limit`: it must be at most {most}, not {limit}."),
        ));
    }
    check_network(use_network, features)?;
    Ok(SuggestRequest {
        text: searched_text(q, query_size).unwrap_or_default(),
        limit,
        attribute,
        filter,
        ..SuggestRequest::default()
    })
}
