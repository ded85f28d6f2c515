//! One source of vectors and its prompt: a whole embedder, or one side of a composite.

use std::num::NonZeroUsize;

use outbound::Client;
use serde_json::{Map, Value, json};
use settings::{Prompt, Rest, Source};
use template::{DocumentTemplate, Fields, Fragment, RenderError, Variables};

use crate::callbacks::EmbedCallbacks;
use crate::error::{EmbedError, InnerError};
use crate::input::{Input, Inputs, QueryInput};
use crate::local;
use crate::options::Options;
use crate::remote::{Attempts, OnFailure, Remote, openai_dimensions, or_none};

#[derive(Debug)]
pub(crate) struct VectorSource {
    backend: Backend,
    prompt: DocumentPrompt,
    search_fragments: Vec<(String, Fragment)>,
    is_rest: bool,
    pub(crate) dimensions: usize,
}

#[derive(Debug)]
enum Backend {
    /// The user provides the vectors.
    None,
    Remote(Remote),
    Local(local::Model),
}

#[derive(Debug)]
enum DocumentPrompt {
    None,
    Template { template: DocumentTemplate, max_bytes: Option<NonZeroUsize> },
    Fragments(Vec<(String, Fragment)>),
}

impl VectorSource {
    pub(crate) fn new(
        source: &Source,
        client: &Client,
        known_dimensions: Option<usize>,
        options: &Options,
        attempts: &Attempts<'_>,
    ) -> Result<Self, EmbedError> {
        let (backend, prompt, dimensions) = match source {
            Source::UserProvided { dimensions } => {
                (Backend::None, DocumentPrompt::None, Some(*dimensions))
            }
            Source::OpenAi(openai) => {
                let dimensions = openai.dimensions.or_else(|| openai_dimensions(&openai.model));
                let remote = Remote::openai(openai, client, options)?;
                (Backend::Remote(remote), prompt(&openai.prompt)?, dimensions)
            }
            Source::Ollama(ollama) => {
                let remote = Remote::ollama(ollama, client, options)?;
                (Backend::Remote(remote), prompt(&ollama.prompt)?, ollama.dimensions)
            }
            Source::Rest(rest) => {
                let remote = Remote::rest(rest, client, options)?;
                (Backend::Remote(remote), rest_prompt(rest)?, rest.dimensions)
            }
            Source::HuggingFace(settings) => {
                let model =
                    local::Model::load(settings, options.models.as_deref(), client, attempts)?;
                let dimensions = model.dimensions();
                (Backend::Local(model), prompt(&settings.prompt)?, Some(dimensions))
            }
            Source::Composite { .. } => {
                return Err(EmbedError::user("a composite embedder cannot be nested"));
            }
        };
        let mut this = Self {
            backend,
            prompt,
            search_fragments: match source {
                Source::Rest(rest) => fragments(rest.search_fragments.iter(), "searchFragments")?,
                _ => Vec::new(),
            },
            is_rest: matches!(source, Source::Rest(_)),
            dimensions: 0,
        };
        this.dimensions = match (dimensions, known_dimensions) {
            (Some(dimensions), _) => dimensions,
            (None, _) if this.has_fragments() => {
                return Err(InnerError::FragmentsWithoutDimensions.into());
            }
            (None, Some(known)) => known,
            (None, None) => this.learn_dimensions(attempts)?,
        };
        Ok(this)
    }

    pub(crate) fn is_user_provided(&self) -> bool {
        matches!(self.backend, Backend::None)
    }

    pub(crate) fn is_remote(&self) -> bool {
        matches!(self.backend, Backend::Remote(_))
    }

    pub(crate) fn has_fragments(&self) -> bool {
        !self.search_fragments.is_empty() || matches!(self.prompt, DocumentPrompt::Fragments(_))
    }

    fn learn_dimensions(&self, attempts: &Attempts<'_>) -> Result<usize, EmbedError> {
        let Backend::Remote(remote) = &self.backend else { return Ok(self.dimensions) };
        let test = [Input::Text("test".to_owned())];
        let vectors = remote
            .embed(&test, None, attempts)
            .map_err(|error| InnerError::UnknownDimensions(Box::new(error)))?;
        match vectors.first().map_or(0, Vec::len) {
            0 => {
                let empty = EmbedError::runtime("the embedding has no numbers");
                Err(InnerError::UnknownDimensions(Box::new(empty)).into())
            }
            dimensions => Ok(dimensions),
        }
    }

