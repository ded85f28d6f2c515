//! Reads documents: one, or a page of them by query string or by body.

mod network;

use deserr::Deserr;
use engine::{DocumentView, Engine, ListDocuments, Page};
use model::features::Feature;
use model::limits::DEFAULT_PAGE_LIMIT;
use model::{Cancel, Code, IndexUid, ServiceError};
use serde_json::Value;
use telemetry::Event;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::{body_code, query_code};
use crate::http::json::BodyError;
use crate::http::list::{List, Star};
use crate::http::proxy::foreign_access;
use crate::http::query::{Param, QueryError};
use crate::http::selection::{filter_parameter, sort_parameter};
use crate::routes::on_network::Caller;
use crate::routes::usage;

#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
struct OneParameters {
    #[deserr(default, error = query_code!(InvalidDocumentFields))]
    fields: Option<List<Star<String>>>,
    #[deserr(default = Param(false), error = query_code!(InvalidDocumentRetrieveVectors))]
    retrieve_vectors: Param<bool>,
    #[deserr(default, error = query_code!(InvalidDocumentUseNetwork))]
    use_network: Option<Param<bool>>,
}

pub async fn one(app: App, call: Call) -> Answer {
    let parameters: OneParameters = call.parameters()?;
    let uid = call.index_uid()?;
    let use_network = parameters.use_network.map(|Param(on)| on);
    check_network(&app, use_network)?;
    let id = call.param("id").to_owned();
    let view = DocumentView {
        fields: parameters.fields.and_then(List::restriction),
        retrieve_vectors: parameters.retrieve_vectors.0,
    };
    app.record(&call.headers, || usage::fetched_get(&view, None));
    let document = match Caller::of(&call.headers, use_network, &app.remotes)? {
        Caller::NetworkClient(fan_out) => network::one(&app, uid, id, view, fan_out).await?,
        Caller::Client | Caller::Instance => {
            // A document can be as large as a body, and this does not wait in the search queue.
            let turn = call.limits.reads.acquire().await.map_err(ServiceError::internal)?;
            let document =
                app.blocking(move |engine| engine.documents().get(&uid, &id, &view)).await?;
            drop(turn);
            document
        }
    };
    answer::of_search(document, &call.limits)
}

#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
struct ListParameters {
    #[deserr(default = Param(0), error = query_code!(InvalidDocumentOffset))]
    offset: Param<usize>,
    #[deserr(default = Param(DEFAULT_PAGE_LIMIT), error = query_code!(InvalidDocumentLimit))]
    limit: Param<usize>,
    #[deserr(default, error = query_code!(InvalidDocumentFields))]
    fields: Option<List<Star<String>>>,
    #[deserr(default = Param(false), error = query_code!(InvalidDocumentRetrieveVectors))]
    retrieve_vectors: Param<bool>,
    #[deserr(default, error = query_code!(InvalidDocumentIds))]
    ids: Option<List<String>>,
    #[deserr(default, error = query_code!(InvalidDocumentFilter))]
    filter: Option<String>,
    #[deserr(default, error = query_code!(InvalidDocumentSort))]
    sort: Option<String>,
    #[deserr(default, error = query_code!(InvalidDocumentUseNetwork))]
    use_network: Option<Param<bool>>,
}

pub async fn list(app: App, call: Call) -> Answer {
    let parameters: ListParameters = call.parameters()?;
    let uid = call.index_uid()?;
    let selection = Selection {
        offset: parameters.offset.0,
        limit: parameters.limit.0,
        fields: parameters.fields.and_then(List::restriction),
        retrieve_vectors: parameters.retrieve_vectors.0,
        ids: parameters.ids.map(|List(ids)| ids.into_iter().map(Value::String).collect()),
        filter: parameters.filter.and_then(filter_parameter),
        sort: parameters.sort.as_deref().map(sort_parameter),
        use_network: parameters.use_network.map(|Param(on)| on),
    };
    page(&app, call, uid, selection, usage::fetched_get).await
}

