//! Builds a router from the route table.
//!
//! Paths are matched by axum; methods are matched here, because a known path answers 405 to HEAD
//! and OPTIONS too, and lists its methods.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::{HeaderValue, Method, Request, StatusCode, header};
use axum::response::Response;
use axum::routing::any;
use engine::keys::Access;
use tracing::Instrument;

use crate::app::App;
use crate::call::Call;
use crate::http::error::{Links, Scheme};
use crate::http::{answer, head};
use crate::metrics::RequestSpan;
use crate::route::{Guarded, Route};

pub fn build(app: &App, table: Vec<Route>) -> Router {
    let mut paths: BTreeMap<&'static str, Vec<Guarded>> = BTreeMap::new();
    for route in table {
        paths.entry(route.pattern).or_default().push(Guarded::new(route));
    }
    let mut router = Router::new().fallback(async || answer::empty(StatusCode::NOT_FOUND));
    for (pattern, routes) in paths {
        let app = app.clone();
        let routes: Arc<[Guarded]> = routes.into();
        let counts = app.options.traffic.path(pattern);
        let on_path = move |request: Request<Body>| {
            let (app, routes) = (app.clone(), Arc::clone(&routes));
            let span = RequestSpan::begin(pattern, Arc::clone(&counts), &request);
            async move {
                let response = dispatch(app, &routes, request).instrument(span.span()).await;
                span.end(&response);
                response
            }
        };
        router = router.route(pattern, any(on_path));
    }
    router
}

async fn dispatch(app: App, routes: &[Guarded], request: Request<Body>) -> Response {
    let found = routes.iter().find(|guarded| guarded.route.method == *request.method());
    let Some(guarded) = found else {
        return method_not_allowed(routes);
    };
    let call = call(&app, request).await;
    let response = guarded.answer(app, call).await;
    if guarded.route.may_be_cached() { response } else { answer::never_stored(response) }
}

fn method_not_allowed(routes: &[Guarded]) -> Response {
    let methods: Vec<&str> =
        routes.iter().map(|guarded| Method::as_str(&guarded.route.method)).collect();
    let mut response = answer::empty(StatusCode::METHOD_NOT_ALLOWED);
    if let Ok(allow) = HeaderValue::from_str(&methods.join(", ")) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}

async fn call(app: &App, request: Request<Body>) -> Call {
    let (mut parts, body) = request.into_parts();
    let params = match RawPathParams::from_request_parts(&mut parts, &()).await {
        Ok(params) => params.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
        Err(_) => Vec::new(),
    };
    let scheme = parts.extensions.get::<Scheme>().copied().unwrap_or_default();
    let host = head::host(&parts.headers, &parts.uri);
    Call {
        query: parts.uri.query().map(str::to_owned),
        links: Links::new(scheme, host),
        params,
        body,
        // Replaced by the guard.
        access: Access::nothing(),
        limits: Arc::clone(&app.limits),
        headers: parts.headers,
    }
}
