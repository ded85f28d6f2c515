//! Describes one route: its purpose, parameters, answers and errors. Everything that follows from
//! the route table or from the kind of request is added here, so that no chapter repeats it.

use std::collections::{BTreeMap, BTreeSet};

use model::Code;
use model::features::Feature;
use serde_json::{Map, Value, json};

use crate::http::error::status;
use crate::schema::{self, Member, Schema, named, object};

#[derive(Debug)]
pub struct Operation {
    pub method: &'static str,
    pub path: &'static str,
    summary: String,
    about: String,
    query: Vec<Member>,
    /// Media types with the schema of each.
    body: Vec<(&'static str, Schema)>,
    answers: Vec<Answer>,
    codes: BTreeSet<&'static str>,
    /// True if the body names the index or document: a missing one is a bad request, not a 404.
    is_named_by_body: bool,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    about: &'static str,
    form: Option<(&'static str, Schema)>,
}

pub const JSON: &str = "application/json";
pub const NDJSON: &str = "application/x-ndjson";
pub const HTML: &str = "text/html";
pub const EVENTS: &str = "text/event-stream";
pub const TEXT: &str = "text/plain";

/// Errors of any JSON body.
const OF_BODIES: &[Code] = &[
    Code::MissingPayload,
    Code::MalformedPayload,
    Code::BadRequest,
    Code::PayloadTooLarge,
    Code::MissingContentType,
    Code::InvalidContentType,
    // Large bodies share a memory budget, and do not wait for it.
    Code::TooManySearchRequests,
];

/// Errors of anything that writes to disk.
const OF_WRITES: &[Code] = &[Code::IoError, Code::NoSpaceLeftOnDevice, Code::TooManyOpenFiles];

/// Errors of writes in a network, for clients and between members.
const OF_MEMBERS: &[Code] = &[
    Code::NotLeader,
    Code::FeatureNotEnabled,
    Code::InvalidHeaderValue,
    Code::InconsistentDocumentChangeHeaders,
    Code::NetworkVersionTooOld,
    Code::NetworkVersionMismatch,
];

macro_rules! methods {
    ($($name:ident = $method:literal;)*) => {
        $(pub fn $name(path: &'static str, summary: &str) -> Operation {
            Operation::new($method, path, summary)
        })*
    };
}

methods! {
    get = "GET";
    post = "POST";
    put = "PUT";
    patch = "PATCH";
    delete = "DELETE";
}

impl Operation {
    fn new(method: &'static str, path: &'static str, summary: &str) -> Self {
        let operation = Self {
            method,
            path,
            summary: summary.to_owned(),
            about: String::new(),
            query: Vec::new(),
            body: Vec::new(),
            answers: Vec::new(),
            codes: BTreeSet::new(),
            is_named_by_body: false,
        };
        let names_index = path.starts_with("/indexes/{uid}");
        if names_index { operation.codes(&[Code::InvalidIndexUid]) } else { operation }
    }

    pub fn about(mut self, about: &str) -> Self {
        self.about = about.to_owned();
        self
    }

    pub fn needs(self, feature: Feature) -> Self {
        let name = feature.wire_name();
        let note = format!("Needs the experimental feature `{name}`.");
        let about = [self.about.as_str(), &note].join(" ");
        self.about(about.trim_start()).codes(&[Code::FeatureNotEnabled])
    }

    pub fn codes(mut self, codes: &[Code]) -> Self {
        self.codes.extend(codes.iter().map(|code| code.name()));
        self
    }

    pub fn query(mut self, members: impl IntoIterator<Item = Member>) -> Self {
        let members: Vec<Member> = members.into_iter().collect();
        let codes: Vec<Code> = members.iter().filter_map(|member| member.code).collect();
        self.query.extend(members);
        self.codes(&codes).codes(&[Code::BadRequest])
    }

    /// Takes a JSON object with these members.
    pub fn takes(self, members: impl IntoIterator<Item = Member>) -> Self {
        let members: Vec<Member> = members.into_iter().collect();
        let codes: Vec<Code> = members.iter().filter_map(|member| member.code).collect();
        self.takes_json(object(members)).codes(&codes)
    }

    pub fn takes_json(self, schema: Schema) -> Self {
        self.takes_forms(vec![(JSON, schema)])
    }

    pub fn takes_forms(mut self, forms: Vec<(&'static str, Schema)>) -> Self {
        self.body = forms;
        self.codes(OF_BODIES)
    }

    pub fn answers(self, status: u16, schema: Schema) -> Self {
        self.answers_as(status, "", JSON, schema)
    }

    pub fn answers_as(
        mut self,
        status: u16,
        about: &'static str,
        media_type: &'static str,
        schema: Schema,
    ) -> Self {
        self.answers.push(Answer { status, about, form: Some((media_type, schema)) });
        self
    }

    pub fn answers_nothing(mut self, status: u16, about: &'static str) -> Self {
        self.answers.push(Answer { status, about, form: None });
        self
    }

    /// Answers with the task that was enqueued, and goes on in the background.
    pub fn enqueues(self) -> Self {
        self.enqueues_as(202).codes(OF_MEMBERS)
    }

    pub fn enqueues_as(self, status: u16) -> Self {
        self.answers_as(status, "The enqueued task.", JSON, named("EnqueuedTask")).codes(OF_WRITES)
    }

    /// Marks a route that changes the instance at once.
    pub fn writes(self) -> Self {
        self.codes(OF_WRITES)
    }

    pub fn reads_index(self) -> Self {
        self.codes(&[Code::IndexNotFound])
    }

    /// Marks a route that waits in the search queue.
    pub fn queues(self) -> Self {
        self.codes(&[Code::TooManySearchRequests, Code::ResponseTooLarge])
    }

    pub fn named_by_body(mut self) -> Self {
        self.is_named_by_body = true;
        self
    }

    /// Writes the entry of the document. `action` is the column of the route table.
    pub fn write(self, tag: &str, action: Option<&str>) -> Value {
        let mut codes = self.codes.clone();
        codes.insert(Code::Internal.name());
        if action.is_some() {
            codes.insert(Code::MissingAuthorizationHeader.name());
            codes.insert(Code::InvalidApiKey.name());
        }
        let mut entry = json!({ "tags": [tag], "summary": self.summary });
        if !self.about.is_empty() {
            entry["description"] = json!(self.about);
        }
        entry["operationId"] = json!(operation_id(self.method, self.path));
        let parameters = self.parameters();
        if !parameters.is_empty() {
            entry["parameters"] = json!(parameters);
        }
        if !self.body.is_empty() {
            entry["requestBody"] = json!({ "required": true, "content": content(&self.body) });
        }
        entry["responses"] = self.responses(&codes);
        let ways = action.into_iter().flat_map(|ways| ways.split('|'));
        entry["security"] =
            ways.map(|actions| json!({ "key": actions.split('+').collect::<Vec<_>>() })).collect();
        entry
    }

    fn parameters(&self) -> Vec<Value> {
        let in_path = self.path.split('/').filter_map(|part| {
            let name = part.strip_prefix('{')?.strip_suffix('}')?;
            Some(json!({
                "name": name, "in": "path", "required": true,
                "schema": { "type": "string" }, "description": about_path(self.path, name),
            }))
        });
        let in_query = self.query.iter().map(|member| {
            let schema = member.schema.clone().in_query();
            json!({
                "name": member.name, "in": "query", "required": member.is_required,
                "schema": schema.into_value(), "description": member.about,
            })
        });
        in_path.chain(in_query).collect()
    }

    fn responses(&self, codes: &BTreeSet<&'static str>) -> Value {
        let mut responses = Map::new();
        for Answer { status, about, form } in &self.answers {
            let about = if about.is_empty() { "Success." } else { about };
            let answer = responses
                .entry(status.to_string())
                .or_insert_with(|| json!({ "description": about }));
            if let Some((media_type, schema)) = form {
                // One status may have several media types.
                answer["content"][*media_type] = json!({ "schema": schema.clone().into_value() });
            }
        }
        let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
        for &name in codes {
            if let Some(code) = Code::from_name(name) {
                let status = match status(code.class()).as_u16() {
                    404 if self.is_named_by_body => 400,
                    status => status,
                };
                by_status.entry(status).or_default().push(name);
            }
        }
        for (status, names) in by_status {
            // An answer with a schema of its own keeps it.
            responses.entry(status.to_string()).or_insert_with(|| refusal(&names));
        }
        Value::Object(responses)
    }
}

/// Returns the response of an error with one of these codes.
fn refusal(codes: &[&str]) -> Value {
    if let Some(name) = shared_refusal(codes) {
        return json!({ "$ref": format!("#/components/responses/{name}") });
    }
    written_refusal(codes)
}

fn written_refusal(codes: &[&str]) -> Value {
    let linked: Vec<String> =
        codes.iter().map(|code| format!("[`{code}`](/docs/errors#{code})")).collect();
    let only = schema::object_and_more([schema::maybe("code", schema::one_of(codes), "")]);
    let schema = schema::all_of([named("Error"), only]);
    json!({ "description": linked.join(", "), "content": content(&[(JSON, schema)]) })
}

/// Error responses that many routes share.
const SHARED: &[(&str, &[Code])] = &[
    ("NoKey", &[Code::MissingAuthorizationHeader]),
    ("WrongKey", &[Code::InvalidApiKey]),
    ("IndexNotFound", &[Code::IndexNotFound]),
    ("PayloadTooLarge", &[Code::PayloadTooLarge]),
    ("WrongContentType", &[Code::InvalidContentType, Code::MissingContentType]),
    ("Storage", &[Code::IoError, Code::NoSpaceLeftOnDevice, Code::TooManyOpenFiles]),
    ("VersionMismatch", &[Code::NetworkVersionMismatch]),
    ("Internal", &[Code::Internal]),
    ("TooManyRequests", &[Code::TooManySearchRequests]),
];

fn shared_refusal(codes: &[&str]) -> Option<&'static str> {
    let is_same = |shared: &[Code]| shared.iter().map(|code| code.name()).eq(codes.iter().copied());
    SHARED.iter().find(|(_, shared)| is_same(shared)).map(|(name, _)| *name)
}

pub fn shared_refusals() -> Value {
    let written = SHARED.iter().map(|(name, codes)| {
        let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
        ((*name).to_owned(), written_refusal(&names))
    });
    Value::Object(written.collect())
}

fn content(forms: &[(&str, Schema)]) -> Value {
    let written = forms.iter().map(|(media_type, schema)| {
        ((*media_type).to_owned(), json!({ "schema": schema.clone().into_value() }))
    });
    Value::Object(written.collect())
}

/// Returns the operation id: `GET /indexes/{uid}/stats` is `get_indexes_uid_stats`.
fn operation_id(method: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    format!("{}_{}", method.to_lowercase(), words.join("_")).trim_end_matches('_').to_owned()
}

fn about_path(path: &str, name: &str) -> &'static str {
    match (path.split('/').nth(1), name) {
        (Some("indexes"), "uid") => "Name of the index.",
        (Some("tasks"), _) => "Uid of the task.",
        (Some("batches"), _) => "Uid of the batch.",
        (Some("chats"), _) => "Name of the workspace.",
        (Some("dynamic-search-rules"), _) => "Name of the rule.",
        (Some("keys"), _) => "Uid or value of the key.",
        (Some("webhooks"), _) => "UUID of the webhook.",
        (Some("docs"), "page") => "Name of the page.",
        (_, "id") => "ID of the document.",
        _ => "Path segment of a file.",
    }
}

/// Returns the parameters of a list that is paged by offset and limit.
pub fn paging(offset: Code, limit: Code) -> [Member; 2] {
    [
        schema::maybe("offset", schema::integer().default(json!(0)), "Number of entries to skip.")
            .code(offset),
        schema::maybe("limit", schema::integer().default(json!(20)), "Maximum number to return.")
            .code(limit),
    ]
}

/// The schema of a page of a list that is paged by offset and limit.
pub fn page_of(items: Schema) -> Schema {
    object([
        schema::always("results", schema::list(items), ""),
        schema::always("offset", schema::integer(), "Number of entries skipped."),
        schema::always("limit", schema::integer(), "Maximum number of entries of the page."),
        schema::always("total", schema::integer(), "Total number of entries."),
    ])
}

/// Like `page_of`, with errors of remotes.
pub fn page_with_remotes(items: Schema) -> Schema {
    object([
        schema::always("results", schema::list(items), ""),
        schema::always("offset", schema::integer(), "Number of entries skipped."),
        schema::always("limit", schema::integer(), "Maximum number of entries of the page."),
        schema::always("total", schema::integer(), "Total number of entries."),
        remote_errors(),
    ])
}

pub fn remote_errors() -> Member {
    schema::maybe("remoteErrors", schema::map(named("Error")), "Errors of remotes, by name.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_of_method_and_path() {
        assert_eq!(operation_id("GET", "/indexes/{uid}/stats"), "get_indexes_uid_stats");
        assert_eq!(operation_id("GET", "/"), "get");
    }

    #[test]
    fn missing_things_named_by_the_body_are_bad_requests() {
        let found = |operation: Operation| {
            operation.reads_index().write("", None)["responses"].get("404").is_some()
        };
        assert!(found(post("/x", "")));
        assert!(!found(post("/x", "").named_by_body()));
    }
}
