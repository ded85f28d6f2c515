//! Lists the indexes with their basic properties.

use auth::Access;
use model::ServiceError;
use time::OffsetDateTime;

use super::catalog::Indexes;

/// Basic properties of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexInfo {
    pub uid: String,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    pub primary_key: Option<String>,
}

/// A page of the indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexList {
    pub results: Vec<IndexInfo>,
    /// Indexes of the page that cannot be read.
    pub damaged: Vec<String>,
    /// Number of all indexes, including damaged ones.
    pub total: usize,
}

impl Indexes {
    /// Lists the indexes that the caller may see, in byte order of their names.
    pub fn list(
        &self,
        access: &Access,
        offset: usize,
        limit: usize,
    ) -> Result<IndexList, ServiceError> {
        let registry = &self.registry;
        let (names, total) = if access.is_to_all_indexes() {
            (registry.page(offset, limit), registry.len())
        } else {
            let mut seen = registry.all();
            seen.retain(|(uid, _)| access.is_to_index(uid));
            let total = seen.len();
            (seen.into_iter().skip(offset).take(limit).collect(), total)
        };
        let (mut results, mut damaged) = (Vec::new(), Vec::new());
        for (uid, _) in names {
            match self.find(&uid) {
                Ok(Some(index)) => results.push(index_info(uid, &index.snapshot())),
                // Deleted since it was listed.
                Ok(None) => {}
                Err(failure) => {
                    self.damage.skip_damaged(&uid, failure)?;
                    damaged.push(uid);
                }
            }
        }
        Ok(IndexList { results, damaged, total })
    }

    pub fn info(&self, uid: &str) -> Result<IndexInfo, ServiceError> {
        let snapshot = self.index(uid)?.snapshot();
        Ok(index_info(uid.to_owned(), &snapshot))
    }
}

fn index_info(uid: String, snapshot: &index::Snapshot) -> IndexInfo {
    IndexInfo {
        uid,
        created_at: snapshot.created_at(),
        updated_at: snapshot.updated_at(),
        primary_key: snapshot.primary_key().map(str::to_owned),
    }
}
