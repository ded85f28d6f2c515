//! Indexes, their fields and figures, and what templates make of their documents.

use auth::Access;
use model::ServiceError;

use super::Engine;
use crate::common::page::Page;
use crate::indexes::fields::{Field, FieldFilter, fields_of};
use crate::indexes::list::{IndexInfo, IndexList};
use crate::indexes::stats::{IndexStats, InstanceStats};
use crate::models::render::RenderIndex;

impl Engine {
    /// The indexes that may be seen, in byte order of their names.
    pub fn indexes(
        &self,
        access: &Access,
        offset: usize,
        limit: usize,
    ) -> Result<IndexList, ServiceError> {
        self.indexes.list(access, offset, limit)
    }

    /// Whether there is such an index now. Looks at nothing but names.
    pub fn has_index(&self, uid: &str) -> bool {
        self.indexes.registry.id(uid).is_some()
    }

    pub fn index(&self, uid: &str) -> Result<IndexInfo, ServiceError> {
        self.indexes.info(uid)
    }

    pub fn index_stats(&self, uid: &str) -> Result<IndexStats, ServiceError> {
        self.indexes.index_stats(uid, &self.queue)
    }

    pub fn stats(&self) -> Result<InstanceStats, ServiceError> {
        self.indexes.stats(&self.queue)
    }

    /// A page of the fields that documents have, or had, in byte order of their names.
    pub fn fields(
        &self,
        uid: &str,
        filter: &FieldFilter,
        window: (usize, usize),
    ) -> Result<Page<Field>, ServiceError> {
        Ok(fields_of(&self.indexes.index(uid)?.snapshot(), filter, window))
    }

    /// An index that templates or documents are taken from.
    pub fn render_index(&self, uid: &str) -> Result<RenderIndex, ServiceError> {
        Ok(RenderIndex::new(uid, self.indexes.index(uid)?.snapshot()))
    }
}
