//! The revisions of the protocol and how a request says which one it speaks. The newest has all of
//! it in each request, and mirrors some of it in headers that must agree with the body; those
//! before begin with `initialize`, and what follows names its revision in a header.

use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::header_value;
use super::message::{Fault, FaultCode, Request};

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

    fn named(name: &str) -> Result<Self, Fault> {
        ALL.into_iter().find(|revision| revision.name() == name).ok_or_else(|| {
            Fault::unsupported_version(json!({"supported": Self::names(), "requested": name}))
        })
    }

    /// Whether `initialize` and `ping` exist.
    pub fn has_handshake(self) -> bool {
        self != Revision::Stateless
    }

    pub fn has_batches(self) -> bool {
        self == Revision::March2025
    }

    /// What `initialize` agrees on: what the client wants where it is known here, else the newest
    /// that has such a beginning.
    pub fn agreed(wanted: &str) -> Self {
        match Self::named(wanted) {
            Ok(revision) if revision.has_handshake() => revision,
            _ => Revision::November2025,
        }
    }

    /// The revision that the headers name. The first one with this transport had no header.
    pub fn stated(headers: &HeaderMap) -> Result<Self, Fault> {
        match only(headers, VERSION_HEADER)? {
            Some(name) => Self::named(&name),
            None => Ok(Revision::March2025),
        }
    }

    /// The revision of a request, once its headers and its body agree.
    pub fn of(headers: &HeaderMap, request: &Request) -> Result<Self, Fault> {
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

    /// The status of an answer that tells a fault of a request that could be read.
    pub fn status(self, fault: &Fault) -> StatusCode {
        match (self, fault.code) {
            (Revision::Stateless, FaultCode::MethodNotFound) => StatusCode::NOT_FOUND,
            (Revision::Stateless, _) => StatusCode::BAD_REQUEST,
            // Clients of these revisions take other statuses for faults of the transport.
            _ => StatusCode::OK,
        }
    }
}

/// Whoever stands between may have gone by the headers, so the body must say the same.
fn check_mirrored(headers: &HeaderMap, request: &Request) -> Result<(), Fault> {
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

/// The value of a header that may stand once.
fn only(headers: &HeaderMap, name: &str) -> Result<Option<String>, Fault> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    let first = first.map(|value| value.to_str().map(str::to_owned));
    match (first, second) {
        (None, _) => Ok(None),
        (Some(Ok(value)), None) => Ok(Some(value)),
        _ => Err(Fault::header_mismatch(format!(
            "Header mismatch: `{name}` must stand once, in plain characters."
        ))),
    }
}

fn mismatch(header: &str, in_body: &str) -> Fault {
    Fault::header_mismatch(format!(
        "Header mismatch: `{header}` is missing, or is not `{in_body}`, which the body says."
    ))
}

fn missing(member: &str) -> Fault {
    Fault::invalid_params(format!("The member `{member}` of `params._meta` is missing."))
}
