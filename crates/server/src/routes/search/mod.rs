//! The routes of `/indexes/{uid}/search`, and the search for values of facets beside it.

mod body;
mod demand;
pub mod facet;
mod parameters;
mod reply;
pub mod similar;
mod values;

use axum::http::{HeaderMap, StatusCode};

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::routes::turn::in_turn;

use body::SearchBody;
use demand::Demand;
use parameters::SearchParameters;
use reply::Envelope;

pub async fn post(app: App, mut call: Call) -> Answer {
    let body: SearchBody = call.json().await?;
    search(&app, call, body).await
}

pub async fn get(app: App, call: Call) -> Answer {
    let parameters: SearchParameters = call.parameters()?;
    search(&app, call, parameters.into_body()?).await
}

async fn search(app: &App, call: Call, body: SearchBody) -> Answer {
    let uid = call.index_uid()?;
    let demand = Demand::new(body, &app.engine.features())?;
    let with_metadata = wants_metadata(&call.headers);
    let body = in_turn(app, move |engine, turn| {
        let Demand { request, show_performance_details } = demand;
        let answer = engine.search(&uid, &request, turn.cancelled)?;
        let envelope = Envelope {
            index_uid: &uid,
            waited: turn.waited,
            with_metadata,
            with_performance_details: show_performance_details,
        };
        Ok(reply::write(&request, &answer, &envelope))
    })
    .await?;
    Ok(answer::with_type(StatusCode::OK, answer::JSON, body))
}

fn wants_metadata(headers: &HeaderMap) -> bool {
    headers
        .get("Meili-Include-Metadata")
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true") || value == "1")
}
