//! Federated search: several queries whose hits become one list.

use std::sync::Arc;

use engine::search::{
    AnswerBudget, FederatedAnswer, FederatedQuery, FederatedRequest, MergeFacets,
    PersonalizeRequest, Recounts, RerankRequest, inside_query, searched_text,
};
use model::ServiceError;
use model::features::Feature;
use network::{Network, ShardScope};
use remote_search::{FanOut, RemoteErrors};

use super::Sender;
use super::body::FederationBody;
use super::check::{check_options, check_query};
use super::proxied::ProxiedQuery;
use super::reply::{self, FederatedReplyContext};
use crate::app::App;
use crate::http::proxy::foreign_access;
use crate::routes::on_network::{Caller, is_instance};
use crate::routes::search::body::QueryBody;
use crate::routes::search::network::{RemoteCallOptions, gather};
use crate::routes::search::validated_search::{ValidatedSearch, check_personalize, window};
use crate::routes::search::wants_metadata;

pub(super) async fn search(
    app: &App,
    from: Sender<'_>,
    queries: Vec<QueryBody>,
    federation: FederationBody,
    proxied: ProxiedQuery,
) -> Result<String, ServiceError> {
    let with_performance_details = federation.show_performance_details;
    let with_metadata = wants_metadata(from.headers);
    let links = from.links.clone();
    let budget = from.budget();
    let FederatedPlan { request, unreachable, asks_others } =
        request(app, from, queries, federation, proxied, &budget)?;
    let request = Arc::new(request);
    let write_answer = move |request: &FederatedRequest, answer: &FederatedAnswer, waited| {
        let context = FederatedReplyContext {
            waited,
            with_metadata,
            with_performance_details,
            links: &links,
        };
        let out = reply::write(request, answer, &context);
        budget.check(&out)?;
        Ok(out)
    };
    if asks_others {
        let options = RemoteCallOptions { with_metadata, deadline: app.remotes.remote_deadline() };
        let asked = options.ask(app, &request, unreachable);
        let (answer, waited) = gather(app, Arc::clone(&request), asked, options).await?;
        return write_answer(&request, &answer, waited);
    }
    app.engine
        .in_turn(move |engine, turn| {
            let answer = engine.searcher().federated_search(Arc::clone(&request), turn.cancel)?;
            write_answer(&request, &answer, turn.waited)
        })
        .await
}

/// A federated request, and the remotes that take part in it.
struct FederatedPlan {
    request: FederatedRequest,
    /// Errors of remotes that cannot be asked.
    unreachable: RemoteErrors,
    asks_others: bool,
}

fn request(
    app: &App,
    from: Sender<'_>,
    bodies: Vec<QueryBody>,
    federation: FederationBody,
    proxied: ProxiedQuery,
    budget: &AnswerBudget,
) -> Result<FederatedPlan, ServiceError> {
    let is_proxied = is_instance(from.headers);
    if is_proxied {
        app.engine.features().check(Feature::network, "Performing a remote federated search")?;
    }
    check_personalize(federation.personalize.is_some(), &app.engine)?;
    let network = app.engine.network();
    let mut queries = Vec::with_capacity(bodies.len());
    let mut unreachable = RemoteErrors::new();
    let mut asks_others = false;
    // All queries go to the same instances, so that hits found by several queries are shown once.
    let mut spread: Option<FanOut> = None;
    for (place, body) in bodies.into_iter().enumerate() {
        // Errors sent to another instance name the position that its client knows.
        let place = body.position().filter(|_| is_proxied).unwrap_or(place);
        let (query, use_network) = query(app, from, (place, body), &federation, &network, budget)
            .map_err(|error| inside_query(error, place))?;
        let names_one = query.remote.is_some();
        let fan_out = match Caller::of(from.headers, use_network, &app.remotes)? {
            Caller::NetworkClient(fan_out) if !names_one => spread.get_or_insert(fan_out),
            _ => {
                let is_elsewhere = query.remote.as_deref().is_some_and(|it| !network.is_self(it));
                asks_others |= is_elsewhere;
                queries.push(query);
                continue;
            }
        };
        asks_others = true;
        queries.extend(fan_out.split_query(&query));
        unreachable.extend(fan_out.errors.clone());
    }
    // Errors about facets disclose attributes of an index, even if it is not searched.
    for uid in federation.facets_by_index.keys() {
        from.access.check_index(uid)?;
    }
    let personalize = federation.personalize.map(|personalize| {
        let most = from.limits.bounds.query_size;
        let cut = |text| searched_text(Some(text), most).unwrap_or_default();
        PersonalizeRequest {
            query: cut(texts_of(&queries)),
            user_context: cut(personalize.user_context),
        }
    });
    let FederationBody { limit, offset, page, hits_per_page, .. } = federation;
    let request = FederatedRequest {
        queries,
        window: window(offset, limit, page, hits_per_page),
        facets_by_index: federation.facets_by_index,
        merge_facets: federation
            .merge_facets
            .map(|merge| MergeFacets { max_values: merge.max_values_per_facet }),
        distinct: federation.distinct,
        is_proxied,
        is_network_search: false,
        hybrid: proxied.hybrid,
        personalize,
        rerank: federation.rerank.map(RerankRequest::from),
        recounts: proxied.recount.map(|recount| Recounts::from([(None, recount)])),
    };
    Ok(FederatedPlan { request, unreachable, asks_others })
}

/// Joins the texts of all queries, each once.
fn texts_of(queries: &[FederatedQuery]) -> String {
    let mut texts: Vec<&str> = Vec::new();
    for query in queries {
        if let Some(text) = query.request.text.as_deref()
            && !texts.contains(&text)
        {
            texts.push(text);
        }
    }
    texts.join("; ")
}

fn query(
    app: &App,
    from: Sender<'_>,
    (place, body): (usize, QueryBody),
    federation: &FederationBody,
    network: &Network,
    budget: &AnswerBudget,
) -> Result<(FederatedQuery, Option<bool>), ServiceError> {
    let (uid, body, options) = body.into_parts();
    from.access.check_index(&uid)?;
    check_query(&uid, &body, federation)?;
    let features = app.engine.features();
    if let Some(options) = &options {
        check_options(options, body.use_network, &features, network)?;
    }
    let ValidatedSearch { mut request, use_network, .. } =
        ValidatedSearch::new(body, &features, &from.limits.bounds, budget)?;
    // Only single searches have a legacy form.
    request.legacy = None;
    let mut scope = ShardScope::All;
    if is_instance(from.headers) {
        (request.filter, scope) = ShardScope::split_off(request.filter);
    }
    request.foreign = foreign_access(from.headers, from.access)?;
    request.filter = from.access.narrowed(&uid, request.filter.take());
    let weight = options.as_ref().map_or(1.0, |options| options.weight.0);
    let position = options.as_ref().and_then(|options| options.query_position).unwrap_or(place);
    let remote = options.and_then(|options| options.remote);
    let query = FederatedQuery {
        index_uid: uid.to_string(),
        request,
        weight,
        remote,
        scope,
        position: Some(position),
        part_of: Some(place),
    };
    Ok((query, use_network))
}
