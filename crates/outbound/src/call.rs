//! One call and its answer.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

/// Answers of providers are a few hundred kilobytes; this is far above any of them.
const MAX_ANSWER_BYTES: usize = 256 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

#[derive(Clone)]
pub struct Call {
    pub method: Method,
    pub url: String,
    /// Headers; later ones replace earlier ones of the same name.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
    /// Timeout of everything, from name resolution to the last byte of the answer.
    pub timeout: Duration,
    pub max_answer_bytes: usize,
}

impl Call {
    pub fn get(url: impl Into<String>, timeout: Duration) -> Self {
        Self::new(Method::Get, url, Bytes::new(), timeout)
    }

    pub fn post(url: impl Into<String>, body: impl Into<Bytes>, timeout: Duration) -> Self {
        Self::new(Method::Post, url, body, timeout)
    }

    pub fn new(
        method: Method,
        url: impl Into<String>,
        body: impl Into<Bytes>,
        timeout: Duration,
    ) -> Self {
        Self {
            method,
            url: url.into(),
            headers: Vec::new(),
            body: body.into(),
            timeout,
            max_answer_bytes: MAX_ANSWER_BYTES,
        }
    }

    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// Hides headers and query strings, which hold keys.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Call")
            .field("method", &self.method)
            .field("headers", &names)
            .field("body_bytes", &self.body.len())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// How long the server asks to wait before the next call.
    pub retry_after: Option<Duration>,
    /// ETag of the stored or returned object.
    pub etag: Option<String>,
    pub body: Bytes,
}
