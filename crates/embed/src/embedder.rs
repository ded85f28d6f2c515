//! An embedder as an index uses it: what of a document is embedded, and its vectors.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use outbound::Client;
use serde_json::{Map, Value};
use settings::{Distribution, Rest, Source};
use template::{Fields, RenderError};

use crate::cache::Cache;
use crate::composite;
use crate::error::{EmbedError, Problem};
use crate::input::{Input, Inputs, QueryInput};
use crate::options::Options;
use crate::part::Part;
use crate::remote::Attempts;
use crate::watch::Watch;

pub struct Embedder {
    name: String,
    indexing: Arc<Part>,
    /// The same as for documents, unless the embedder is composite.
    search: Arc<Part>,
    distribution: Option<Distribution>,
    binary_quantized: bool,
    cache: Cache,
    options: Options,
}

impl Embedder {
    /// With `known_dimensions`, those found when the embedder was set, no call is made. Without
    /// them, dimensions are learnt where the settings do not say, and the two sides of a composite
    /// embedder are compared.
    pub fn new(
        name: &str,
        settings: &settings::Embedder,
        client: &Client,
        known_dimensions: Option<usize>,
        options: &Options,
    ) -> Result<Self, EmbedError> {
        let attempts = attempts(options, None);
        Self::made(name, settings, client, known_dimensions, options, &attempts)
    }

    /// The same for somebody who follows it. It ends early with an error that says so once
    /// `should_stop` says yes; the calls that it makes are counted.
    pub fn new_watched(
        name: &str,
        settings: &settings::Embedder,
        client: &Client,
        known_dimensions: Option<usize>,
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Self, EmbedError> {
        let attempts = attempts(options, None).watched(watch);
        Self::made(name, settings, client, known_dimensions, options, &attempts)
    }

    fn made(
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
        let part = |source: &Source| Part::new(source, client, known_dimensions, options, attempts);
        let (search, indexing) = match &settings.source {
            Source::Composite { search, indexing } => {
                (Arc::new(part(search)?), Arc::new(part(indexing)?))
            }
            source => {
                let part = Arc::new(part(source)?);
                (Arc::clone(&part), part)
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

    /// How similarities are spread out: as the settings say, or as is known of the model.
    pub fn distribution(&self) -> Option<Distribution> {
        self.distribution
    }

    pub fn is_binary_quantized(&self) -> bool {
        self.binary_quantized
    }

    /// Whether documents must bring their vectors.
    pub fn is_user_provided(&self) -> bool {
        self.indexing.is_user_provided()
    }

    /// Whether the vector of a query comes from somewhere else, which takes time and no processor.
    pub fn asks_a_provider(&self) -> bool {
        self.search.is_remote()
    }

    /// What of a document is embedded. Fragments that it has nothing for are left out; a template
    /// must render.
    pub fn inputs_of(
        &self,
        document: &Map<String, Value>,
        fields: &dyn Fields,
    ) -> Result<Inputs, RenderError> {
        self.indexing.inputs_of(document, fields)
    }

    /// One vector for each input, in their order.
    pub fn embed_documents(
        &self,
        inputs: &[Input],
        watch: &Watch<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let attempts = attempts(&self.options, None);
        let vectors = self.indexing.embed_all(inputs, &attempts, watch, None)?;
        Ok(vectors.into_iter().flatten().collect())
    }

    /// The same; what cannot be embedded has no vector, and `on_failure` is told why. It fails
    /// only if it is stopped.
    pub fn embed_what_can_be(
        &self,
        inputs: &[Input],
        watch: &Watch<'_>,
        on_failure: &(dyn Fn(&EmbedError) + Sync),
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        self.indexing.embed_all(inputs, &attempts(&self.options, None), watch, Some(on_failure))
    }

    /// The vector of a query, from memory if it was asked for lately.
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
        let vector = self.search.embed_one(&input, &attempts(&self.options, Some(deadline)))?;
        self.cache.put(key, &vector);
        Ok(vector)
    }
}

/// Settings hold keys.
impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedder")
            .field("name", &self.name)
            .field("dimensions", &self.dimensions())
            .finish_non_exhaustive()
    }
}

/// What is embedded for documents must be comparable with what is embedded for queries.
fn check_fragments(rest: &Rest) -> Result<(), Problem> {
    let (indexing, search) = (&rest.indexing_fragments, &rest.search_fragments);
    match (indexing.is_empty(), search.is_empty()) {
        (false, true) => {
            let names = indexing.sorted_names().into_iter().map(str::to_owned);
            Err(Problem::NoSearchFragments(names.collect()))
        }
        (true, false) => Err(Problem::NoIndexingFragments(search.keys().cloned().collect())),
        _ => Ok(()),
    }
}

fn attempts<'a>(options: &Options, deadline: Option<Instant>) -> Attempts<'a> {
    Attempts {
        timeout: options.timeout,
        max_delay: options.max_retry_delay,
        deadline,
        should_stop: &|| false,
        requests: None,
    }
}
