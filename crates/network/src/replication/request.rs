//! Writes a task as the request that makes another instance enqueue it: route, parameters, body,
//! key of the remote, and sender.

use std::time::Duration;

use bytes::Bytes;
use document::Format;
use model::ServiceError;
use outbound::{Call, Method};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tasks::{Content, Method as Merging, PayloadBytes};
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use super::change::TopologyChange;
use crate::placement::Remote;

/// Characters that need no escaping in headers.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// Timeout of a small write; large ones get a second more per megabyte.
const MIN_TIMEOUT: Duration = Duration::from_secs(30);
/// Limit of an answer, which is a task or an error.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Method, path and body that stand for a task.
#[derive(Debug)]
pub struct Request {
    method: Method,
    /// Path with query.
    path: String,
    content_type: Option<&'static str>,
    body: Bytes,
    /// True if the index must exist: the original sender may not create it.
    needs_index: bool,
    /// Version of the change that it undoes.
    takes_back: Option<Uuid>,
    /// Timeout of the answer.
    timeout: Duration,
}

/// Sender of a request, and its task.
#[derive(Debug, Clone, Copy)]
pub struct Sender<'a> {
    pub remote: &'a str,
    pub task_uid: u32,
    pub network_version: Uuid,
}

impl Request {
    /// Creates the request for a task, with its payload; `recipient` is the name of the other
    /// instance.
    pub fn of_task(
        content: &Content,
        metadata: Option<&str>,
        payload: Option<PayloadBytes>,
        recipient: &str,
    ) -> Result<Self, ServiceError> {
        let documents = |uid: &str, rest: &str| format!("/indexes/{uid}/documents{rest}");
        let mut request = match content {
            Content::DocumentAdditionOrUpdate { .. } => {
                let payload = payload
                    .ok_or_else(|| ServiceError::internal("an addition without its payload"))?;
                Self::addition(content, payload)?
            }
            Content::DocumentDeletion { index_uid, ids } => {
                Self::json(Method::Post, documents(index_uid, "/delete-batch"), &json!(ids))
            }
            Content::DocumentDeletionByFilter { index_uid, filter } => {
                let body = json!({ "filter": filter });
                Self::json(Method::Post, documents(index_uid, "/delete"), &body)
            }
            Content::DocumentClear { index_uid } => {
                Self::empty(Method::Delete, documents(index_uid, ""))
            }
            Content::DocumentEdition { index_uid, filter, context, function } => {
                let body = json!({ "function": function, "filter": filter, "context": context });
                Self::json(Method::Post, documents(index_uid, "/edit"), &body)
            }
            Content::SettingsUpdate { index_uid, settings, may_create_index, .. } => Self {
                needs_index: !may_create_index,
                ..Self::json(Method::Patch, format!("/indexes/{index_uid}/settings"), settings)
            },
            Content::IndexCreation { index_uid, primary_key } => {
                let body = json!({ "uid": index_uid, "primaryKey": primary_key });
                Self::json(Method::Post, "/indexes".to_owned(), &body)
            }
            Content::IndexUpdate { index_uid, primary_key, new_uid } => {
                let body = without_nulls(json!({ "uid": new_uid, "primaryKey": primary_key }));
                Self::json(Method::Patch, format!("/indexes/{index_uid}"), &body)
            }
            Content::IndexDeletion { index_uid } => {
                Self::empty(Method::Delete, format!("/indexes/{index_uid}"))
            }
            Content::IndexSwap { swaps } => {
                Self::json(Method::Post, "/swap-indexes".to_owned(), &json!(swaps))
            }
            Content::DsrUpdate { rule_uid, rule } => {
                let path = format!("/dynamic-search-rules/{rule_uid}");
                match rule {
                    Some(rule) => Self::json(Method::Patch, path, rule),
                    None => Self::empty(Method::Delete, path),
                }
            }
            Content::DsrClear => Self::empty(Method::Delete, "/dynamic-search-rules".to_owned()),
            Content::NetworkTopologyChange { change } => {
                let change = TopologyChange::read(change)?;
                let body = change.for_member(recipient);
                let takes_back = change.takes_back.map(|taken_back| taken_back.version);
                Self { takes_back, ..Self::json(Method::Patch, "/network".to_owned(), &body) }
            }
            _ => return Err(ServiceError::internal("a task that concerns one instance only")),
        };
        if let Some(metadata) = metadata {
            let mut query = Serializer::new(String::new());
            query.append_pair("customMetadata", metadata);
            request.path = with_query(request.path, &query.finish());
        }
        Ok(request)
    }

    fn addition(content: &Content, payload: PayloadBytes) -> Result<Self, ServiceError> {
        let Content::DocumentAdditionOrUpdate {
            index_uid,
            primary_key,
            method,
            format,
            skip_creation,
            may_create_index,
            ..
        } = content
        else {
            return Err(ServiceError::internal("a payload of a task that is no addition"));
        };
        let mut query = Serializer::new(String::new());
        if let Some(primary_key) = primary_key {
            query.append_pair("primaryKey", primary_key);
        }
        if let Format::Csv { delimiter } = *format {
            query.append_pair("csvDelimiter", &char::from(delimiter).to_string());
        }
        if *skip_creation {
            query.append_pair("skipCreation", "true");
        }
        let method = match method {
            Merging::Replace => Method::Post,
            Merging::Update => Method::Put,
        };
        let path = with_query(format!("/indexes/{index_uid}/documents"), &query.finish());
        Ok(Self {
            content_type: Some(content_type(*format)),
            needs_index: !may_create_index,
            ..Self::new(method, path, Bytes::from_owner(payload))
        })
    }

