//! Lists indexes, their fields and statistics, and renders templates on their documents.

use auth::Access;
use model::ServiceError;

use super::Engine;
use crate::common::page::Page;
use crate::indexes::fields::{Field, FieldFilter, fields_of};
use crate::indexes::list::{IndexInfo, IndexList};
use crate::indexes::stats::{IndexStats, InstanceStats};
use crate::models::render::RenderIndex;

impl Engine {
    /// Lists the indexes that the caller may see, in byte order of their names.
    pub fn indexes(
        &self,
        access: &Access,
        offset: usize,
        limit: usize,
    ) -> Result<IndexList, ServiceError> {
        self.indexes.list(access, offset, limit)
    }

    /// Returns whether the index exists. Reads the registry only.
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

    /// Returns a page of the fields that documents have or had, in byte order of their names.
    pub fn fields(
        &self,
        uid: &str,
        filter: &FieldFilter,
        window: (usize, usize),
    ) -> Result<Page<Field>, ServiceError> {
        Ok(fields_of(&self.indexes.index(uid)?.snapshot(), filter, window))
    }

    /// Returns an index that templates or documents are taken from.
    pub fn render_index(&self, uid: &str) -> Result<RenderIndex, ServiceError> {
        Ok(RenderIndex::new(uid, self.indexes.index(uid)?.snapshot()))
    }
}
