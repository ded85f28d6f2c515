//! Renders a template, stored or not, for a document or a query. Nothing is embedded or stored, so
//! a template can be tried before it is used.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::Snapshot;
use model::{Code, ServiceError};
use serde_json::{Map, Value};
use settings::{Prompt, Settings, Source};
use template::{DocumentTemplate, Fragment, OwnFields, RenderError, TemplateError, Variables};

use super::embedding::SearchableFields;
use crate::common::failure::index_failure;

/// An index that templates or documents are taken from.
#[derive(Debug)]
pub struct RenderIndex {
    uid: String,
    snapshot: Arc<Snapshot>,
}

/// A template that can be parsed, and its text.
#[derive(Debug)]
pub struct RenderTemplate {
    value: Value,
    parsed: ParsedTemplate,
}

#[derive(Debug)]
enum ParsedTemplate {
    /// One text for a whole document.
    Document(DocumentTemplate),
    /// JSON whose strings are templates.
    Fragment(Fragment),
}

/// Values of a template's variables.
#[derive(Debug)]
pub enum RenderInput {
    Document {
        fields: Map<String, Value>,
        /// Settings of the document's index; none if it is of no index.
        settings: Option<Arc<Settings>>,
    },
    Search {
        q: Option<String>,
        media: Option<Value>,
    },
}

impl RenderIndex {
    pub(crate) fn new(uid: &str, snapshot: Arc<Snapshot>) -> Self {
        Self { uid: uid.to_owned(), snapshot }
    }

    /// Returns the document template of an embedder.
    pub fn document_template(&self, embedder: &str) -> Result<RenderTemplate, ServiceError> {
        match prompt(self.source(embedder)?) {
            Some(prompt) => RenderTemplate::document(prompt.template.clone()),
            None => Err(no_template(format!(
                "embedder `{embedder}` in index `{}` does not use a document template.",
                self.uid
            ))),
        }
    }

    /// Returns the document template of conversations.
    pub fn chat_template(&self) -> Result<RenderTemplate, ServiceError> {
        RenderTemplate::document(self.snapshot.typed_settings().chat.prompt.template.clone())
    }

    pub fn indexing_fragment(
        &self,
        embedder: &str,
        name: &str,
    ) -> Result<RenderTemplate, ServiceError> {
        let fragments = self.source(embedder)?.indexing_fragments();
        self.fragment(fragments.and_then(|all| all.get(name)), "indexing", embedder, name)
    }

    pub fn search_fragment(
        &self,
        embedder: &str,
        name: &str,
    ) -> Result<RenderTemplate, ServiceError> {
        let fragments = search_fragments(self.source(embedder)?);
        self.fragment(fragments.and_then(|all| all.get(name)), "search", embedder, name)
    }

    /// Returns a document as stored.
    pub fn document(&self, id: &str) -> Result<RenderInput, ServiceError> {
        let failed = |error| index_failure(error).in_index(&self.uid);
        let doc_id = self.snapshot.doc_id(id).map_err(failed)?;
        let json = doc_id.map(|doc_id| self.snapshot.document(doc_id)).transpose();
        let Some(json) = json.map_err(failed)?.flatten() else {
            let message = format!("document `{id}` not found in `{}`", self.uid);
            return Err(ServiceError::new(Code::RenderDocumentNotFound, message));
        };
        let fields = serde_json::from_str(&json).map_err(ServiceError::internal)?;
        let settings = Some(Arc::clone(self.snapshot.typed_settings()));
        Ok(RenderInput::Document { fields, settings })
    }

    fn source(&self, embedder: &str) -> Result<&Source, ServiceError> {
        let embedders = &self.snapshot.typed_settings().embedders;
        embedders.get(embedder).map(|embedder| &embedder.source).ok_or_else(|| {
            no_template(format!("cannot find embedder `{embedder}` in index `{}`", self.uid))
        })
    }

    fn fragment(
        &self,
        fragment: Option<&Value>,
        purpose: &str,
        embedder: &str,
        name: &str,
    ) -> Result<RenderTemplate, ServiceError> {
        match fragment {
            Some(value) => RenderTemplate::fragment(value.clone(), name),
            None => Err(no_template(format!(
                "cannot find {purpose} fragment `{name}` for embedder `{embedder}` in index `{}`",
                self.uid
            ))),
        }
    }
}

/// Returns the template; none if fragments are used, or documents are not embedded.
fn prompt(source: &Source) -> Option<&Prompt> {
    match source {
        Source::OpenAi(open_ai) => Some(&open_ai.prompt),
        Source::HuggingFace(hugging_face) => Some(&hugging_face.prompt),
        Source::Ollama(ollama) => Some(&ollama.prompt),
        Source::Rest(rest) => rest.indexing_fragments.is_empty().then_some(&rest.prompt),
        Source::UserProvided { .. } => None,
        Source::Composite { indexing, .. } => prompt(indexing),
    }
}

fn search_fragments(source: &Source) -> Option<&BTreeMap<String, Value>> {
    match source {
        Source::Rest(rest) => Some(&rest.search_fragments),
        Source::Composite { search, .. } => search_fragments(search),
        _ => None,
    }
}

impl RenderTemplate {
    pub fn document(text: String) -> Result<Self, ServiceError> {
        let parsed = DocumentTemplate::parse(&text).map_err(not_parsed)?;
        Ok(Self { value: Value::String(text), parsed: ParsedTemplate::Document(parsed) })
    }

    /// Parses a fragment. `path` names it in errors.
    pub fn fragment(value: Value, path: &str) -> Result<Self, ServiceError> {
        let parsed = Fragment::parse(&value, path).map_err(not_parsed)?;
        Ok(Self { value, parsed: ParsedTemplate::Fragment(parsed) })
    }

    /// Returns the template as written.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Renders a document template to a text, a fragment to its own form. Texts are not cut to the
    /// limit of a stored template.
    pub fn render(&self, input: &RenderInput) -> Result<Value, ServiceError> {
        let rendered = match (&self.parsed, input) {
            (ParsedTemplate::Document(template), RenderInput::Document { fields, settings }) => {
                let text = match settings {
                    Some(settings) => template.render(fields, &SearchableFields(settings), None),
                    None => template.render(fields, &OwnFields, None),
                };
                text.map(Value::String)
            }
            (ParsedTemplate::Fragment(fragment), RenderInput::Document { fields, .. }) => {
                fragment.render(&Variables::of_document(fields))
            }
            (ParsedTemplate::Fragment(fragment), RenderInput::Search { q, media }) => {
                fragment.render(&Variables::of_query(q.as_deref(), media.as_ref()))
            }
            // A query has no document, but the text may not use one.
            (ParsedTemplate::Document(_), RenderInput::Search { q, media }) => {
                let text = Fragment::parse(&self.value, "").map_err(not_parsed)?;
                text.render(&Variables::of_query(q.as_deref(), media.as_ref()))
            }
        };
        rendered.map_err(not_rendered)
    }
}

fn no_template(message: String) -> ServiceError {
    ServiceError::new(Code::InvalidRenderTemplate, message)
}

fn not_parsed(error: TemplateError) -> ServiceError {
    ServiceError::new(Code::TemplateParsingError, error.to_string())
}

fn not_rendered(error: RenderError) -> ServiceError {
    ServiceError::new(Code::TemplateRenderingError, error.to_string())
}
