//! Updates the vectors of all documents after a change of embedders. Every document is read once,
//! whatever changes: vectors under the name of a new embedder are taken from it, given ones of a
//! removed embedder are put back into it, and others are regenerated where the settings require it.

use std::collections::BTreeMap;
use std::sync::Arc;

use document::{Document, DocumentVectors, GivenVectors, PrimaryKey, VECTORS_FIELD};
use embed::Embedder;
use index::{DocId, EmbedderVectors, IndexError, Snapshot, Writer};
use model::{Cancel, ServiceError};
use roaring::RoaringBitmap;
use settings::{EmbedderWork, Settings, Source, embedder_work};
use tasks::{Progress, RunError, RunStats};
use vectors::{Metric, StoreOptions};

use super::EmbedderPool;
use super::decision::{Decision, decide};
use super::generation::{Generation, check_given};
use super::inputs::InputRenderer;
use super::known::KnownVectors;
use super::missing::MissingVectors;
use crate::common::batch_error::BatchError;
use crate::common::failure::index_failure;
use crate::indexes::put_document;

pub(crate) struct EmbeddersChange<'b> {
    snapshot: &'b Snapshot,
    rendering: InputRenderer<'b>,
    rendering_before: InputRenderer<'b>,
    changes: BTreeMap<&'b str, Change<'b>>,
    generation: Generation<'b>,
}

/// Change of one embedder.
enum Change<'b> {
    Added {
        embedder: Arc<Embedder>,
        missing: MissingVectors,
    },
    Removed {
        vectors: &'b EmbedderVectors,
    },
    /// All vectors are regenerated, except those given by the user.
    Embedded {
        vectors: &'b EmbedderVectors,
        embedder: Arc<Embedder>,
        missing: MissingVectors,
    },
    /// Inputs of documents may have changed; the vectors of the others may be stored with less
    /// precision.
    Rendered {
        before: Arc<Embedder>,
        vectors: &'b EmbedderVectors,
        embedder: Arc<Embedder>,
        is_quantised: bool,
    },
    /// Vectors are stored with less precision.
    Quantised {
        vectors: &'b EmbedderVectors,
    },
}

impl<'b> EmbeddersChange<'b> {
    /// Creates new embedders, which shows whether they work.
    pub fn new(
        snapshot: &'b Snapshot,
        after: &'b Settings,
        pool: &EmbedderPool,
        progress: &'b Progress,
        cancel: &'b Cancel,
    ) -> Result<Self, RunError> {
        let settings_before = snapshot.typed_settings();
        let before = &settings_before.embedders;
        let generation = Generation::new(progress, cancel, pool.options());
        let made = |name: &str, settings: &settings::Embedder, known: Option<usize>| {
            generation.embedder(pool, name, settings, known)
        };
        // Templates can use the searchable attributes.
        let other_fields = settings_before.searchable_attributes != after.searchable_attributes;
        let asks_for_fields = |settings: &settings::Embedder| {
            settings.source.document_template().is_some_and(|text| text.contains("is_searchable"))
        };
        let mut changes = BTreeMap::new();
        for (name, settings) in &after.embedders {
            let known = snapshot.embedder(name);
            let (Some(vectors), Some(earlier)) = (known, before.get(name)) else {
                let embedder = made(name, settings, None)?;
                let missing = MissingVectors::default();
                changes.insert(name.as_str(), Change::Added { embedder, missing });
                continue;
            };
            let dimensions = vectors.store().options().dimensions;
            let mut work = embedder_work(earlier, settings);
            if other_fields && asks_for_fields(settings) {
                work = work.max(EmbedderWork::Render);
            }
            // The stored dimensions were the provider's; now others are requested.
            if settings.source.dimensions().is_some_and(|asked| asked != dimensions) {
                work = EmbedderWork::Embed;
            }
            let dimensions = Some(dimensions);
            // Creation shows whether the embedder works, and whether the two of a composite one
            // still agree, also where no vector is touched.
            if work != EmbedderWork::Embed && earlier.source != settings.source {
                let is_composite = matches!(settings.source, Source::Composite { .. });
                let embedder = made(name, settings, dimensions.filter(|_| !is_composite))?;
                if Some(embedder.dimensions()) != dimensions {
                    work = EmbedderWork::Embed;
                }
            }
            let change = match work {
                EmbedderWork::Nothing => continue,
                EmbedderWork::Quantise => Change::Quantised { vectors },
                EmbedderWork::Render => Change::Rendered {
                    before: made(name, earlier, dimensions)?,
                    vectors,
                    embedder: made(name, settings, dimensions)?,
                    is_quantised: settings.binary_quantized && !earlier.binary_quantized,
                },
                EmbedderWork::Embed => Change::Embedded {
                    vectors,
                    embedder: made(name, settings, None)?,
                    missing: MissingVectors::default(),
                },
            };
            changes.insert(name.as_str(), change);
        }
        for (name, vectors) in snapshot.embedders() {
            if !after.embedders.contains_key(name) {
                changes.insert(name, Change::Removed { vectors });
            }
        }
        let ignore_failures = pool.options().failure_modes.ignore_document_template_failures;
        let rendering = InputRenderer { settings: after, ignore_failures };
        let rendering_before = InputRenderer { settings: settings_before, ignore_failures };
        Ok(Self { snapshot, rendering, rendering_before, changes, generation })
    }

