//! From the route table to something that answers requests.
//!
//! Paths are matched by axum; methods are matched here, because a path we know answers 405 to
//! HEAD and OPTIONS too, and lists the methods it has.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::{HeaderValue, Method, Request, StatusCode, header};
use axum::response::Response;
use axum::routing::any;
use futures_util::FutureExt;
use model::ServiceError;

use super::answer;
use super::error::{self, Links};
use crate::app::App;
use crate::call::Call;
use crate::routes::Route;

pub fn build(app: &App, table: Vec<Route>) -> Router {
    let mut paths: BTreeMap<&'static str, Vec<Route>> = BTreeMap::new();
    for route in table {
        paths.entry(route.pattern).or_default().push(route);
    }
    let mut router = Router::new().fallback(async || answer::empty(StatusCode::NOT_FOUND));
    for (pattern, routes) in paths {
        let app = app.clone();
        let routes: Arc<[Route]> = routes.into();
        let on_path = move |request: Request<Body>| {
            let (app, routes) = (app.clone(), Arc::clone(&routes));
            async move { dispatch(app, &routes, request).await }
        };
        router = router.route(pattern, any(on_path));
    }
    router
}

async fn dispatch(app: App, routes: &[Route], request: Request<Body>) -> Response {
    let Some(route) = routes.iter().find(|route| route.method == *request.method()) else {
        return method_not_allowed(routes);
    };
    let call = call(&app, request).await;
    let links = call.links.clone();
    let running = AssertUnwindSafe((route.handler)(app, call)).catch_unwind();
    let result = running.await.unwrap_or_else(|_| {
        Err(ServiceError::internal(
            "The request could not be answered because of an internal error.",
        ))
    });
    result.unwrap_or_else(|error| error::respond(&error, &links))
}

fn method_not_allowed(routes: &[Route]) -> Response {
    let methods: Vec<&str> = routes.iter().map(|route| Method::as_str(&route.method)).collect();
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
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    Call {
        query: parts.uri.query().map(str::to_owned),
        links: Links::new(host),
        params,
        body,
        payload_limit: app.options.payload_limit,
        headers: parts.headers,
    }
}
