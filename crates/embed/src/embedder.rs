//! An embedder as an index uses it: selects the inputs of a document and embeds them.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use model::Cancel;
use outbound::Client;
use serde_json::{Map, Value};
use settings::{Distribution, Rest, Source};
use template::{Fields, RenderError};

use crate::cache::Cache;
use crate::callbacks::EmbedCallbacks;
use crate::composite;
use crate::error::{EmbedError, InnerError};
use crate::input::{Input, Inputs, QueryInput};
use crate::options::Options;
use crate::remote::Attempts;
use crate::vector_source::VectorSource;

pub struct Embedder {
    name: String,
    indexing: Arc<VectorSource>,
    /// The source for queries; the same as for documents unless the embedder is composite.
    search: Arc<VectorSource>,
    distribution: Option<Distribution>,
    binary_quantized: bool,
    cache: Cache,
    options: Options,
}

impl Embedder {
    /// Creates an embedder. With `known_dimensions`, found when the embedder was set, no call is
    /// made. Without them, dimensions missing in the settings are measured, and the two sides of a
    /// composite embedder are compared.
    pub fn new(
        name: &str,
        settings: &settings::Embedder,
        client: &Client,
        known_dimensions: Option<usize>,
        options: &Options,
    ) -> Result<Self, EmbedError> {
        let cancel = Cancel::default();
        let attempts = attempts(options, None, &cancel);
        Self::build(name, settings, client, known_dimensions, options, &attempts)
    }

    /// Like `new`, with callbacks. Ends early with a stop error once cancelled;
    /// its calls are counted.
    pub fn new_with_callbacks(
        name: &str,
        settings: &settings::Embedder,
        client: &Client,
        known_dimensions: Option<usize>,
        options: &Options,
        callbacks: &EmbedCallbacks<'_>,
    ) -> Result<Self, EmbedError> {
        let attempts = attempts(options, None, callbacks.cancel).with_callbacks(callbacks);
        Self::build(name, settings, client, known_dimensions, options, &attempts)
    }

    fn build(
        name: &str,
        settings: &settings::Embedder,
        client: &Client,
        known_dimensions: Option<usize>,
        options: &Options,
        attempts: &Attempts<'_>,
    ) -> Result<Self, EmbedError> {
        if let Source::Rest(rest) = &settings.source {
            check_fragments(rest)?;
        }
        let open = |source: &Source| {
            VectorSource::new(source, client, known_dimensions, options, attempts).map(Arc::new)
        };
        let (search, indexing) = match &settings.source {
            Source::Composite { search, indexing } => (open(search)?, open(indexing)?),
            source => {
                let both = open(source)?;
                (Arc::clone(&both), both)
            }
        };
        if !Arc::ptr_eq(&search, &indexing) {
            composite::check_dimensions(&search, &indexing)?;
            if known_dimensions.is_none() && !search.has_fragments() && !indexing.has_fragments() {
                composite::check_agreement(&search, &indexing, attempts)?;
            }
        }
        Ok(Self {
            name: name.to_owned(),
            indexing,
            search,
            distribution: settings.distribution(),
            binary_quantized: settings.binary_quantized,
            cache: Cache::new(options.cached_queries),
            options: options.clone(),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn dimensions(&self) -> usize {
        self.indexing.dimensions
    }

    /// Returns the distribution of similarities, from the settings or known of the model.
    pub fn distribution(&self) -> Option<Distribution> {
        self.distribution
    }

    pub fn is_binary_quantized(&self) -> bool {
        self.binary_quantized
    }

    /// Returns whether documents must bring their vectors.
    pub fn is_user_provided(&self) -> bool {
        self.indexing.is_user_provided()
    }

    /// Returns whether query vectors come from a provider, which takes time and no processor.
    pub fn asks_a_provider(&self) -> bool {
        self.search.is_remote()
    }

    /// Returns the inputs of a document. Fragments without content are left out; a template must
    /// render.
    pub fn inputs_of(
        &self,
        document: &Map<String, Value>,
        fields: &dyn Fields,
    ) -> Result<Inputs, RenderError> {
        self.indexing.inputs_of(document, fields)
    }

    /// Returns one vector for each input, in their order.
    pub fn embed_documents(
        &self,
        inputs: &[Input],
        callbacks: &EmbedCallbacks<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let attempts = attempts(&self.options, None, callbacks.cancel);
        let vectors = self.indexing.embed_all(inputs, &attempts, callbacks, None)?;
        Ok(vectors.into_iter().flatten().collect())
    }

    /// Like `embed_documents`, but an input that fails has no vector and is reported to
    /// `on_failure`. Fails only if it is stopped.
    pub fn embed_documents_lossy(
        &self,
        inputs: &[Input],
        callbacks: &EmbedCallbacks<'_>,
        on_failure: &(dyn Fn(&EmbedError) + Sync),
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        let attempts = attempts(&self.options, None, callbacks.cancel);
        self.indexing.embed_all(inputs, &attempts, callbacks, Some(on_failure))
    }

    /// Returns the vector of a query, cached if it was asked for lately.
    pub fn embed_query(
        &self,
        query: QueryInput<'_>,
        deadline: Instant,
    ) -> Result<Vec<f32>, EmbedError> {
        let input = self.search.query_input(query)?;
        let key = input.text().into_owned();
        if let Some(vector) = self.cache.get(&key) {
            return Ok(vector);
        }
        let cancel = Cancel::default();
        let attempts = attempts(&self.options, Some(deadline), &cancel);
        let vector = self.search.embed_one(&input, &attempts)?;
        self.cache.put(key, &vector);
        Ok(vector)
    }
}

/// Hides the settings, which hold keys.
impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedder")
            .field("name", &self.name)
            .field("dimensions", &self.dimensions())
            .finish_non_exhaustive()
    }
}

/// Checks that vectors of documents and queries are comparable.
fn check_fragments(rest: &Rest) -> Result<(), InnerError> {
    let (indexing, search) = (&rest.indexing_fragments, &rest.search_fragments);
    match (indexing.is_empty(), search.is_empty()) {
        (false, true) => {
            let names = indexing.sorted_names().into_iter().map(str::to_owned);
            Err(InnerError::NoSearchFragments(names.collect()))
        }
        (true, false) => Err(InnerError::NoIndexingFragments(search.keys().cloned().collect())),
        _ => Ok(()),
    }
}

fn attempts<'a>(options: &Options, deadline: Option<Instant>, cancel: &'a Cancel) -> Attempts<'a> {
    Attempts {
        timeout: options.timeout,
        max_delay: options.max_retry_delay,
        deadline,
        cancel,
        requests: None,
    }
}