    /// Changes the vectors of all documents, unless these are deleted anyway; returns statistics of
    /// provider requests, here and before.
    pub fn apply(
        mut self,
        writer: &mut Writer<'_>,
        with_documents: bool,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<RunStats, RunError> {
        if self.changes.is_empty() {
            return Ok(self.generation.stats());
        }
        self.prepare(writer);
        let affected = if with_documents { self.affected() } else { RoaringBitmap::new() };
        let total = u32::try_from(affected.len()).unwrap_or(u32::MAX);
        let step = progress.enter("changing the vectors of documents", total);
        let primary_key = self.snapshot.primary_key().map(PrimaryKey::new);
        if let Some(primary_key) = primary_key {
            let snapshot = self.snapshot;
            let changed: Result<(), BatchError> =
                snapshot.for_each_document(&affected, |doc_id, json| {
                    cancel.check()?;
                    step.add(1);
                    Ok(self.document(writer, &primary_key, doc_id, json)?)
                });
            changed?;
        }
        for (name, change) in &self.changes {
            if let Change::Added { missing, .. } | Change::Embedded { missing, .. } = change {
                missing.check(name)?;
            }
        }
        self.generation.flush(writer)?;
        Ok(self.generation.stats())
    }

    /// Prepares the stores of the changed embedders.
    fn prepare(&self, writer: &mut Writer<'_>) {
        for (name, change) in &self.changes {
            match change {
                Change::Added { embedder, .. } | Change::Embedded { embedder, .. } => {
                    writer.reset_embedder(name, options(embedder));
                }
                Change::Quantised { vectors }
                | Change::Rendered { vectors, is_quantised: true, .. } => {
                    let dimensions = vectors.store().options().dimensions;
                    let options = StoreOptions { dimensions, metric: Metric::Hamming };
                    writer.reset_embedder(name, options);
                }
                Change::Removed { .. } => writer.remove_embedder(name),
                Change::Rendered { is_quantised: false, .. } => {}
            }
        }
    }

    /// Returns the documents to read.
    fn affected(&self) -> RoaringBitmap {
        let mut affected = RoaringBitmap::new();
        for change in self.changes.values() {
            match change {
                Change::Removed { vectors } => affected |= vectors.given(),
                _ => return self.snapshot.live().clone(),
            }
        }
        affected
    }

    fn document(
        &mut self,
        writer: &mut Writer<'_>,
        primary_key: &PrimaryKey,
        doc_id: DocId,
        json: &str,
    ) -> Result<(), RunError> {
        let document = Document::parse(json).map_err(ServiceError::from)?;
        let id = primary_key.id_of(&document).map_err(ServiceError::from)?;
        let mut data = match document.get(VECTORS_FIELD) {
            Some(data) => DocumentVectors::parse(data, &id).map_err(ServiceError::from)?,
            None => DocumentVectors::default(),
        };
        let before = data.to_json();
        let mut taken = BTreeMap::new();
        for (name, change) in &self.changes {
            match change {
                Change::Added { .. } => drop(taken.insert(*name, data.take(name))),
                Change::Removed { vectors } if vectors.given().contains(doc_id) => {
                    let kept = vectors.store().vectors_of(doc_id);
                    let kept = kept.map_err(index_failure)?;
                    data.put_back(name, vectors.origin_of(doc_id).regenerate, &kept);
                }
                _ => {}
            }
        }
        let after = data.to_json();
        let stored = match before == after {
            true => document,
            false => {
                let field = (!data.is_empty()).then_some(after.as_str());
                document.with_field(VECTORS_FIELD, field)
            }
        };
        if before != after {
            put_document(writer, &id, &stored)?;
        }
        self.vectors(writer, doc_id, &id, &stored, taken, &data)?;
        if self.generation.is_full() {
            self.generation.flush(writer)?;
        }
        Ok(())
    }

    fn vectors(
        &mut self,
        writer: &mut Writer<'_>,
        doc_id: DocId,
        id: &str,
        document: &Document<'_>,
        mut taken: BTreeMap<&'b str, Option<GivenVectors>>,
        data: &DocumentVectors,
    ) -> Result<(), RunError> {
        let failed = |error: IndexError| RunError::Failed(index_failure(error));
        let json = &document.to_json();
        let (rendering, rendering_before) = (self.rendering, self.rendering_before);
        let inputs = |embedder: &Embedder| rendering.inputs(embedder, id, json);
        for (name, change) in &mut self.changes {
            let (embedder, missing) = match change {
                Change::Removed { .. } => continue,
                Change::Quantised { vectors } => {
                    copy_vectors(vectors, writer, doc_id, name).map_err(failed)?;
                    continue;
                }
                Change::Rendered { before, vectors, embedder, is_quantised } => {
                    if *is_quantised {
                        copy_vectors(vectors, writer, doc_id, name).map_err(failed)?;
                    }
                    if !vectors.origin_of(doc_id).regenerate {
                        continue;
                    }
                    let now = inputs(embedder)?;
                    // A template that did not fit produced no input.
                    let then = rendering_before.inputs(before, id, json).ok();
                    if then.as_ref() != Some(&now) {
                        let known = KnownVectors::of(vectors, doc_id, then)?;
                        self.generation.add(embedder, doc_id, id, now, known);
                    }
                    continue;
                }
                Change::Embedded { vectors, embedder, missing } => {
                    let is_given = vectors.given().contains(doc_id);
                    let stays =
                        embedder.is_user_provided() || !vectors.origin_of(doc_id).regenerate;
                    if is_given && stays {
                        let kept = vectors.store().vectors_of(doc_id);
                        let kept = kept.map_err(|error| failed(error.into()))?;
                        check_given(id, name, &kept, embedder.dimensions())?;
                        let origin = vectors.origin_of(doc_id);
                        writer.set_vectors(doc_id, name, &kept, origin).map_err(failed)?;
                        continue;
                    }
                    (embedder, missing)
                }
                Change::Added { embedder, missing } => {
                    let given = taken.remove(name).flatten();
                    if let Decision::Set(vectors, origin) = decide(given, None) {
                        check_given(id, name, &vectors, embedder.dimensions())?;
                        writer.set_vectors(doc_id, name, &vectors, origin).map_err(failed)?;
                        continue;
                    }
                    (embedder, missing)
                }
            };
            if embedder.is_user_provided() {
                missing.add(id, name, data.names(), document);
            } else {
                let known = KnownVectors::default();
                self.generation.add(embedder, doc_id, id, inputs(embedder)?, known);
            }
        }
        Ok(())
    }
}

/// Copies the vectors of a document, with their origin and fragments.
fn copy_vectors(
    from: &EmbedderVectors,
    writer: &mut Writer<'_>,
    doc_id: DocId,
    name: &str,
) -> index::Result<()> {
    let vectors = from.store().vectors_of(doc_id)?;
    writer.set_vectors(doc_id, name, &vectors, from.origin_of(doc_id))?;
    let fragments = from.fragments().filter(|(_, documents)| documents.contains(doc_id));
    let fragments: Vec<&str> = fragments.map(|(fragment, _)| fragment).collect();
    writer.set_fragments(doc_id, name, &fragments)
}

fn options(embedder: &Embedder) -> StoreOptions {
    let metric = if embedder.is_binary_quantized() { Metric::Hamming } else { Metric::Cosine };
    StoreOptions { dimensions: embedder.dimensions(), metric }
}
