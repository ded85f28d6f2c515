//! Statistics per index and of the whole instance.

use std::collections::BTreeMap;

use model::ServiceError;
use roaring::RoaringBitmap;
use tasks::Queue;
use time::OffsetDateTime;

use super::catalog::Indexes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStats {
    pub number_of_documents: u64,
    /// Bytes of the stored documents on disk.
    pub raw_document_bytes: u64,
    pub average_document_bytes: u64,
    pub is_indexing: bool,
    /// Bytes by component of the index.
    pub internal_sizes: BTreeMap<String, u64>,
    pub number_of_embeddings: u64,
    pub number_of_embedded_documents: u64,
    /// Top-level field → documents that have it.
    pub field_distribution: BTreeMap<String, u64>,
    pub updated_at: OffsetDateTime,
    pub bytes: u64,
    pub used_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceStats {
    pub database_size: u64,
    pub used_database_size: u64,
    pub last_update: Option<OffsetDateTime>,
    pub indexes: BTreeMap<String, IndexStats>,
    /// Indexes that cannot be read.
    pub damaged: Vec<String>,
}

impl Indexes {
    pub fn index_stats(&self, uid: &str, queue: &Queue) -> Result<IndexStats, ServiceError> {
        let snapshot = self.index(uid)?.snapshot();
        let sizes = snapshot.sizes();
        let documents = snapshot.number_of_documents();
        let (mut embeddings, mut embedded) = (0, RoaringBitmap::new());
        for (_, embedder) in snapshot.embedders() {
            embeddings += embedder.store().number_of_vectors();
            embedded |= embedder.store().documents();
        }
        Ok(IndexStats {
            number_of_documents: documents,
            raw_document_bytes: sizes.documents_stored,
            average_document_bytes: sizes.documents_raw.checked_div(documents).unwrap_or(0),
            is_indexing: queue.is_processing(uid),
            internal_sizes: BTreeMap::from([("documents".to_owned(), sizes.documents_stored)]),
            number_of_embeddings: embeddings,
            number_of_embedded_documents: embedded.len(),
            field_distribution: snapshot.field_distribution(),
            updated_at: snapshot.updated_at(),
            bytes: sizes.total,
            used_bytes: sizes.used,
        })
    }

    pub fn stats(&self, queue: &Queue) -> Result<InstanceStats, ServiceError> {
        let (mut indexes, mut damaged) = (BTreeMap::new(), Vec::new());
        let mut unused = 0;
        for (uid, _) in self.registry.all() {
            match self.index_stats(&uid, queue) {
                Ok(stats) => {
                    unused += stats.bytes.saturating_sub(stats.used_bytes);
                    indexes.insert(uid, stats);
                }
                // Deleted between the two look-ups.
                Err(error) if error.code == model::Code::IndexNotFound => {}
                Err(failure) => {
                    self.damage.skip_damaged(&uid, failure)?;
                    damaged.push(uid);
                }
            }
        }
        let database_size = self.folder.size();
        Ok(InstanceStats {
            database_size,
            used_database_size: database_size.saturating_sub(unused),
            last_update: indexes.values().map(|stats| stats.updated_at).max(),
            indexes,
            damaged,
        })
    }
}
