//! A route: method, pattern, the action it needs, and the handler that answers.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;
use futures_util::FutureExt;
use model::ServiceError;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::error;
use crate::http::guard::Guard;

type Running = Pin<Box<dyn Future<Output = Answer> + Send>>;
type Handler = Arc<dyn Fn(App, Call) -> Running + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Route {
    pub method: Method,
    pub pattern: &'static str,
    /// The actions that a key needs, as `Guard` reads them; `None` for public routes.
    pub action: Option<&'static str>,
    pub handler: Handler,
}

impl Route {
    /// True if caches may store the answers: those of public routes, and those of searches. All
    /// others can contain secrets, such as keys, settings and tasks.
    pub fn may_be_cached(&self) -> bool {
        matches!(self.action, None | Some("search"))
    }
}

pub(crate) fn route<F, R>(
    method: Method,
    pattern: &'static str,
    action: impl Into<Option<&'static str>>,
    handler: F,
) -> Route
where
    F: Fn(App, Call) -> R + Send + Sync + 'static,
    R: Future<Output = Answer> + Send + 'static,
{
    let handler: Handler = Arc::new(move |app, call| -> Running { Box::pin(handler(app, call)) });
    Route { method, pattern, action: action.into(), handler }
}

/// A route as data, for tests and documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteInfo {
    pub method: String,
    pub pattern: &'static str,
    pub action: Option<&'static str>,
}

/// A route with its guard.
pub(crate) struct Guarded {
    pub route: Route,
    pub guard: Guard,
}

impl Guarded {
    pub fn new(route: Route) -> Self {
        let guard = Guard::new(route.pattern, route.action);
        Self { route, guard }
    }

    pub async fn answer(&self, app: App, mut call: Call) -> Response {
        let links = call.links.clone();
        // Before all other checks of the request.
        match self.guard.admit(&app.engine, &call.headers, call.param("uid")) {
            Ok(access) => call.access = access,
            Err(refused) => return error::respond(&refused, &links),
        }
        let running = AssertUnwindSafe((self.route.handler)(app, call)).catch_unwind();
        let result = running.await.unwrap_or_else(|_| {
            Err(ServiceError::internal(
                "The request could not be answered because of an internal error.",
            ))
        });
        result.unwrap_or_else(|error| error::respond(&error, &links))
    }
}
