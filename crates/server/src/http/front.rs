//! The way of every request, from the connection to its route and back.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::http::uri::PathAndQuery;
use axum::http::{Request, StatusCode, Uri, header};
use axum::response::Response;
use hyper::body::Incoming;
use tower::ServiceExt;

use super::body::SharedBody;
use super::error::Scheme;
use super::{answer, compression, cors, negotiate, paths, router};
use crate::app::App;
use crate::routes;

#[derive(Clone)]
pub struct Front {
    router: Arc<Router>,
}

impl Front {
    pub fn new(app: &App) -> Self {
        Self { router: Arc::new(router::build(app, routes::table())) }
    }

    pub async fn answer(&self, mut request: Request<Incoming>, scheme: Scheme) -> Response {
        request.extensions_mut().insert(scheme);
        let begun = Instant::now();
        let (method, path) = (request.method().clone(), paths::shown(request.uri().path()));
        let from_an_origin = request.headers().contains_key(header::ORIGIN);
        let mut response = match cors::preflight(request.method(), request.headers()) {
            Some(preflight) => preflight,
            None => self.negotiated(request.map(Body::new)).await,
        };
        cors::mark(from_an_origin, response.headers_mut());
        let status = response.status().as_u16();
        tracing::info!(%method, path, status, elapsed = ?begun.elapsed(), "answered");
        response
    }

    async fn negotiated(&self, request: Request<Body>) -> Response {
        match negotiate::negotiate(request.headers()) {
            Some(choice) => compression::compress(choice, self.routed(request).await),
            None => answer::with_type(StatusCode::NOT_ACCEPTABLE, answer::TEXT, negotiate::OFFERED),
        }
    }

    async fn routed(&self, mut request: Request<Body>) -> Response {
        if let Some(uri) = with_normal_path(request.uri()) {
            *request.uri_mut() = uri;
        }
        // A client that asked whether it may send has not begun to.
        let may_be_sending = !request.headers().contains_key(header::EXPECT);
        let body = SharedBody::new(std::mem::take(request.body_mut()));
        *request.body_mut() = Body::new(body.clone());

        let router = Router::clone(&self.router);
        let Ok(response) = router.oneshot(request).await;
        if may_be_sending && !body.is_finished() {
            body.drain().await;
        }
        response
    }
}

fn with_normal_path(uri: &Uri) -> Option<Uri> {
    let path = paths::normalise(uri.path());
    if path == uri.path() {
        return None;
    }
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(target).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_survives_a_new_path() {
        let uri: Uri = "//indexes//books/?limit=%32&x".parse().unwrap();
        assert_eq!(with_normal_path(&uri).unwrap(), "/indexes/books?limit=%32&x");
        assert!(with_normal_path(&"/health?x=1".parse().unwrap()).is_none());
    }
}
