//! `/render-template`: renders a template with a document or a query. Required and allowed members
//! depend on the kind of template or input, so they are checked here and not while the body is
//! read.

use std::num::NonZeroUsize;

use deserr::Deserr;
use engine::{Engine, RenderIndex, RenderInput, RenderTemplate};
use model::features::Feature;
use model::{Code, IndexUid, ServiceError};
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::body_code;
use crate::http::json::BodyError;
use crate::routes::usage;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct RenderBody {
    #[deserr(error = body_code!(InvalidRenderTemplate))]
    template: TemplateBody,
    #[deserr(default, error = body_code!(InvalidRenderInput))]
    input: Option<InputBody>,
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidRenderTemplate), rename_all = camelCase, deny_unknown_fields)]
struct TemplateBody {
    kind: TemplateKind,
    #[deserr(default)]
    index_uid: Option<IndexUid>,
    #[deserr(default)]
    embedder: Option<String>,
    #[deserr(default)]
    fragment: Option<String>,
    #[deserr(default)]
    inline: Option<Value>,
    /// Accepted for templates of documents; the text is not truncated here.
    #[deserr(default)]
    document_template_max_bytes: Option<NonZeroUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserr)]
#[deserr(error = body_code!(InvalidRenderTemplate), rename_all = camelCase)]
enum TemplateKind {
    DocumentTemplate,
    ChatDocumentTemplate,
    IndexingFragment,
    SearchFragment,
    InlineDocumentTemplate,
    InlineFragment,
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidRenderInput), rename_all = camelCase, deny_unknown_fields)]
struct InputBody {
    kind: InputKind,
    #[deserr(default)]
    index_uid: Option<IndexUid>,
    #[deserr(default)]
    id: Option<String>,
    #[deserr(default)]
    inline: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserr)]
#[deserr(error = body_code!(InvalidRenderInput), rename_all = camelCase)]
enum InputKind {
    IndexDocument,
    InlineDocument,
    InlineSearch,
}

#[derive(Debug, Serialize)]
struct Rendering {
    template: Value,
    /// Null if there is no input.
    rendered: Option<Value>,
}

pub async fn render(app: App, mut call: Call) -> Answer {
    let (RenderBody { template, input }, _memory) = call.search_json().await?;
    app.engine.features().check(Feature::render_route, "calling the /render-template route")?;
    app.record(&call.headers, usage::documents_rendered);
    let named = [&template.index_uid, &input.as_ref().and_then(|input| input.index_uid.clone())];
    for uid in named.into_iter().flatten() {
        call.access.check_index(uid)?;
    }
    let rendering = app
        .blocking(move |engine| {
            let template = fetch_template(engine, template)
                .map_err(|error| with_context("error while fetching template", error))?;
            let input = input.map(|input| fetch_input(engine, input)).transpose();
            let input = input.map_err(|error| match error.code {
                Code::IndexNotFound => error,
                _ => with_context("error while fetching input", error),
            })?;
            let rendered = input.map(|input| template.render(&input)).transpose();
            let rendered =
                rendered.map_err(|error| with_context("error while rendering template", error))?;
            Ok(Rendering { template: template.into_value(), rendered })
        })
        .await?;
    Ok(answer::ok(&rendering))
}

fn fetch_template(engine: &Engine, body: TemplateBody) -> Result<RenderTemplate, ServiceError> {
    let members = body.members();
    let TemplateBody { kind, index_uid, embedder, fragment, inline, .. } = body;
    let opened = |uid: &IndexUid| open(engine, uid, "cannot open index");
    let features = engine.features();
    match kind {
        TemplateKind::DocumentTemplate => {
            let index_uid = members.require(INDEX_UID, index_uid)?;
            let embedder = members.require(EMBEDDER, embedder)?;
            members.allow_only(&[INDEX_UID, EMBEDDER, MAX_BYTES])?;
            opened(&index_uid)?.document_template(&embedder)
        }
        TemplateKind::ChatDocumentTemplate => {
            features.check(Feature::chat_completions, "accessing chat settings")?;
            let index_uid = members.require(INDEX_UID, index_uid)?;
            members.allow_only(&[INDEX_UID, MAX_BYTES])?;
            opened(&index_uid)?.chat_template()
        }
        TemplateKind::IndexingFragment | TemplateKind::SearchFragment => {
            features.check(Feature::multimodal, "accessing fragments")?;
            let index_uid = members.require(INDEX_UID, index_uid)?;
            let embedder = members.require(EMBEDDER, embedder)?;
            let fragment = members.require(FRAGMENT, fragment)?;
            members.allow_only(&[INDEX_UID, EMBEDDER, FRAGMENT])?;
            let index = opened(&index_uid)?;
            match kind {
                TemplateKind::IndexingFragment => index.indexing_fragment(&embedder, &fragment),
                _ => index.search_fragment(&embedder, &fragment),
            }
        }
        TemplateKind::InlineDocumentTemplate => {
            let inline = members.require(INLINE, inline)?;
            members.allow_only(&[INLINE, MAX_BYTES])?;
            match inline {
                Value::String(text) => RenderTemplate::document(text),
                _ => Err(members.refused("inline document templates must be strings")),
            }
        }
        TemplateKind::InlineFragment => {
            features.check(Feature::multimodal, "rendering an inline fragment")?;
            let inline = members.require(INLINE, inline)?;
            members.allow_only(&[INLINE])?;
            RenderTemplate::fragment(inline, INLINE)
        }
    }
}

