//! `/indexes/{uid}/similar`: finds documents similar to one of the index.

mod network;

use std::fmt::Write;

use deserr::Deserr;
use engine::search::{AnswerBudget, HitView, SimilarAnswer, SimilarRequest};
use engine::{Engine, ForeignAccess};
use model::limits::DEFAULT_PAGE_LIMIT;
use model::{Cancel, Code, ServiceError};
use serde_json::Value;
use telemetry::Event;
use tokio::sync::Semaphore;

use super::reply::{add_number, add_stages, add_text};
use super::values::Threshold;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::{body_code, query_code};
use crate::http::json::BodyError;
use crate::http::list::List;
use crate::http::proxy::foreign_access;
use crate::http::query::{Param, QueryError};
use crate::http::selection::filter_parameter;
use crate::routes::on_network::is_instance;
use crate::routes::usage;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct SimilarBody {
    #[deserr(error = body_code!(InvalidSimilarId))]
    id: Value,
    #[deserr(default, error = body_code!(InvalidSimilarOffset))]
    offset: usize,
    #[deserr(default = DEFAULT_PAGE_LIMIT, error = body_code!(InvalidSimilarLimit))]
    limit: usize,
    #[deserr(default, error = body_code!(InvalidSimilarFilter))]
    filter: Option<Value>,
    #[deserr(error = body_code!(InvalidSimilarEmbedder))]
    embedder: String,
    #[deserr(default, error = body_code!(InvalidSimilarAttributesToRetrieve))]
    attributes_to_retrieve: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidSimilarRetrieveVectors))]
    retrieve_vectors: bool,
    #[deserr(default, error = body_code!(InvalidSimilarShowRankingScore))]
    show_ranking_score: bool,
    #[deserr(default, error = body_code!(InvalidSimilarShowRankingScoreDetails))]
    show_ranking_score_details: bool,
    #[deserr(default, error = body_code!(InvalidSimilarShowPerformanceDetails))]
    show_performance_details: bool,
    #[deserr(default, error = body_code!(InvalidSimilarRankingScoreThreshold))]
    ranking_score_threshold: Option<Threshold>,
}

#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
struct SimilarParameters {
    #[deserr(error = query_code!(InvalidSimilarId))]
    id: String,
    #[deserr(default = Param(0), error = query_code!(InvalidSimilarOffset))]
    offset: Param<usize>,
    #[deserr(default = Param(DEFAULT_PAGE_LIMIT), error = query_code!(InvalidSimilarLimit))]
    limit: Param<usize>,
    #[deserr(default, error = query_code!(InvalidSimilarFilter))]
    filter: Option<String>,
    #[deserr(error = query_code!(InvalidSimilarEmbedder))]
    embedder: String,
    #[deserr(default, error = query_code!(InvalidSimilarAttributesToRetrieve))]
    attributes_to_retrieve: Option<List<String>>,
    #[deserr(default = Param(false), error = query_code!(InvalidSimilarRetrieveVectors))]
    retrieve_vectors: Param<bool>,
    #[deserr(default = Param(false), error = query_code!(InvalidSimilarShowRankingScore))]
    show_ranking_score: Param<bool>,
    #[deserr(default = Param(false), error = query_code!(InvalidSimilarShowRankingScoreDetails))]
    show_ranking_score_details: Param<bool>,
    #[deserr(default = Param(false), error = query_code!(InvalidSimilarShowPerformanceDetails))]
    show_performance_details: Param<bool>,
    #[deserr(default, error = query_code!(InvalidSimilarRankingScoreThreshold))]
    ranking_score_threshold: Option<Param<Threshold>>,
}

pub async fn post(app: App, mut call: Call) -> Answer {
    if is_instance(&call.headers) {
        return network::part(&app, call).await;
    }
    let (body, _memory) = call.search_json::<SimilarBody>().await?;
    similar(&app, call, body, usage::similar_post).await
}

pub async fn get(app: App, call: Call) -> Answer {
    let parameters: SimilarParameters = call.parameters()?;
    let body = parameters.into_body();
    if let Err(invalid) = document_id(&body.id) {
        // In a query string every id is text, and is checked after the index and the embedder.
        let (uid, embedder) = (call.index_uid()?, body.embedder);
        app.blocking(move |engine| engine.searcher().check_similar_embedder(&uid, &embedder))
            .await?;
        return Err(invalid);
    }
    similar(&app, call, body, usage::similar_get).await
}

