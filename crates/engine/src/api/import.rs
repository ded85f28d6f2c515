//! Creates an instance from a dump before it is opened.

use super::EngineOptions;
use crate::backup::dumps::{self, ImportOptions};
use crate::common::error::OpenError;
use crate::storage::import::Import;

/// Fills the data folder from a dump if an import is due. Returns whether it was.
pub fn import_dump(import: &Import, options: &EngineOptions) -> Result<bool, OpenError> {
    let import_options = ImportOptions {
        max_indexing_memory: options.max_indexing_memory,
        rule_limits: options.rule_limits,
        address_policy: options.address_policy.clone(),
        embedders: options.embedders.clone(),
    };
    dumps::import_dump(import, &options.db_path, &import_options)
}
