//! `/multi-search`: several searches in one request. Each has its own answer, or, with
//! `federation`, their hits become one list.

pub(super) mod body;
mod check;
mod federated;
mod network;
mod proxied;
mod reply;

use axum::http::HeaderMap;
use engine::keys::Access;
use engine::search::{AnswerBudget, SearchRequest, inside_query};
use model::features::Features;
use model::{Code, IndexUid, ServiceError};

use self::body::MultiSearchBody;
use self::proxied::ProxiedQuery;
use super::search::body::QueryBody;
use super::search::reply::{self as search_reply, ReplyContext};
use super::search::validated_search::ValidatedSearch;
use super::search::wants_metadata;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::error::Links;
use crate::http::limits::Limits;
use crate::http::proxy::foreign_access;
use crate::http::{answer, error};
use crate::routes::on_network::{Caller, is_instance};
use crate::routes::usage;

pub async fn search(app: App, mut call: Call) -> Answer {
    let (body, proxied, _memory) = if is_instance(&call.headers) {
        proxied::read(&mut call).await?
    } else {
        let (body, memory) = call.queries_json::<MultiSearchBody>().await?;
        (body, ProxiedQuery::default(), memory)
    };
    let Call { headers, links, access, limits, .. } = call;
    let from = Sender { headers: &headers, links: &links, access: &access, limits: &limits };
    let running =
        app.begin(&headers, || usage::multi_searched(&body.queries, body.federation.is_some()));
    let answered = match body.federation {
        Some(federation) => federated::search(&app, from, body.queries, federation, proxied).await,
        None => one_by_one(&app, from, body.queries).await,
    };
    match answered {
        Ok(body) => {
            running.succeeded();
            answer::of_search(body, &limits)
        }
        Err(refused) => Ok(error::respond_to_body(&refused, &links)),
    }
}

/// The sender of a request, with its access and limits.
#[derive(Clone, Copy)]
struct Sender<'a> {
    headers: &'a HeaderMap,
    links: &'a Links,
    access: &'a Access,
    limits: &'a Limits,
}

impl Sender<'_> {
    /// Creates the budget that all queries of the request share.
    fn budget(self) -> AnswerBudget {
        AnswerBudget::of(self.limits.bounds.answer_size)
    }
}

/// Answers the queries in order. The first query that fails fails the request, so those before an
/// invalid one are run too.
async fn one_by_one(
    app: &App,
    from: Sender<'_>,
    queries: Vec<QueryBody>,
) -> Result<String, ServiceError> {
    let features = app.engine.features();
    let budget = from.budget();
    let mut searches = Vec::with_capacity(queries.len());
    let mut refused = None;
    for (place, query) in queries.into_iter().enumerate() {
        let validated = validate(query, from, &features, &budget).and_then(|(uid, validated)| {
            validated.check_personalize(&app.engine)?;
            Ok((uid, validated))
        });
        let (uid, validated) = match validated {
            Ok(validated) => validated,
            Err(error) => {
                refused = Some(inside_query(error, place));
                break;
            }
        };
        let fan_out = Caller::of(from.headers, validated.use_network, &app.remotes)?.fan_out();
        searches.push((uid, validated, fan_out));
    }
    let with_metadata = wants_metadata(from.headers);
    if searches.iter().any(|(_, _, fan_out)| fan_out.is_some()) {
        let results = network::answers(app, from.links, searches, with_metadata).await?;
        return match refused {
            Some(refused) => Err(refused),
            None => {
                let out = format!("{{\"results\":[{}]}}", results.join(","));
                budget.check(&out)?;
                Ok(out)
            }
        };
    }
    let with_details: Vec<bool> =
        searches.iter().map(|(_, validated, _)| validated.show_performance_details).collect();
    let searches: Vec<(IndexUid, SearchRequest)> =
        searches.into_iter().map(|(uid, validated, _)| (uid, validated.request)).collect();
    app.engine
        .in_turn(move |engine, turn| {
            let answers = engine.searcher().multi_search(&searches, turn.cancel)?;
            if let Some(refused) = refused {
                return Err(refused);
            }
            let request_uid = model::time_ordered_uuid();
            let mut out = String::from("{\"results\":[");
            for (place, ((uid, request), answer)) in searches.iter().zip(&answers).enumerate() {
                if place > 0 {
                    out.push(',');
                }
                let context = ReplyContext {
                    index_uid: uid,
                    is_one_of_many: true,
                    request_uid,
                    waited: turn.waited,
                    with_metadata,
                    with_performance_details: with_details[place],
                    remote_errors: None,
                };
                out.push_str(&search_reply::write(request, answer, &context));
            }
            out.push_str("]}");
            budget.check(&out)?;
            Ok(out)
        })
        .await
}

fn validate(
    query: QueryBody,
    from: Sender<'_>,
    features: &Features,
    budget: &AnswerBudget,
) -> Result<(IndexUid, ValidatedSearch), ServiceError> {
    let (uid, body, options) = query.into_parts();
    from.access.check_index(&uid)?;
    if options.is_some() {
        return Err(ServiceError::new(
            Code::InvalidMultiSearchFederationOptions,
            "Using `federationOptions` is not allowed in a non-federated search.\n - Hint: remove \
             `federationOptions` from the query or add `federation` to the request.",
        ));
    }
    let mut validated = ValidatedSearch::new(body, features, &from.limits.bounds, budget)?;
    validated.request.foreign = foreign_access(from.headers, from.access)?;
    validated.request.filter = from.access.narrowed(&uid, validated.request.filter.take());
    Ok((uid, validated))
}
