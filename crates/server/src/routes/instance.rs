//! `/health`, `/version`: information about the instance.

use axum::http::{HeaderName, HeaderValue, StatusCode};
use engine::Health;
use model::INTERFACE_VERSION;
use serde_json::json;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;

const INTERFACE_HEADER: HeaderName = HeaderName::from_static("x-sonde-interface-version");

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

/// Answers with the version; that of the API is in a header, because clients may compare the
/// members of the body.
pub async fn version(app: App, _call: Call) -> Answer {
    let version = &app.options.version;
    let reported = if version.reports_interface { INTERFACE_VERSION } else { &version.pkg_version };
    let mut answer = answer::ok(&json!({
        "commitSha": version.commit_sha,
        "commitDate": version.commit_date,
        "pkgVersion": reported,
    }));
    let interface = HeaderValue::from_static(INTERFACE_VERSION);
    answer.headers_mut().insert(INTERFACE_HEADER, interface);
    Ok(answer)
}
