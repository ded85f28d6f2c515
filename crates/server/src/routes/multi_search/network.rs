//! Answers several separate searches, some of them over the network. All remotes are asked first;
//! then the searches are answered one after the other.

use engine::network::FanOut;
use engine::search::inside_query;
use model::{IndexUid, ServiceError};
use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::http::error::Links;
use crate::routes::on_network;
use crate::routes::search::network::NetworkSearch;
use crate::routes::search::reply::{self, Envelope};
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
    let start = |(uid, validated, fan_out)| match fan_out {
        Some(fan_out) => {
            Search::Network(NetworkSearch::start(app, uid, validated, fan_out, with_metadata))
        }
        None => Search::Local(uid, validated),
    };
    let started: Vec<Search> = searches.into_iter().map(start).collect();
    let request_uid = model::time_ordered_uuid();
    let mut results = Vec::with_capacity(started.len());
    for (place, search) in started.into_iter().enumerate() {
        let result = match search {
            Search::Local(uid, validated) => {
                local(app, uid, validated, request_uid, with_metadata).await
            }
            Search::Network(search) => {
                over_network(app, links, search, request_uid, with_metadata).await
            }
        };
        results.push(result.map_err(|error| inside_query(error, place))?);
    }
    Ok(results)
}

async fn local(
    app: &App,
    uid: IndexUid,
    validated: ValidatedSearch,
    request_uid: Uuid,
    with_metadata: bool,
) -> Result<String, ServiceError> {
    app.engine
        .in_turn(move |engine, turn| {
            let answer = engine.searcher().search(&uid, &validated.request, turn.cancelled)?;
            let envelope = Envelope {
                index_uid: &uid,
                is_one_of_many: true,
                request_uid,
                waited: turn.waited,
                with_metadata,
                with_performance_details: validated.show_performance_details,
                remote_errors: None,
            };
            Ok(reply::write(&validated.request, &answer, &envelope))
        })
        .await
}

async fn over_network(
    app: &App,
    links: &Links,
    search: NetworkSearch,
    request_uid: Uuid,
    with_metadata: bool,
) -> Result<String, ServiceError> {
    let found = search.answer(app).await?;
    let errors = json!(on_network::shown(&found.errors, links));
    let envelope = Envelope {
        index_uid: &found.uid,
        is_one_of_many: true,
        request_uid,
        waited: found.waited,
        with_metadata,
        with_performance_details: found.show_performance_details,
        remote_errors: Some(&errors),
    };
    Ok(reply::write(&found.request, &found.answer, &envelope))
}
