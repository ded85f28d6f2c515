//! Builds requests to embedding providers from documents and queries, and reads their answers.
//!
//! Templates are Liquid with its standard library. Requests and responses are JSON with
//! placeholders. Everything here is a pure function: no network, no disk, no index. A template
//! comes from a user, so parsing and rendering are bounded and never panic.

mod document;
mod error;
mod fragment;
mod hint;
mod language;
mod liquid;
mod placeholder;
mod placement;
mod request;
mod rerank;
mod response;
mod variables;

pub use document::{DocumentTemplate, Fields, OwnFields};
pub use error::{ExtractError, RenderError, TemplateError};
pub use fragment::Fragment;
pub use placeholder::Placeholder;
pub use request::RequestTemplate;
pub use rerank::{RerankRequest, RerankResponse};
pub use response::ResponseTemplate;
pub use variables::Variables;

/// Writes a line for each searchable field with a value.
pub const DEFAULT_DOCUMENT_TEMPLATE: &str = "{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}";
/// Default limit for the text of a document.
pub const DEFAULT_MAX_BYTES: usize = 400;