    pub(crate) fn inputs_of(
        &self,
        document: &Map<String, Value>,
        fields: &dyn Fields,
    ) -> Result<Inputs, RenderError> {
        match &self.prompt {
            DocumentPrompt::None => Ok(Vec::new()),
            DocumentPrompt::Template { template, max_bytes } => {
                Ok(vec![Input::Text(template.render(document, fields, *max_bytes)?)])
            }
            DocumentPrompt::Fragments(fragments) => {
                let variables = Variables::of_document(document);
                let rendered = fragments.iter().filter_map(|(name, fragment)| {
                    let value = fragment.render(&variables).ok()?;
                    Some(Input::Fragment { name: name.clone(), value })
                });
                Ok(rendered.collect())
            }
        }
    }

    pub(crate) fn query_input(&self, query: QueryInput<'_>) -> Result<Input, EmbedError> {
        if self.search_fragments.is_empty() {
            if query.media.is_some() {
                return Err(if self.is_rest {
                    InnerError::MediaWithoutFragments.into()
                } else {
                    InnerError::MediaWithoutRest.into()
                });
            }
            return Ok(Input::Text(query.q.unwrap_or_default().to_owned()));
        }
        let variables = Variables::of_query(query.q, query.media);
        let mut matching = self.search_fragments.iter().filter_map(|(name, fragment)| {
            Some(Input::Fragment { name: name.clone(), value: fragment.render(&variables).ok()? })
        });
        let as_json = || json!({"q": query.q, "media": query.media});
        let Some(first) = matching.next() else {
            return Err(InnerError::NoFragment { query: as_json() }.into());
        };
        match (&first, matching.next()) {
            (Input::Fragment { name: first, .. }, Some(Input::Fragment { name: second, .. })) => {
                Err(InnerError::SeveralFragments { first: first.clone(), second, query: as_json() }
                    .into())
            }
            _ => Ok(first),
        }
    }

    pub(crate) fn embed_all(
        &self,
        inputs: &[Input],
        attempts: &Attempts<'_>,
        callbacks: &EmbedCallbacks<'_>,
        on_failure: Option<OnFailure<'_>>,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        match &self.backend {
            Backend::Remote(remote) => {
                remote.embed_all(inputs, self.dimensions, attempts, callbacks, on_failure)
            }
            Backend::Local(model) => embed_locally(model, inputs, attempts, callbacks, on_failure),
            Backend::None => match inputs.first() {
                Some(input) => Err(InnerError::UserProvided(input.text().into_owned()).into()),
                None => Ok(Vec::new()),
            },
        }
    }

    pub(crate) fn embed_one(
        &self,
        input: &Input,
        attempts: &Attempts<'_>,
    ) -> Result<Vec<f32>, EmbedError> {
        let vectors = match &self.backend {
            Backend::Remote(remote) => {
                let inputs = std::slice::from_ref(input);
                remote.embed(inputs, Some(self.dimensions), attempts)?
            }
            Backend::Local(model) => model.embed(&[&input.text()], attempts)?,
            Backend::None => return Err(InnerError::UserProvided(input.text().into_owned()).into()),
        };
        let found = vectors.len();
        vectors.into_iter().next().ok_or(InnerError::WrongCount { expected: 1, found }.into())
    }
}

/// Embeds texts with a local model, in chunks, to report progress.
fn embed_locally(
    model: &local::Model,
    inputs: &[Input],
    attempts: &Attempts<'_>,
    callbacks: &EmbedCallbacks<'_>,
    on_failure: Option<OnFailure<'_>>,
) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
    const CHUNK: usize = 256;
    let attempts = &attempts.with_callbacks(callbacks);
    let mut vectors = Vec::with_capacity(inputs.len());
    for chunk in inputs.chunks(CHUNK) {
        let texts: Vec<_> = chunk.iter().map(Input::text).collect();
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        vectors.extend(or_none(model.embed(&texts, attempts), chunk.len(), on_failure)?);
        (callbacks.on_progress)(chunk.len());
    }
    Ok(vectors)
}

fn prompt(prompt: &Prompt) -> Result<DocumentPrompt, EmbedError> {
    let template = DocumentTemplate::parse(&prompt.template).map_err(InnerError::Template)?;
    Ok(DocumentPrompt::Template { template, max_bytes: NonZeroUsize::new(prompt.max_bytes) })
}

fn rest_prompt(rest: &Rest) -> Result<DocumentPrompt, EmbedError> {
    if rest.indexing_fragments.is_empty() {
        return prompt(&rest.prompt);
    }
    Ok(DocumentPrompt::Fragments(fragments(rest.indexing_fragments.iter(), "indexingFragments")?))
}

fn fragments<'f>(
    fragments: impl Iterator<Item = (&'f String, &'f Value)>,
    setting: &str,
) -> Result<Vec<(String, Fragment)>, EmbedError> {
    let parse = |(name, value): (&String, &Value)| {
        let fragment = Fragment::parse(value, &format!("{setting}.{name}.value"));
        Ok((name.clone(), fragment.map_err(InnerError::Template)?))
    };
    fragments.map(parse).collect()
}
