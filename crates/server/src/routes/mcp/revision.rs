//! The revisions of the protocol, and how a request names its revision. The newest sends it in each
//! request and mirrors it in headers that must match the body; earlier ones begin with
//! `initialize`, and later requests name the revision in a header.

use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::header_value;
use super::message::{Request, RpcError, RpcErrorCode};

/// Newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    Stateless,
    November2025,
    June2025,
    March2025,
}

const ALL: [Revision; 4] =
    [Revision::Stateless, Revision::November2025, Revision::June2025, Revision::March2025];

const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

const VERSION_MEMBER: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_MEMBER: &str = "io.modelcontextprotocol/clientCapabilities";

impl Revision {
    pub fn name(self) -> &'static str {
        match self {
            Revision::Stateless => "2026-07-28",
            Revision::November2025 => "2025-11-25",
            Revision::June2025 => "2025-06-18",
            Revision::March2025 => "2025-03-26",
        }
    }

    pub fn names() -> Vec<&'static str> {
        ALL.iter().map(|revision| revision.name()).collect()
    }

    fn named(name: &str) -> Result<Self, RpcError> {
        ALL.into_iter().find(|revision| revision.name() == name).ok_or_else(|| {
            RpcError::unsupported_version(json!({"supported": Self::names(), "requested": name}))
        })
    }

    /// Returns whether `initialize` and `ping` exist.
    pub fn has_handshake(self) -> bool {
        self != Revision::Stateless
    }

    pub fn has_batches(self) -> bool {
        self == Revision::March2025
    }

    /// Negotiates the revision of `initialize`: the one the client requests if it is supported, or
    /// the newest with a handshake.
    pub fn agreed(wanted: &str) -> Self {
        match Self::named(wanted) {
            Ok(revision) if revision.has_handshake() => revision,
            _ => Revision::November2025,
        }
    }

    /// Reads the revision from the headers. The first one with this transport had no header.
    pub fn stated(headers: &HeaderMap) -> Result<Self, RpcError> {
        match only(headers, VERSION_HEADER)? {
            Some(name) => Self::named(&name),
            None => Ok(Revision::March2025),
        }
    }

    /// Returns the revision of a request, if its headers and its body agree.
    pub fn of(headers: &HeaderMap, request: &Request) -> Result<Self, RpcError> {
        let meta = request.params.get("_meta");
        let in_body = meta.and_then(|meta| meta.get(VERSION_MEMBER));
        let Some(in_body) = in_body else {
            return match Self::stated(headers)? {
                Revision::Stateless => Err(missing(VERSION_MEMBER)),
                revision => Ok(revision),
            };
        };
        let in_body = in_body.as_str().ok_or_else(|| missing(VERSION_MEMBER))?;
        if only(headers, VERSION_HEADER)?.as_deref() != Some(in_body) {
            return Err(mismatch(VERSION_HEADER, in_body));
        }
        let revision = Self::named(in_body)?;
        if revision == Revision::Stateless {
            if !meta.and_then(|meta| meta.get(CAPABILITIES_MEMBER)).is_some_and(Value::is_object) {
                return Err(missing(CAPABILITIES_MEMBER));
            }
            check_mirrored(headers, request)?;
        }
        Ok(revision)
    }

    /// Returns the status of an answer with an error about a request that could be read.
    pub fn status(self, error: &RpcError) -> StatusCode {
        match (self, error.code) {
            (Revision::Stateless, RpcErrorCode::MethodNotFound) => StatusCode::NOT_FOUND,
            (Revision::Stateless, _) => StatusCode::BAD_REQUEST,
            // Clients of these revisions take other statuses for transport errors.
            _ => StatusCode::OK,
        }
    }
}

/// Checks that the body matches the headers, which proxies may have acted on.
fn check_mirrored(headers: &HeaderMap, request: &Request) -> Result<(), RpcError> {
    if only(headers, METHOD_HEADER)?.as_deref() != Some(&request.method) {
        return Err(mismatch(METHOD_HEADER, &request.method));
    }
    if request.method != "tools/call" {
        return Ok(());
    }
    let Some(Value::String(name)) = request.params.get("name") else { return Ok(()) };
    let sent = only(headers, NAME_HEADER)?;
    match sent.as_deref().and_then(header_value::decoded) {
        Some(sent) if sent == *name => Ok(()),
        _ => Err(mismatch(NAME_HEADER, name)),
    }
}

/// Returns the value of a header that may occur once.
fn only(headers: &HeaderMap, name: &str) -> Result<Option<String>, RpcError> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    let first = first.map(|value| value.to_str().map(str::to_owned));
    match (first, second) {
        (None, _) => Ok(None),
        (Some(Ok(value)), None) => Ok(Some(value)),
        _ => Err(RpcError::header_mismatch(format!(
            "Header mismatch: `{name}` must be sent once, in plain characters."
        ))),
    }
}

fn mismatch(header: &str, in_body: &str) -> RpcError {
    RpcError::header_mismatch(format!(
        "Header mismatch: `{header}` is missing, or is not `{in_body}`, which the body says."
    ))
}

fn missing(member: &str) -> RpcError {
    RpcError::invalid_params(format!("The member `{member}` of `params._meta` is missing."))
}
