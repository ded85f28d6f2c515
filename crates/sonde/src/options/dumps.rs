//! Options for the dump folder and the dump to start from.

use std::path::PathBuf;

use engine::Import;

use super::config::OptionReader;
use super::error::OptionError;
use super::table;

impl OptionReader<'_> {
    pub(super) fn dump_folder(&self) -> Result<PathBuf, OptionError> {
        self.path(&table::DUMP_DIR)
    }

    pub(super) fn import_dump(&self) -> Result<Option<Import>, OptionError> {
        let ignore_missing = self.flag(&table::IGNORE_MISSING_DUMP)?;
        let ignore_if_db_exists = self.flag(&table::IGNORE_DUMP_IF_DB_EXISTS)?;
        let file = self.path_if_given(&table::IMPORT_DUMP)?;
        Ok(file.map(|file| Import { file, ignore_missing, ignore_if_db_exists }))
    }
}
