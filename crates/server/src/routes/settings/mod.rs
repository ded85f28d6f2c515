//! The settings of an index, all at once and each on a route of its own. The routes are derived
//! from the table of settings.

use ::settings::{Change, ChangeKind, Setting};
use axum::http::{Method, StatusCode};
use engine::keys::Access;
use model::{Code, ServiceError};
use serde_json::Value;

use super::tasks::wire::enqueued;
use super::usage;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::route::{Route, route};
use crate::setting_paths;

pub fn routes() -> Vec<Route> {
    let (get, update) = ("settings.get", "settings.update");
    let mut routes = vec![
        route(Method::GET, setting_paths::ALL, get, read_all),
        route(Method::PATCH, setting_paths::ALL, update, change_many),
        route(Method::DELETE, setting_paths::ALL, update, reset_all),
    ];
    for (setting, pattern) in Setting::ALL.iter().zip(setting_paths::each()) {
        let change = match setting.change {
            ChangeKind::Replace => Method::PUT,
            ChangeKind::Merge => Method::PATCH,
        };
        routes.push(route(Method::GET, pattern, get, |app, call| read(app, call, setting)));
        routes.push(route(change, pattern, update, |app, call| change_one(app, call, setting)));
        routes.push(route(Method::DELETE, pattern, update, |app, call| reset(app, call, setting)));
    }
    routes
}

async fn read_all(app: App, call: Call) -> Answer {
    let uid = call.index_uid()?;
    let settings = app.blocking(move |engine| engine.settings(&uid)).await?;
    Ok(answer::ok(&settings))
}

async fn read(app: App, call: Call, setting: &'static Setting) -> Answer {
    let uid = call.index_uid()?;
    let value = app.blocking(move |engine| engine.setting(&uid, setting)).await?;
    Ok(answer::ok(&value))
}

async fn change_many(app: App, mut call: Call) -> Answer {
    let body = call.typed_json().await?;
    change(app, call, true, move || Change::of_many(body)).await
}

async fn change_one(app: App, mut call: Call, setting: &'static Setting) -> Answer {
    let body = call.typed_json().await?;
    change(app, call, true, move || Change::of_one(setting, body)).await
}

async fn reset_all(app: App, call: Call) -> Answer {
    change(app, call, false, || Ok(Change::reset_all())).await
}

async fn reset(app: App, call: Call, setting: &'static Setting) -> Answer {
    change(app, call, false, || Ok(Change::reset(setting))).await
}

/// Enqueues a change of settings. The body is checked before the name of the index.
async fn change(
    app: App,
    call: Call,
    may_create_index: bool,
    checked: impl FnOnce() -> Result<Change, ServiceError> + Send + 'static,
) -> Answer {
    let uid = call.index_uid();
    let sent = call.sent(&app.engine, None);
    let (counting, headers, access) = (app.clone(), call.headers, call.access);
    let task = app
        .blocking(move |engine| {
            let change = checked()?;
            check_foreign_indexes(&change, &access)?;
            counting.record(&headers, || usage::settings_updated(&change));
            engine.change_settings(uid?, change, may_create_index, sent?)
        })
        .await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}

/// Checks access to the indexes of foreign keys, whose documents hits would show.
fn check_foreign_indexes(change: &Change, access: &Access) -> Result<(), ServiceError> {
    let keys = change.get("foreignKeys").and_then(Value::as_array);
    for key in keys.into_iter().flatten() {
        let uid = key.get("foreignIndexUid").and_then(Value::as_str).unwrap_or_default();
        if !access.is_to_index(uid) {
            let message = format!(
                "The API key cannot access the index `{uid}`, so it cannot make `foreignKeys` lead \
                 there."
            );
            return Err(ServiceError::new(Code::InvalidApiKey, message));
        }
    }
    Ok(())
}
