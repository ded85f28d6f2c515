//! Handles every request before and after its route: checks, CORS, encodings, path normalisation.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::http::uri::PathAndQuery;
use axum::http::{Request, StatusCode, Uri, header};
use axum::response::Response;
use hyper::body::Incoming;
use tower::ServiceExt;

use model::{Code, ServiceError};

use super::router;
use crate::app::App;
use crate::http::body::SharedBody;
use crate::http::error::{Links, Scheme};
use crate::http::{answer, browser_guard, compression, cors, error, head, negotiate, paths};
use crate::routes;

#[derive(Clone)]
pub struct Front {
    app: App,
    router: Arc<Router>,
}

impl Front {
    pub fn new(app: &App) -> Self {
        Self { app: app.clone(), router: Arc::new(router::build(app, routes::table())) }
    }

    pub async fn answer(&self, mut request: Request<Incoming>, scheme: Scheme) -> Response {
        request.extensions_mut().insert(scheme);
        let begun = Instant::now();
        let (method, path) = (request.method().clone(), paths::shown(request.uri().path()));
        let from_an_origin = request.headers().contains_key(header::ORIGIN);
        let (mut response, is_refused) = match self.refusal(&request, scheme) {
            Some(refusal) => {
                if !request.headers().contains_key(header::EXPECT) {
                    SharedBody::new(Body::new(request.into_body())).drain().await;
                }
                (refusal, true)
            }
            None => match cors::preflight(request.method(), request.headers()) {
                Some(preflight) => (preflight, false),
                None => (self.negotiated(request.map(Body::new)).await, false),
            },
        };
        // A page whose request is refused may not read the refusal either.
        cors::mark(from_an_origin && !is_refused, response.headers_mut());
        let response = answer::never_sniffed(response);
        let status = response.status().as_u16();
        tracing::info!(%method, path, status, elapsed = ?begun.elapsed(), "answered");
        response
    }

    /// Answers a request that may not reach a route.
    fn refusal(&self, request: &Request<Incoming>, scheme: Scheme) -> Option<Response> {
        if head::is_too_large(request) {
            return Some(answer::empty(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE));
        }
        let host = head::host(request.headers(), request.uri());
        if !head::names_host(request) {
            let message = "A request needs exactly one `Host` header.";
            let error = ServiceError::new(Code::BadRequest, message);
            return Some(error::respond(&error, &Links::new(scheme, None)));
        }
        let sent = browser_guard::BrowserRequest {
            method: request.method(),
            path: request.uri().path(),
            host,
            headers: request.headers(),
        };
        let checked = browser_guard::check(&self.app.engine, &self.app.options.allowed_hosts, sent);
        checked.err().map(|refused| error::respond(&refused, &Links::new(scheme, host)))
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
        // A client that sent `Expect: 100-continue` has not begun to send its body.
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
