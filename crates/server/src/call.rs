//! A request as handlers receive it: matched to a route, its body unread.

use std::sync::Arc;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::response::Response;
use deserr::Deserr;
use engine::keys::{Access, Action};
use engine::{Engine, WriteContext};
use model::features::Feature;
use model::{Code, IndexUid, ServiceError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::http::body_memory::BodyMemory;
use crate::http::error::Links;
use crate::http::json::{self, BodyError};
use crate::http::limits::Limits;
use crate::http::proxy;
use crate::http::query::{self, QueryError};

/// The result of a handler; errors become responses in one place.
pub(crate) type Answer = Result<Response, ServiceError>;

pub(crate) struct Call {
    pub headers: HeaderMap,
    /// The query string as it was sent.
    pub query: Option<String>,
    /// Values of the `{names}` of the route's pattern, decoded.
    pub params: Vec<(String, String)>,
    pub body: Body,
    /// The access of the caller.
    pub access: Access,
    pub limits: Arc<Limits>,
    pub links: Links,
}

impl Call {
    /// Returns a path parameter. Patterns are constants, so names are never unknown.
    pub fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value)
    }

    /// Returns the index named in the path. Handlers call this after reading parameters and body,
    /// because that is the order in which errors are reported.
    pub fn index_uid(&self) -> Result<IndexUid, ServiceError> {
        IndexUid::new(self.param("uid"))
    }

    /// Returns the context of a write: sent by a client, or forwarded by a member of the network.
    /// Fails if this instance does not accept the write.
    pub fn sent(
        &self,
        engine: &Engine,
        metadata: Option<String>,
    ) -> Result<WriteContext, ServiceError> {
        let origin = proxy::origin(&self.headers)?;
        if origin.is_some() {
            engine.features().check(Feature::network, "Handing on a write")?;
        }
        engine.check_writable(origin.as_ref())?;
        let needs_index = (origin.is_some() && proxy::wants_existing_index(&self.headers)?)
            || !self.access.allows(Action::IndexesCreate);
        Ok(WriteContext { metadata, origin, needs_index })
    }

    pub fn parameters<T: Deserr<QueryError>>(&self) -> Result<T, ServiceError> {
        query::read(self.query.as_deref())
    }

    pub async fn json<T>(&mut self) -> Result<T, ServiceError>
    where
        T: Deserr<BodyError> + Send + 'static,
    {
        let body = std::mem::take(&mut self.body);
        let (value, _) = json::read(&self.headers, body, self.limits.writing()).await?;
        Ok(value)
    }

    /// Reads the body of a route that searches or reads. The handler holds the `BodyMemory` for as
    /// long as it uses the body.
    pub async fn search_json<T>(&mut self) -> Result<(T, BodyMemory), ServiceError>
    where
        T: Deserr<BodyError> + Send + 'static,
    {
        let body = std::mem::take(&mut self.body);
        json::read(&self.headers, body, self.limits.searching()).await
    }

    /// Reads a body with several queries, which are counted before any of them is parsed.
    pub async fn queries_json<T>(&mut self) -> Result<(T, BodyMemory), ServiceError>
    where
        T: Deserr<BodyError> + Send + 'static,
    {
        let body = std::mem::take(&mut self.body);
        let most = self.limits.bounds.queries;
        let check = move |body: &Value| check_queries(body, most);
        json::read_checked(&self.headers, body, self.limits.searching(), check).await
    }

    /// Reads the body of a route that searches or reads as one typed value, without codes for its
    /// fields.
    pub async fn typed_search_json<T>(&mut self) -> Result<(T, BodyMemory), ServiceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let body = std::mem::take(&mut self.body);
        json::read_typed(&self.headers, body, self.limits.searching()).await
    }

    pub async fn typed_json<T>(&mut self) -> Result<T, ServiceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let body = std::mem::take(&mut self.body);
        let (value, _) = json::read_typed(&self.headers, body, self.limits.writing()).await?;
        Ok(value)
    }
}

fn check_queries(body: &Value, most: usize) -> Result<(), ServiceError> {
    let sent = body.get("queries").and_then(Value::as_array).map_or(0, Vec::len);
    if sent <= most {
        return Ok(());
    }
    let message = format!(
        "Invalid value at `.queries`: a request holds at most {most} queries, but found {sent}. \
         Send them in several requests, or raise `--search-queries-limit`."
    );
    Err(ServiceError::new(Code::BadRequest, message))
}
