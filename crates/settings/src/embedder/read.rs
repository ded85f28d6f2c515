//! Parses stored embedders. Required members were checked before storing; an embedder without them
//! is ignored.

use std::collections::BTreeMap;

use model::Secret;
use serde_json::{Map, Value};

use super::{Distribution, Embedder, HuggingFace, Ollama, OpenAi, Pooling, Prompt, Rest, Source};

pub(crate) const DEFAULT_OPENAI_MODEL: &str = "text-embedding-3-small";
pub(crate) const DEFAULT_HUGGING_FACE_MODEL: &str = "BAAI/bge-base-en-v1.5";
/// Revision of the default model; other models use the latest.
pub(crate) const DEFAULT_HUGGING_FACE_REVISION: &str = "617ca489d9e86b49b8167676d8220688b99db36e";

/// Parses all embedders of an index, by name.
pub(crate) fn embedders(stored: Option<&Value>) -> BTreeMap<String, Embedder> {
    let members = stored.and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.clone(), embedder(value)?))).collect()
}

fn embedder(stored: &Value) -> Option<Embedder> {
    Some(Embedder {
        source: source(stored)?,
        distribution: stored.get("distribution").and_then(distribution),
        binary_quantized: stored.get("binaryQuantized").and_then(Value::as_bool).unwrap_or(false),
    })
}

fn source(stored: &Value) -> Option<Source> {
    let fields = Fields(stored.as_object()?);
    Some(match fields.text("source").as_deref() {
        None | Some("openAi") => Source::OpenAi(OpenAi {
            model: fields.text("model").unwrap_or_else(|| DEFAULT_OPENAI_MODEL.to_owned()),
            api_key: fields.secret(),
            dimensions: fields.size("dimensions"),
            url: fields.text("url"),
            prompt: Prompt::from_stored(stored),
        }),
        Some("huggingFace") => {
            let (model, revision) = match fields.text("model") {
                Some(model) => (model, fields.text("revision")),
                None => {
                    let revision = fields.text("revision");
                    let pinned = || DEFAULT_HUGGING_FACE_REVISION.to_owned();
                    (DEFAULT_HUGGING_FACE_MODEL.to_owned(), Some(revision.unwrap_or_else(pinned)))
                }
            };
            Source::HuggingFace(HuggingFace {
                model,
                revision,
                pooling: match fields.text("pooling").as_deref() {
                    Some("forceCls") => Pooling::ForceCls,
                    Some("forceMean") => Pooling::ForceMean,
                    _ => Pooling::UseModel,
                },
                prompt: Prompt::from_stored(stored),
            })
        }
        Some("ollama") => Source::Ollama(Ollama {
            model: fields.text("model")?,
            url: fields.text("url"),
            api_key: fields.secret(),
            dimensions: fields.size("dimensions"),
            prompt: Prompt::from_stored(stored),
        }),
        Some("rest") => Source::Rest(Rest {
            url: fields.text("url")?,
            api_key: fields.secret(),
            dimensions: fields.size("dimensions"),
            request: fields.0.get("request")?.clone(),
            response: fields.0.get("response")?.clone(),
            headers: fields.headers(),
            prompt: Prompt::from_stored(stored),
            indexing_fragments: fields.fragments("indexingFragments"),
            search_fragments: fields.fragments("searchFragments"),
        }),
        Some("userProvided") => Source::UserProvided { dimensions: fields.size("dimensions")? },
        Some("composite") => Source::Composite {
            search: Box::new(source(fields.0.get("searchEmbedder")?)?),
            indexing: Box::new(source(fields.0.get("indexingEmbedder")?)?),
        },
        Some(_) => return None,
    })
}

fn distribution(value: &Value) -> Option<Distribution> {
    let number = |name: &str| value.get(name).and_then(Value::as_f64).map(|number| number as f32);
    Some(Distribution { mean: number("mean")?, sigma: number("sigma")? })
}

impl Prompt {
    /// Parses the prompt of an embedder or a conversation.
    pub(crate) fn from_stored(stored: &Value) -> Self {
        let default = Self::default();
        let template = stored.get("documentTemplate").and_then(Value::as_str);
        let max_bytes = stored.get("documentTemplateMaxBytes").and_then(Value::as_u64);
        Self {
            template: template.map_or(default.template, ToOwned::to_owned),
            max_bytes: max_bytes
                .map_or(default.max_bytes, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        }
    }
}

struct Fields<'v>(&'v Map<String, Value>);

impl Fields<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).and_then(Value::as_str).map(ToOwned::to_owned)
    }

    fn size(&self, name: &str) -> Option<usize> {
        self.0.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
    }

    fn secret(&self) -> Option<Secret> {
        self.text("apiKey").map(Secret::new)
    }

    fn members(&self, name: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.0.get(name).and_then(Value::as_object).into_iter().flatten()
    }

    fn headers(&self) -> BTreeMap<String, String> {
        let text =
            |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        self.members("headers").filter_map(text).collect()
    }

    fn fragments<F: FromIterator<(String, Value)>>(&self, name: &str) -> F {
        let value = |(name, fragment): (&String, &Value)| {
            Some((name.clone(), fragment.get("value")?.clone()))
        };
        self.members(name).filter_map(value).collect()
    }
}