/// Parameters of a page of documents, from a query string or a body.
#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct Selection {
    #[deserr(default, error = body_code!(InvalidDocumentOffset))]
    offset: usize,
    #[deserr(default = DEFAULT_PAGE_LIMIT, error = body_code!(InvalidDocumentLimit))]
    limit: usize,
    #[deserr(default, error = body_code!(InvalidDocumentFields))]
    fields: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidDocumentRetrieveVectors))]
    retrieve_vectors: bool,
    #[deserr(default, error = body_code!(InvalidDocumentIds))]
    ids: Option<Vec<Value>>,
    #[deserr(default, error = body_code!(InvalidDocumentFilter))]
    filter: Option<Value>,
    #[deserr(default, error = body_code!(InvalidDocumentSort))]
    sort: Option<Vec<String>>,
    #[deserr(default, error = body_code!(InvalidDocumentUseNetwork))]
    use_network: Option<bool>,
}

pub async fn fetch(app: App, mut call: Call) -> Answer {
    let (selection, _memory) = call.search_json::<Selection>().await?;
    let uid = call.index_uid()?;
    page(&app, call, uid, selection, usage::fetched_post).await
}

async fn page(
    app: &App,
    call: Call,
    uid: IndexUid,
    selection: Selection,
    event: fn(&DocumentView, Option<&ListDocuments>) -> Event,
) -> Answer {
    check_network(app, selection.use_network)?;
    let request = ListDocuments {
        offset: selection.offset,
        limit: selection.limit,
        ids: selection.ids.map(document_ids).transpose()?,
        filter: selection.filter,
        sort: selection.sort.unwrap_or_default(),
        view: DocumentView {
            fields: selection.fields,
            retrieve_vectors: selection.retrieve_vectors,
        },
        foreign: foreign_access(&call.headers, &call.access)?,
    };
    app.record(&call.headers, || event(&request.view, Some(&request)));
    let body = match Caller::of(&call.headers, selection.use_network, &app.remotes)? {
        Caller::Client => {
            let work = move |engine: &Engine, cancel: &Cancel| {
                engine.documents().list(&uid, &request, cancel)
            };
            envelope(&queued(app, work).await?, "")
        }
        Caller::Instance => network::part(app, uid, request).await?,
        Caller::NetworkClient(fan_out) => {
            network::page(app, &call.links, uid, request, fan_out).await?
        }
    };
    answer::of_search(body, &call.limits)
}

/// Runs work in the search queue, unless reading documents is exempt from it.
async fn queued<T, F>(app: &App, work: F) -> Result<T, ServiceError>
where
    F: FnOnce(&Engine, &Cancel) -> Result<T, ServiceError> + Send + 'static,
    T: Send + 'static,
{
    match app.engine.features().is_on(Feature::disable_documents_fetch_queue) {
        true => app.blocking(move |engine| work(engine, &Cancel::default())).await,
        false => app.engine.in_turn(move |engine, turn| work(engine, turn.cancel)).await,
    }
}

fn document_ids(values: Vec<Value>) -> Result<Vec<String>, ServiceError> {
    let id = |(place, value): (usize, &Value)| {
        document::document_id(value).map_err(|error| {
            let message = format!("In `.ids[{place}]`: {}", error.message);
            ServiceError::new(Code::InvalidDocumentIds, message)
        })
    };
    values.iter().enumerate().map(id).collect()
}

fn check_network(app: &App, use_network: Option<bool>) -> Result<(), ServiceError> {
    match use_network {
        Some(_) => {
            app.engine.features().check(Feature::network, "passing `useNetwork` in a search query")
        }
        None => Ok(()),
    }
}

/// Writes the envelope around documents, which are JSON text already. `more` holds further members,
/// each after a comma.
fn envelope(page: &Page<String>, more: &str) -> String {
    let Page { offset, limit, total, .. } = page;
    let documents: usize = page.results.iter().map(|document| document.len() + 1).sum();
    let mut body = String::with_capacity(documents + more.len() + 100);
    body.push_str("{\"results\":[");
    for (place, document) in page.results.iter().enumerate() {
        if place > 0 {
            body.push(',');
        }
        body.push_str(document);
    }
    body.push_str(&format!("],\"offset\":{offset},\"limit\":{limit},\"total\":{total}{more}}}"));
    body
}