async fn similar(
    app: &App,
    call: Call,
    body: SimilarBody,
    event: fn(&SimilarRequest) -> Event,
) -> Answer {
    let with_performance_details = body.show_performance_details;
    let mut request = body.into_request()?;
    request.budget = AnswerBudget::of(call.limits.bounds.answer_size);
    let uid = call.index_uid()?;
    let running = app.begin(&call.headers, || event(&request));
    request.filter = call.access.narrowed(&uid, request.filter.take());
    request.foreign = foreign_access(&call.headers, &call.access)?;
    request.rule = call.access.filter(&uid).cloned();
    if let Some(fan_out) = app.remotes.fan_out(None) {
        let found =
            network::similar(app, &call.links, uid, request, fan_out, with_performance_details);
        let answered = found.await?;
        running.succeeded();
        return Ok(answered);
    }
    let work = move |engine: &Engine, cancel: &Cancel| {
        let answer = engine.searcher().similar(&uid, &request, cancel)?;
        let mut out = write_open_answer(&request, &answer);
        if with_performance_details {
            add_stages(&answer.stages, &mut out);
        }
        out.push('}');
        running.succeeded();
        Ok(out)
    };
    let body = beside_queue(app, work).await?;
    answer::of_search(body, &call.limits)
}

/// How many of these requests run at a time; the others wait, and none is refused.
const AT_ONCE: usize = 32;
static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);

/// Runs work outside the search queue, which is not for these requests. Dropping the future cancels
/// the work.
async fn beside_queue<T, F>(app: &App, work: F) -> Result<T, ServiceError>
where
    F: FnOnce(&Engine, &Cancel) -> Result<T, ServiceError> + Send + 'static,
    T: Send + 'static,
{
    let turn = TURNS.acquire().await.map_err(ServiceError::internal)?;
    let waiting = CancelOnDrop::default();
    let cancel = waiting.0.clone();
    app.blocking(move |engine| {
        // Held until the work has ended, even if the request was dropped.
        let _turn = turn;
        work(engine, &cancel)
    })
    .await
}

/// Cancels the work when the request that waits for it is dropped.
#[derive(Default)]
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl SimilarBody {
    fn into_request(self) -> Result<SimilarRequest, ServiceError> {
        Ok(SimilarRequest {
            id: document_id(&self.id)?,
            embedder: self.embedder,
            offset: self.offset,
            limit: self.limit,
            filter: self.filter,
            rule: None,
            threshold: self.ranking_score_threshold.map(|least| least.0),
            view: HitView {
                attributes_to_retrieve: self.attributes_to_retrieve,
                retrieve_vectors: self.retrieve_vectors,
                format: None,
                ranking_score: self.show_ranking_score,
                ranking_score_details: self.show_ranking_score_details,
            },
            // Set by the route, which knows the caller.
            budget: AnswerBudget::default(),
            foreign: ForeignAccess::default(),
        })
    }
}

/// Writes the answer without its last brace.
fn write_open_answer(request: &SimilarRequest, answer: &SimilarAnswer) -> String {
    let mut out = String::with_capacity(answer.hits.len() + 256);
    // Writing to a string cannot fail.
    let _ = write!(out, "{{\"hits\":{},\"id\":", answer.hits);
    add_text(&request.id, &mut out);
    add_number("processingTimeMs", answer.elapsed.as_millis() as u64, &mut out);
    add_number("limit", request.limit as u64, &mut out);
    add_number("offset", request.offset as u64, &mut out);
    add_number("estimatedTotalHits", answer.total, &mut out);
    out
}

/// Checks that a number or text can be the id of a document.
fn document_id(value: &Value) -> Result<String, ServiceError> {
    document::document_id(value).map_err(|error| {
        ServiceError::new(
            Code::InvalidSimilarId,
            format!("Invalid value at `.id`: {}", error.message),
        )
    })
}

impl SimilarParameters {
    fn into_body(self) -> SimilarBody {
        SimilarBody {
            id: Value::String(self.id),
            offset: self.offset.0,
            limit: self.limit.0,
            filter: self.filter.and_then(filter_parameter),
            embedder: self.embedder,
            attributes_to_retrieve: self.attributes_to_retrieve.map(|List(names)| names),
            retrieve_vectors: self.retrieve_vectors.0,
            show_ranking_score: self.show_ranking_score.0,
            show_ranking_score_details: self.show_ranking_score_details.0,
            show_performance_details: self.show_performance_details.0,
            ranking_score_threshold: self.ranking_score_threshold.map(|Param(least)| least),
        }
    }
}
