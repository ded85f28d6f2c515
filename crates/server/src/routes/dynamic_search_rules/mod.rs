//! `/dynamic-search-rules`: rules that pin documents in searches.

mod body;

use axum::http::StatusCode;
use deserr::Deserr;
use engine::search_rules::RuleFilter;
use model::ServiceError;
use model::features::Feature;
use model::limits::DEFAULT_PAGE_LIMIT;

use self::body::RuleBody;
use super::paging::PageReply;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::body_code;
use crate::http::json::BodyError;
use crate::routes::documents::Metadata;
use crate::routes::tasks::wire::enqueued;
use crate::routes::usage;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct ListBody {
    #[deserr(default, error = body_code!(InvalidDynamicSearchRuleOffset))]
    offset: usize,
    #[deserr(default = DEFAULT_PAGE_LIMIT, error = body_code!(InvalidDynamicSearchRuleLimit))]
    limit: usize,
    #[deserr(default, error = body_code!(InvalidDynamicSearchRuleFilter))]
    filter: Option<FilterBody>,
}

#[derive(Debug, Default, Deserr)]
#[deserr(
    error = body_code!(InvalidDynamicSearchRuleFilter),
    rename_all = camelCase,
    deny_unknown_fields
)]
struct FilterBody {
    #[deserr(default, error = body_code!(InvalidDynamicSearchRuleFilterQuery))]
    query: Option<String>,
    #[deserr(default, error = body_code!(InvalidDynamicSearchRuleFilterActive))]
    active: Option<bool>,
}

pub async fn list(app: App, mut call: Call) -> Answer {
    let ListBody { offset, limit, filter } = call.json().await?;
    check_feature(&app, "Calling the `POST /dynamic-search-rules` route")?;
    let FilterBody { query, active } = filter.unwrap_or_default();
    let filter = RuleFilter { query, active };
    let page = app.blocking(move |engine| Ok(engine.search_rules(&filter, offset, limit))).await?;
    let (results, total) = (page.results, page.total);
    Ok(answer::ok(&PageReply { results, offset, limit, total }))
}

pub async fn get(app: App, call: Call) -> Answer {
    check_feature(&app, "Calling the `GET /dynamic-search-rules/{:ruleUid}` route")?;
    let uid = call.index_uid()?;
    Ok(answer::ok(&app.engine.search_rule(&uid)?))
}

pub async fn update(app: App, mut call: Call) -> Answer {
    let metadata: Metadata = call.parameters()?;
    let patch = call.json::<RuleBody>().await?.into_patch();
    check_routes(&app)?;
    let uid = call.index_uid()?;
    app.record(&call.headers, usage::search_rule_changed);
    let sent = call.sent(&app.engine, metadata.custom_metadata)?;
    let task = app.blocking(move |engine| engine.update_search_rule(uid, &patch, sent)).await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}

pub async fn delete(app: App, call: Call) -> Answer {
    let metadata: Metadata = call.parameters()?;
    check_routes(&app)?;
    let uid = call.index_uid()?;
    app.record(&call.headers, usage::search_rules_deleted);
    let sent = call.sent(&app.engine, metadata.custom_metadata)?;
    let task = app.blocking(move |engine| engine.delete_search_rule(uid, sent)).await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}

pub async fn clear(app: App, call: Call) -> Answer {
    let metadata: Metadata = call.parameters()?;
    check_routes(&app)?;
    app.record(&call.headers, usage::search_rules_deleted);
    let sent = call.sent(&app.engine, metadata.custom_metadata)?;
    let task = app.blocking(move |engine| engine.clear_search_rules(sent)).await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}

fn check_routes(app: &App) -> Result<(), ServiceError> {
    check_feature(app, "Using the `/dynamic-search-rules` routes")
}

fn check_feature(app: &App, tried: &str) -> Result<(), ServiceError> {
    app.engine.features().check(Feature::dynamic_search_rules, tried)
}
