//! The dashboard at `/`: a page and its files, served as they are. It is a client like any other and
//! knows nothing that the interface does not tell; its key is what its user types.
//!
//! Switched off, `/` says that the server runs, and the files are not there.

mod assets;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::instance;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use assets::Asset;

/// Nothing from elsewhere, nothing inline, nobody around it, and no text taken for markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    // Kept by browsers, and asked about each time: a new binary may bring new files.
    (header::CACHE_CONTROL, "no-cache"),
];

pub async fn page(app: App, call: Call) -> Answer {
    if !app.options.dashboard {
        return instance::root(app, call).await;
    }
    Ok(serve(&call.headers, &assets::PAGE))
}

pub async fn file(app: App, call: Call) -> Answer {
    let asset = assets::find(call.param("folder"), call.param("file"));
    Ok(match asset.filter(|_| app.options.dashboard) {
        Some(asset) => serve(&call.headers, asset),
        None => answer::empty(StatusCode::NOT_FOUND),
    })
}

fn serve(request: &HeaderMap, asset: &Asset) -> Response {
    let mut response = if is_known(request) {
        answer::empty(StatusCode::NOT_MODIFIED)
    } else {
        answer::with_type(StatusCode::OK, asset.kind(), asset.bytes)
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(header::ETAG, assets::TAG.clone());
    response
}

/// Whether the client has the files of this binary already.
fn is_known(request: &HeaderMap) -> bool {
    request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|tag| tag.trim().as_bytes() == assets::TAG.as_bytes())
}
