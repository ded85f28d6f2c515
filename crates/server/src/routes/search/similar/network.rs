//! Similar documents in a sharded network: the answers between instances, and those to clients. The
//! vectors of the document are found first, here or on a remote.

use std::fmt::Write;
use std::time::Instant;

use axum::http::StatusCode;
use engine::Engine;
use engine::search::{SimilarPart, SimilarRequest, similar_not_found};
use model::features::Feature;
use model::{Cancel, Code, IndexUid, ServiceError};
use network::ShardScope;
use remote_search::{FanOut, merge_similar};
use serde_json::{Value, json};

use super::{SimilarBody, add_stages, beside_queue, write_open_answer};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::error::Links;
use crate::http::json::BodyError;
use crate::http::proxy::foreign_access;
use crate::routes::on_network;

/// Answers another instance with the hits of this one and their sort keys.
pub async fn part(app: &App, mut call: Call) -> Answer {
    let (mut body, _memory) = call.search_json::<Value>().await?;
    app.engine.features().check(Feature::network, "Performing a remote federated search")?;
    let vectors = body.as_object_mut().and_then(|members| members.shift_remove("targetVectors"));
    let vectors: Option<Option<Vec<Vec<f32>>>> =
        vectors.map(serde_json::from_value).transpose().map_err(|error| {
            let message = format!("Invalid value at `.targetVectors`: {error}");
            ServiceError::new(Code::BadRequest, message)
        })?;
    let rule = body.as_object_mut().and_then(|members| members.shift_remove("rule"));
    let mut request = deserr::deserialize::<SimilarBody, _, BodyError>(body)?.into_request()?;
    let uid = call.index_uid()?;
    let scope;
    (request.filter, scope) = ShardScope::split_off(request.filter);
    request.filter = call.access.narrowed(&uid, request.filter.take());
    request.foreign = foreign_access(&call.headers, &call.access)?;
    request.rule = call.access.narrowed(&uid, rule.filter(|rule| !rule.is_null()));
    let part = found(app, uid, request, scope, vectors.flatten()).await?;
    let SimilarPart { hits, order, counts, target, .. } = part;
    let body = format!(
        "{{\"hits\":{hits},\"order\":{},\"candidates\":{},\"enough\":{},\"target\":{}}}",
        json!(order),
        counts.candidates,
        counts.enough,
        json!(target),
    );
    Ok(answer::with_type(StatusCode::OK, answer::JSON, body))
}

pub async fn similar(
    app: &App,
    links: &Links,
    uid: IndexUid,
    request: SimilarRequest,
    fan_out: FanOut,
    with_performance_details: bool,
) -> Answer {
    let begun = Instant::now();
    let vectors = target(app, &uid, &request, &fan_out).await?;
    let ask = |others: &FanOut| app.remotes.ask_similar(others, &uid, &request, Some(&vectors));
    let asked = ask(&fan_out);
    let scope = fan_out.here.clone().unwrap_or_default();
    let part = (request.of_part(), scope, Some(vectors.clone()));
    let own = found(app, uid.clone(), part.0, part.1, part.2).await?;
    let (remotes, errors) = app.remotes.gather(&fan_out, asked, ask).await;
    let remotes = remotes.into_iter().map(|(_, remote)| remote).collect();
    let answer = merge_similar(&request, own, remotes, begun.elapsed());
    let mut out = write_open_answer(&request, &answer);
    if with_performance_details {
        add_stages(&answer.stages, &mut out);
    }
    // Writing to a string cannot fail.
    let _ = write!(out, ",\"remoteErrors\":{}}}", json!(on_network::shown(&errors, links)));
    Ok(answer::with_type(StatusCode::OK, answer::JSON, out))
}

/// Finds the vectors of the document on any instance. If none has it and one did not answer, it is
/// unknown whether the document exists.
async fn target(
    app: &App,
    uid: &IndexUid,
    request: &SimilarRequest,
    fan_out: &FanOut,
) -> Result<Vec<Vec<f32>>, ServiceError> {
    let only = SimilarRequest { offset: 0, limit: 0, ..request.clone() };
    let scope = fan_out.here.clone().unwrap_or_default();
    let own = found(app, uid.clone(), only, scope, None).await?;
    if let Some(vectors) = own.target {
        return Ok(vectors);
    }
    let ask = |others: &FanOut| app.remotes.ask_similar(others, uid, request, None);
    let (remotes, errors) = app.remotes.gather(fan_out, ask(fan_out), ask).await;
    let found = remotes.into_iter().find_map(|(_, remote)| remote.target());
    found.ok_or_else(|| match errors.into_values().next() {
        Some(error) => error,
        None => similar_not_found(&request.id),
    })
}

async fn found(
    app: &App,
    uid: IndexUid,
    request: SimilarRequest,
    scope: ShardScope,
    vectors: Option<Vec<Vec<f32>>>,
) -> Result<SimilarPart, ServiceError> {
    let work = move |engine: &Engine, cancel: &Cancel| {
        let part = scope.condition();
        let (part, vectors) = (part.as_deref(), vectors.as_deref());
        engine.searcher().similar_part(&uid, &request, part, vectors, cancel)
    };
    beside_queue(app, work).await
}
