//! What an instance says of itself.

use axum::http::StatusCode;
use engine::Health;
use serde_json::json;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;

pub async fn root(_app: App, _call: Call) -> Answer {
    Ok(answer::ok(&json!({ "status": "Sonde is running" })))
}

pub async fn health(app: App, _call: Call) -> Answer {
    let (status, word) = match app.engine.health() {
        Health::Available => (StatusCode::OK, "available"),
        Health::MustRestart => (StatusCode::INTERNAL_SERVER_ERROR, "mustRestart"),
    };
    Ok(answer::json(status, &json!({ "status": word })))
}

pub async fn version(app: App, _call: Call) -> Answer {
    let version = &app.options.version;
    Ok(answer::ok(&json!({
        "commitSha": version.commit_sha,
        "commitDate": version.commit_date,
        "pkgVersion": version.pkg_version,
    })))
}
