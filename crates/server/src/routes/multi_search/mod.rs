//! `/multi-search`: several searches in one request. Each has its own answer, or, with
//! `federation`, their hits become one list.

mod body;
mod check;
mod federated;
mod proxied;
mod reply;
mod spread;

use axum::http::{HeaderMap, StatusCode};
use engine::keys::Access;
use engine::search::{SearchRequest, inside_query};
use model::features::Features;
use model::{Code, IndexUid, ServiceError};
use telemetry::Event;

use self::body::MultiSearchBody;
use self::proxied::Proxied;
use super::search::body::QueryBody;
use super::search::demand::Demand;
use super::search::reply::{self as search_reply, Envelope};
use super::search::wants_metadata;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::error::Links;
use crate::http::{answer, error};
use crate::routes::on_network::{Asker, is_instance};
use crate::routes::usage;

pub async fn search(app: App, mut call: Call) -> Answer {
    let (body, proxied) = match is_instance(&call.headers) {
        true => proxied::read(&mut call).await?,
        false => (call.json::<MultiSearchBody>().await?, Proxied::default()),
    };
    let Call { headers, links, access, .. } = call;
    let running = app.begin(&headers, || {
        Event::MultiSearched(usage::multi_search(&body.queries, body.federation.is_some()))
    });
    let answered = match body.federation {
        Some(federation) => {
            let from = federated::Sender { headers: &headers, links: &links, access: &access };
            federated::search(&app, from, body.queries, federation, proxied).await
        }
        None => one_by_one(&app, &headers, &links, &access, body.queries).await,
    };
    Ok(match answered {
        Ok(body) => {
            running.succeeded();
            answer::with_type(StatusCode::OK, answer::JSON, body)
        }
        Err(refused) => error::respond_to_body(&refused, &links),
    })
}

/// The answers in the order of the queries. The first query that fails fails the request, so those
/// before one that is refused are run too.
async fn one_by_one(
    app: &App,
    headers: &HeaderMap,
    links: &Links,
    access: &Access,
    queries: Vec<QueryBody>,
) -> Result<String, ServiceError> {
    let features = app.engine.features();
    let mut demands = Vec::with_capacity(queries.len());
    let mut refused = None;
    for (place, query) in queries.into_iter().enumerate() {
        match demand(query, access, &features) {
            Ok((uid, demand)) => {
                let asker = Asker::of(headers, demand.use_network, &app.engine)?;
                demands.push((uid, demand, asker.fan_out()));
            }
            Err(error) => {
                refused = Some(inside_query(error, place));
                break;
            }
        }
    }
    let with_metadata = wants_metadata(headers);
    if demands.iter().any(|(_, _, fan_out)| fan_out.is_some()) {
        let results = spread::answers(app, links, demands, with_metadata).await?;
        return match refused {
            Some(refused) => Err(refused),
            None => Ok(format!("{{\"results\":[{}]}}", results.join(","))),
        };
    }
    let with_details: Vec<bool> =
        demands.iter().map(|(_, demand, _)| demand.show_performance_details).collect();
    let searches: Vec<(IndexUid, SearchRequest)> =
        demands.into_iter().map(|(uid, demand, _)| (uid, demand.request)).collect();
    app.engine
        .in_turn(move |engine, turn| {
            let answers = engine.multi_search(&searches, turn.cancelled)?;
            if let Some(refused) = refused {
                return Err(refused);
            }
            let request_uid = model::time_ordered_uuid();
            let mut out = String::from("{\"results\":[");
            for (place, ((uid, request), answer)) in searches.iter().zip(&answers).enumerate() {
                if place > 0 {
                    out.push(',');
                }
                let envelope = Envelope {
                    index_uid: uid,
                    is_one_of_many: true,
                    request_uid,
                    waited: turn.waited,
                    with_metadata,
                    with_performance_details: with_details[place],
                    remote_errors: None,
                };
                out.push_str(&search_reply::write(request, answer, &envelope));
            }
            out.push_str("]}");
            Ok(out)
        })
        .await
}

fn demand(
    query: QueryBody,
    access: &Access,
    features: &Features,
) -> Result<(IndexUid, Demand), ServiceError> {
    let (uid, body, options) = query.into_parts();
    access.check_index(&uid)?;
    if options.is_some() {
        return Err(ServiceError::new(
            Code::InvalidMultiSearchFederationOptions,
            "Using `federationOptions` is not allowed in a non-federated search.\n - Hint: remove \
             `federationOptions` from the query or add `federation` to the request.",
        ));
    }
    let mut demand = Demand::new(body, features)?;
    demand.request.filter = access.narrowed(&uid, demand.request.filter.take());
    Ok((uid, demand))
}
