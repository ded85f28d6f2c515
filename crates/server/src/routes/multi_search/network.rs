//! Answers several separate searches, some of them over the network. All remotes are asked first;
//! then the searches are answered one after the other.

use engine::search::inside_query;
use model::{IndexUid, ServiceError};
use remote_search::FanOut;
use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::http::error::Links;
use crate::routes::on_network;
use crate::routes::search::network::NetworkSearch;
use crate::routes::search::reply::{self, ReplyContext};
use crate::routes::search::validated_search::ValidatedSearch;

enum Search {
    Local(IndexUid, ValidatedSearch),
    Network(NetworkSearch),
}

/// Returns the results, each as JSON.
pub async fn answers(
    app: &App,
    links: &Links,
    searches: Vec<(IndexUid, ValidatedSearch, Option<FanOut>)>,
    with_metadata: bool,
) -> Result<Vec<String>, ServiceError> {
    let start = |(uid, search, fan_out)| match fan_out {
        Some(fan_out) => {
            Search::Network(NetworkSearch::start(app, uid, search, fan_out, with_metadata))
        }
        None => Search::Local(uid, search),
    };
    let started: Vec<Search> = searches.into_iter().map(start).collect();
    let request_uid = model::time_ordered_uuid();
    let mut results = Vec::with_capacity(started.len());
    for (place, search) in started.into_iter().enumerate() {
        let result = match search {
            Search::Local(uid, search) => local(app, uid, search, request_uid, with_metadata).await,
            Search::Network(search) => {
                network(app, links, search, request_uid, with_metadata).await
            }
        };
        results.push(result.map_err(|error| inside_query(error, place))?);
    }
    Ok(results)
}

async fn local(
    app: &App,
    uid: IndexUid,
    search: ValidatedSearch,
    request_uid: Uuid,
    with_metadata: bool,
) -> Result<String, ServiceError> {
    app.engine
        .in_turn(move |engine, turn| {
            let answer = engine.searcher().search(&uid, &search.request, turn.cancel)?;
            let context = ReplyContext {
                index_uid: &uid,
                is_one_of_many: true,
                request_uid,
                waited: turn.waited,
                with_metadata,
                with_performance_details: search.show_performance_details,
                remote_errors: None,
            };
            Ok(reply::write(&search.request, &answer, &context))
        })
        .await
}

async fn network(
    app: &App,
    links: &Links,
    search: NetworkSearch,
    request_uid: Uuid,
    with_metadata: bool,
) -> Result<String, ServiceError> {
    let found = search.answer(app).await?;
    let errors = json!(on_network::shown(&found.errors, links));
    let context = ReplyContext {
        index_uid: &found.uid,
        is_one_of_many: true,
        request_uid,
        waited: found.waited,
        with_metadata,
        with_performance_details: found.show_performance_details,
        remote_errors: Some(&errors),
    };
    Ok(reply::write(&found.request, &found.answer, &context))
}
