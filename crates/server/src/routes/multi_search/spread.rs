//! Several searches with their own answers, of which some are answered by the whole network. All
//! remotes are asked first; then the searches are answered one after the other.

use engine::network::FanOut;
use engine::search::inside_query;
use model::{IndexUid, ServiceError};
use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::http::error::Links;
use crate::routes::on_network;
use crate::routes::search::demand::Demand;
use crate::routes::search::reply::{self, Envelope};
use crate::routes::search::spread::SpreadSearch;

enum Search {
    Here(IndexUid, Demand),
    Spread(SpreadSearch),
}

/// The results, each as JSON.
pub async fn answers(
    app: &App,
    links: &Links,
    searches: Vec<(IndexUid, Demand, Option<FanOut>)>,
    with_metadata: bool,
) -> Result<Vec<String>, ServiceError> {
    let start = |(uid, demand, fan_out)| match fan_out {
        Some(fan_out) => {
            Search::Spread(SpreadSearch::start(app, uid, demand, fan_out, with_metadata))
        }
        None => Search::Here(uid, demand),
    };
    let started: Vec<Search> = searches.into_iter().map(start).collect();
    let request_uid = model::time_ordered_uuid();
    let mut results = Vec::with_capacity(started.len());
    for (place, search) in started.into_iter().enumerate() {
        let result = match search {
            Search::Here(uid, demand) => here(app, uid, demand, request_uid, with_metadata).await,
            Search::Spread(search) => spread(app, links, search, request_uid, with_metadata).await,
        };
        results.push(result.map_err(|error| inside_query(error, place))?);
    }
    Ok(results)
}

async fn here(
    app: &App,
    uid: IndexUid,
    demand: Demand,
    request_uid: Uuid,
    with_metadata: bool,
) -> Result<String, ServiceError> {
    app.engine
        .in_turn(move |engine, turn| {
            let answer = engine.searcher().search(&uid, &demand.request, turn.cancelled)?;
            let envelope = Envelope {
                index_uid: &uid,
                is_one_of_many: true,
                request_uid,
                waited: turn.waited,
                with_metadata,
                with_performance_details: demand.show_performance_details,
                remote_errors: None,
            };
            Ok(reply::write(&demand.request, &answer, &envelope))
        })
        .await
}

async fn spread(
    app: &App,
    links: &Links,
    search: SpreadSearch,
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
