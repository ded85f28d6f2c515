//! One addition of a batch. Its payload is read twice: to be checked and to be written.

use std::collections::HashSet;

use document::{Document, Format, PrimaryKey};
use index::{DocId, Writer};
use model::{Cancel, Code, ServiceError};
use network::Placement;
use settings::{GEO_FIELD, GEOJSON_FIELD, Settings};
use tasks::{Content, Details, Method, PayloadBytes, PayloadStore, RunError, Task, TaskOutcome};

use crate::common::batch_error::BatchError;
use crate::common::failure::index_failure;
use crate::indexes::register_fields;
use crate::models::embedding::{DocumentCheck, VectorWriter};

/// Documents of a payload between two checks for cancellation.
pub(super) const DOCUMENTS_BETWEEN_CHECKS: usize = 1024;

pub(super) struct Addition<'t> {
    payload: PayloadBytes,
    format: Format,
    method: Method,
    given_key: Option<&'t str>,
    documents: u64,
    skip_creation: bool,
}

impl<'t> Addition<'t> {
    pub fn open(payloads: &PayloadStore, task: &'t Task) -> Result<Self, ServiceError> {
        let Content::DocumentAdditionOrUpdate {
            primary_key,
            method,
            format,
            payload,
            documents,
            skip_creation,
            ..
        } = &task.content
        else {
            return Err(ServiceError::internal("an addition holds the content of other work"));
        };
        Ok(Self {
            payload: payloads.open_payload(payload)?,
            format: *format,
            method: *method,
            given_key: primary_key.as_deref(),
            documents: *documents,
            skip_creation: *skip_creation,
        })
    }

    /// Returns the key for ids: that of the index, else the one given, else one inferred from the
    /// first document. None without any of these.
    pub fn primary_key(&self, of_index: Option<&str>) -> Result<Option<PrimaryKey>, ServiceError> {
        match (of_index, self.given_key) {
            (Some(current), Some(given)) if current != given && self.documents > 0 => {
                Err(ServiceError::new(
                    Code::IndexPrimaryKeyAlreadyExists,
                    format!("Index already has a primary key: `{current}`."),
                ))
            }
            (Some(key), _) | (None, Some(key)) => Ok(Some(PrimaryKey::new(key))),
            (None, None) if self.documents == 0 => Ok(None),
            (None, None) => self.infer_primary_key().map(Some),
        }
    }

    /// Returns whether the request names the key.
    pub fn names_key(&self) -> bool {
        self.given_key.is_some()
    }

    fn infer_primary_key(&self) -> Result<PrimaryKey, ServiceError> {
        let mut inferred = None;
        let ended: Result<(), BatchError> =
            document::for_each(self.format, &self.payload, |first| {
                inferred = Some(PrimaryKey::infer(&first));
                Err(RunError::Stopped.into())
            });
        match (inferred, ended) {
            (Some(result), _) => result.map_err(ServiceError::from),
            (None, Err(BatchError(RunError::Failed(error)))) => Err(error),
            (None, _) => Err(ServiceError::internal("the payload holds no document")),
        }
    }

    /// Checks every document without writing, and returns the number of distinct ids stored here.
    pub fn check_documents(
        &self,
        primary_key: &PrimaryKey,
        settings: &Settings,
        writer: &Writer<'_>,
        placement: &Placement,
        mut vectors: DocumentCheck<'_>,
        cancel: &Cancel,
    ) -> Result<Result<u64, ServiceError>, RunError> {
        let mut ids = HashSet::new();
        let checked = self.for_each(cancel, |document| {
            document::check_field_count(document)?;
            let id = primary_key.id_of(document)?;
            check_place(settings, &id, document)?;
            let is_stored_here = placement.owns(&id);
            // Another member may store the document.
            let is_known = || match is_stored_here {
                true => writer.contains(&id).map_err(index_failure),
                false => Ok(true),
            };
            vectors.document(&id, document, is_known).map_err(BatchError::from)?;
            if is_stored_here {
                ids.insert(id.into_boxed_str());
            }
            Ok(())
        });
        match checked {
            Ok(()) => Ok(vectors.finish().map(|()| ids.len() as u64)),
            Err(RunError::Failed(error)) => Ok(Err(error)),
            Err(RunError::Stopped) => Err(RunError::Stopped),
        }
    }

    /// Writes the documents stored here. `first_number` is the number of the payload's first
    /// document where members share numbers.
    pub fn write(
        &self,
        primary_key: &PrimaryKey,
        writer: &mut Writer<'_>,
        placement: &Placement,
        first_number: Option<DocId>,
        vectors: &mut VectorWriter<'_>,
        cancel: &Cancel,
    ) -> Result<(), RunError> {
        let mut next_number = first_number;
        self.for_each(cancel, |document| {
            let failed = |error| BatchError::from(index_failure(error));
            let id = primary_key.id_of(document)?;
            let number = next_number;
            next_number = number.and_then(|number| number.checked_add(1));
            if !placement.owns(&id) {
                return match self.skip_creation {
                    true => Ok(()),
                    false => register_fields(writer, document).map_err(BatchError::from),
                };
            }
            if let Some(number) = number {
                writer.reserve_number(&id, number);
            }
            let is_update = self.method == Method::Update;
            let older = match is_update || vectors.needs_older() {
                true => writer.get(&id).map_err(failed)?,
                false => None,
            };
            if older.is_none() && self.skip_creation && !writer.contains(&id).map_err(failed)? {
                return Ok(());
            }
            let older = older.as_deref();
            match older.filter(|_| is_update) {
                None => {
                    vectors.write(writer, &id, document, document, older)?;
                }
                Some(before) => {
                    let before = Document::parse(before)?;
                    let merged = document.merge_into(&before);
                    vectors.write(writer, &id, &merged, document, older)?;
                }
            }
            Ok(())
        })
    }

    fn for_each(
        &self,
        cancel: &Cancel,
        mut each: impl FnMut(&Document<'_>) -> Result<(), BatchError>,
    ) -> Result<(), RunError> {
        let mut seen = 0;
        let read: Result<(), BatchError> =
            document::for_each(self.format, &self.payload, |document| {
                if seen % DOCUMENTS_BETWEEN_CHECKS == 0 && cancel.is_cancelled() {
                    return Err(RunError::Stopped.into());
                }
                seen += 1;
                each(&document)
            });
        // Checked before any result is reported or committed.
        self.payload.check_map().map_err(ServiceError::from)?;
        Ok(read?)
    }

    pub fn succeeded(&self, distinct: u64) -> TaskOutcome {
        TaskOutcome::Succeeded(Details::DocumentAdditionOrUpdate {
            received_documents: self.documents,
            indexed_documents: Some(distinct),
        })
    }
}

/// Checks the geo fields. Updates replace them as a whole, so a document can be checked before it
/// is merged.
fn check_place(settings: &Settings, id: &str, document: &Document<'_>) -> Result<(), BatchError> {
    index::check_geo(settings, id, document.get(GEO_FIELD), document.get(GEOJSON_FIELD))
        .map_err(|error| index_failure(error).into())
}
