//! The routes of `/indexes/{uid}/search`, of facet search, similar documents and suggestions.

pub mod facet;
pub(super) mod network;
pub(super) mod reply;
pub mod similar;
pub mod suggest;
pub(super) mod validated_search;

use axum::http::HeaderMap;
use engine::search::AnswerBudget;
use serde_json::json;
use telemetry::Event;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::proxy::foreign_access;
use crate::http::{answer, switch};
use crate::routes::on_network::{self, Caller};
use crate::routes::usage;
use crate::search_parameters::table::SearchParameters;
pub(super) use crate::search_parameters::{body, values};

use self::network::NetworkSearch;
use body::SearchBody;
use reply::ReplyContext;
use validated_search::ValidatedSearch;

pub async fn post(app: App, mut call: Call) -> Answer {
    let (body, _memory) = call.search_json::<SearchBody>().await?;
    search(&app, call, body, usage::searched_post).await
}

pub async fn get(app: App, call: Call) -> Answer {
    let parameters: SearchParameters = call.parameters()?;
    search(&app, call, parameters.into_body()?, usage::searched_get).await
}

async fn search(
    app: &App,
    call: Call,
    body: SearchBody,
    event: fn(&SearchBody) -> Event,
) -> Answer {
    let uid = call.index_uid()?;
    let running = app.begin(&call.headers, || event(&body));
    let bounds = &call.limits.bounds;
    let budget = AnswerBudget::of(bounds.answer_size);
    let mut validated = ValidatedSearch::new(body, &app.engine.features(), bounds, &budget)?;
    validated.check_personalize(&app.engine)?;
    validated.request.foreign = foreign_access(&call.headers, &call.access)?;
    validated.request.filter = call.access.narrowed(&uid, validated.request.filter.take());
    let with_metadata = wants_metadata(&call.headers);
    if let Caller::NetworkClient(fan_out) =
        Caller::of(&call.headers, validated.use_network, &app.remotes)?
    {
        let search = NetworkSearch::start(app, uid, validated, fan_out, with_metadata);
        let found = search.answer(app).await?;
        let errors = json!(on_network::shown(&found.errors, &call.links));
        let context = ReplyContext {
            index_uid: &found.uid,
            is_one_of_many: false,
            request_uid: model::time_ordered_uuid(),
            waited: found.waited,
            with_metadata,
            with_performance_details: found.show_performance_details,
            remote_errors: Some(&errors),
        };
        let body = reply::write(&found.request, &found.answer, &context);
        budget.check(&body)?;
        running.answered(found.answer.degraded);
        return answer::of_search(body, &call.limits);
    }
    let body = app
        .engine
        .in_turn(move |engine, turn| {
            let ValidatedSearch { request, show_performance_details, .. } = validated;
            let answer = engine.searcher().search(&uid, &request, turn.cancel)?;
            let context = ReplyContext {
                index_uid: &uid,
                is_one_of_many: false,
                request_uid: model::time_ordered_uuid(),
                waited: turn.waited,
                with_metadata,
                with_performance_details: show_performance_details,
                remote_errors: None,
            };
            let body = reply::write(&request, &answer, &context);
            request.budget.check(&body)?;
            running.answered(answer.degraded);
            Ok(body)
        })
        .await?;
    answer::of_search(body, &call.limits)
}

pub fn wants_metadata(headers: &HeaderMap) -> bool {
    switch::is_on(headers, "Meili-Include-Metadata")
}