    pub fn json(method: Method, path: String, body: &Value) -> Self {
        let body = Bytes::from(body.to_string());
        let content_type = Some("application/json");
        Self { content_type, ..Self::new(method, path, body) }
    }

    /// Creates a request whose body is JSON lines.
    pub fn lines(path: String, body: Vec<u8>) -> Self {
        let content_type = Some(content_type(Format::Ndjson));
        Self { content_type, ..Self::new(Method::Post, path, Bytes::from(body)) }
    }

    fn empty(method: Method, path: String) -> Self {
        Self::new(method, path, Bytes::new())
    }

    fn new(method: Method, path: String, body: Bytes) -> Self {
        let timeout = timeout_for(body.len());
        let (content_type, takes_back) = (None, None);
        Self { method, path, content_type, body, needs_index: false, takes_back, timeout }
    }

    /// Reduces the timeout, unless it is shorter already.
    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.timeout = self.timeout.min(timeout);
        self
    }

    /// Creates the call to one remote. `headers` are further ones, prefixed like those of the
    /// sender.
    pub fn call(&self, remote: &Remote, sender: Sender<'_>, headers: &[(&str, &str)]) -> Call {
        let url = remote.address(&self.path);
        let mut call = Call::new(self.method, url, self.body.clone(), self.timeout);
        call.max_answer_bytes = MAX_ANSWER_BYTES;
        if let Some(content_type) = self.content_type {
            call = call.header("Content-Type", content_type);
        }
        if let Some(key) = &remote.write_api_key {
            call = call.header("Authorization", format!("Bearer {}", key.expose()));
        }
        let (task_uid, version) = (sender.task_uid.to_string(), sender.network_version.to_string());
        let of_sender = [
            ("Origin-Remote", sender.remote),
            ("Origin-TaskUid", &task_uid),
            ("Origin-Network-Version", &version),
        ];
        let existing = self.needs_index.then_some(("Origin-Existing-Index", "true"));
        let takes_back = self.takes_back.map(|version| version.to_string());
        let takes_back = takes_back.as_deref().map(|version| ("Origin-Takes-Back", version));
        let about_it = existing.into_iter().chain(takes_back);
        for (name, value) in of_sender.iter().chain(headers).copied().chain(about_it) {
            let value = utf8_percent_encode(value, PLAIN).to_string();
            call = call
                .header(format!("X-Meili-Proxy-{name}"), value.clone())
                .header(format!("Meili-Proxy-{name}"), value);
        }
        call
    }
}

fn timeout_for(bytes: usize) -> Duration {
    MIN_TIMEOUT + Duration::from_secs((bytes >> 20) as u64)
}

fn content_type(format: Format) -> &'static str {
    match format {
        Format::Json => "application/json",
        Format::Ndjson => "application/x-ndjson",
        Format::Csv { .. } => "text/csv",
    }
}

fn with_query(path: String, query: &str) -> String {
    match (query.is_empty(), path.contains('?')) {
        (true, _) => path,
        (false, false) => format!("{path}?{query}"),
        (false, true) => format!("{path}&{query}"),
    }
}

fn without_nulls(mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(content: &Content, metadata: Option<&str>) -> (Method, String, String) {
        let Request { method, path, body, .. } =
            Request::of_task(content, metadata, None, "b").unwrap();
        (method, path, String::from_utf8(body.to_vec()).unwrap())
    }

    #[test]
    fn writes_go_to_the_routes_they_came_by() {
        let index_uid = "books".to_owned();
        let ids = vec!["1".to_owned(), "x y".to_owned()];
        let deletion = Content::DocumentDeletion { index_uid: index_uid.clone(), ids };
        assert_eq!(
            sent(&deletion, Some("a&b=é")),
            (
                Method::Post,
                "/indexes/books/documents/delete-batch?customMetadata=a%26b%3D%C3%A9".to_owned(),
                r#"["1","x y"]"#.to_owned()
            )
        );
        let update = Content::IndexUpdate {
            index_uid: index_uid.clone(),
            primary_key: None,
            new_uid: Some("novels".to_owned()),
        };
        let expected = (Method::Patch, "/indexes/books".to_owned(), r#"{"uid":"novels"}"#.into());
        assert_eq!(sent(&update, None), expected);
        let clear = Content::DocumentClear { index_uid };
        let expected = (Method::Delete, "/indexes/books/documents".to_owned(), String::new());
        assert_eq!(sent(&clear, None), expected);
        assert!(Request::of_task(&Content::SnapshotCreation, None, None, "b").is_err());
    }

    #[test]
    fn the_sender_is_named_in_letters_of_headers() {
        let remote = Remote {
            url: "http://b.example/".to_owned(),
            search_api_key: None,
            write_api_key: Some(model::Secret::new("quill")),
        };
        let sender = Sender { remote: "nom à", task_uid: 7, network_version: Uuid::nil() };
        let request = Request::json(Method::Post, "/indexes".to_owned(), &json!({}));
        let call = request.call(&remote, sender, &[("Import-Index", "a")]);
        assert_eq!(call.url, "http://b.example/indexes");
        let value = |name: &str| {
            let found = call.headers.iter().find(|(header, _)| header == name);
            found.map(|(_, value)| value.as_str())
        };
        assert_eq!(value("Authorization"), Some("Bearer quill"));
        assert_eq!(value("X-Meili-Proxy-Origin-Remote"), Some("nom%20%C3%A0"));
        assert_eq!(value("Meili-Proxy-Origin-TaskUid"), Some("7"));
        assert_eq!(
            value("Meili-Proxy-Origin-Network-Version"),
            Some("00000000-0000-0000-0000-000000000000")
        );
        assert_eq!(value("X-Meili-Proxy-Import-Index"), Some("a"));
    }
}