fn fetch_input(engine: &Engine, body: InputBody) -> Result<RenderInput, ServiceError> {
    let members = body.members();
    let InputBody { kind, index_uid, id, inline } = body;
    match kind {
        InputKind::IndexDocument => {
            let index_uid = members.require(INDEX_UID, index_uid)?;
            members.allow_only(&[INDEX_UID, ID])?;
            // A missing index is reported before an invalid id.
            let index = open(engine, &index_uid, "Cannot open index")?;
            index.document(&members.require(ID, id)?)
        }
        InputKind::InlineDocument => {
            let inline = members.require(INLINE, inline)?;
            members.allow_only(&[INLINE])?;
            match inline {
                Value::Object(fields) => Ok(RenderInput::Document { fields, settings: None }),
                _ => Err(members.refused("inline documents must be objects")),
            }
        }
        InputKind::InlineSearch => {
            engine.features().check(Feature::multimodal, "rendering an inline search")?;
            let inline = members.require(INLINE, inline)?;
            members.allow_only(&[INLINE])?;
            let Value::Object(mut search) = inline else {
                return Err(members.refused("inline searches must be objects"));
            };
            let q = match search.remove("q").unwrap_or_default() {
                Value::Null => None,
                Value::String(q) => Some(q),
                _ => return Err(members.refused("`q` of inline searches must be a string")),
            };
            let media = search.remove("media").filter(|media| !media.is_null());
            Ok(RenderInput::Search { q, media })
        }
    }
}

fn open(engine: &Engine, uid: &IndexUid, cannot: &str) -> Result<RenderIndex, ServiceError> {
    let uid = uid.as_str();
    engine.render_index(uid).map_err(|error| with_context(&format!("{cannot} `{uid}`"), error))
}

fn with_context(doing: &str, error: ServiceError) -> ServiceError {
    ServiceError::new(error.code, format!("{doing}: {}", error.message))
}

// Names of members in messages.
const INDEX_UID: &str = "index_uid";
const EMBEDDER: &str = "embedder";
const FRAGMENT: &str = "fragment";
const INLINE: &str = "inline";
const ID: &str = "id";
const MAX_BYTES: &str = "documentTemplateMaxBytes";

/// The members that were sent, of a template or an input of some kind.
struct Members {
    code: Code,
    kind: &'static str,
    given: Vec<&'static str>,
}

impl Members {
    fn new<const N: usize>(
        code: Code,
        kind: &'static str,
        members: [(&'static str, bool); N],
    ) -> Self {
        let given = members.into_iter().filter(|(_, is_given)| *is_given);
        Self { code, kind, given: given.map(|(name, _)| name).collect() }
    }

    fn require<T>(&self, name: &str, member: Option<T>) -> Result<T, ServiceError> {
        member.ok_or_else(|| {
            self.refused(format!("parameter `{name}` missing for kind `{}`", self.kind))
        })
    }

    fn allow_only(&self, allowed: &[&str]) -> Result<(), ServiceError> {
        match self.given.iter().find(|name| !allowed.contains(name)) {
            Some(name) => {
                Err(self.refused(format!("parameter `{name}` disallowed for kind `{}`", self.kind)))
            }
            None => Ok(()),
        }
    }

    fn refused(&self, message: impl Into<String>) -> ServiceError {
        ServiceError::new(self.code, message)
    }
}

impl TemplateBody {
    fn members(&self) -> Members {
        let kind = match self.kind {
            TemplateKind::DocumentTemplate => "documentTemplate",
            TemplateKind::ChatDocumentTemplate => "chatDocumentTemplate",
            TemplateKind::IndexingFragment => "indexingFragment",
            TemplateKind::SearchFragment => "searchFragment",
            TemplateKind::InlineDocumentTemplate => "inlineDocumentTemplate",
            TemplateKind::InlineFragment => "inlineFragment",
        };
        let members = [
            (INDEX_UID, self.index_uid.is_some()),
            (EMBEDDER, self.embedder.is_some()),
            (FRAGMENT, self.fragment.is_some()),
            (INLINE, self.inline.is_some()),
            (MAX_BYTES, self.document_template_max_bytes.is_some()),
        ];
        Members::new(Code::InvalidRenderTemplate, kind, members)
    }
}

impl InputBody {
    fn members(&self) -> Members {
        let kind = match self.kind {
            InputKind::IndexDocument => "indexDocument",
            InputKind::InlineDocument => "inlineDocument",
            InputKind::InlineSearch => "inlineSearch",
        };
        let members = [
            (INDEX_UID, self.index_uid.is_some()),
            (ID, self.id.is_some()),
            (INLINE, self.inline.is_some()),
        ];
        Members::new(Code::InvalidRenderInput, kind, members)
    }
}
