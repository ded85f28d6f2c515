//! Creates a dump: takes the view, then writes the archive, named by the time it was begun.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dump::DumpWriter;
use model::Cancel;
use model::timestamp;
use tasks::{Batch, Details, Progress, Queue, RunError, TaskOutcome};
use time::macros::format_description;
use time::{Duration, OffsetDateTime};

use super::dump_failure;
use super::view::DumpView;
use super::writing::ContentsWriter;
use crate::chats::ChatStore;
use crate::common::failure::io_failure;
use crate::indexes::catalog::Indexes;
use crate::keys::KeyStore;
use crate::webhooks::WebhookStore;

/// Creates dumps. Clones share everything.
#[derive(Debug, Clone)]
pub(crate) struct DumpMaker {
    pub indexes: Arc<Indexes>,
    pub queue: Queue,
    pub keys: Arc<KeyStore>,
    pub webhooks: Arc<WebhookStore>,
    pub chats: Arc<ChatStore>,
    /// Folder for dumps.
    pub folder: PathBuf,
}

impl DumpMaker {
    /// Creates the dump and returns the details of its task.
    pub fn make(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Details, RunError> {
        let failed = |error| io_failure("the folder of dumps cannot be made", &error);
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let (uid, path, date) = free_name(&self.folder, timestamp::now());
        let mut view = DumpView::take(self, cancel)?;
        let details = Details::DumpCreation { dump_uid: Some(uid) };
        view.end_batch(batch, TaskOutcome::Succeeded(details.clone()))?;

        let modified = u64::try_from(date.unix_timestamp()).unwrap_or(0);
        let mut writer =
            DumpWriter::create(&path, modified).map_err(|error| dump_failure(&error))?;
        ContentsWriter { writer: &mut writer, progress, cancel }.write(&view, date)?;
        cancel.check()?;
        let bytes = writer.finish().map_err(|error| dump_failure(&error))?;
        tracing::info!(bytes, "the dump {} is complete", path.display());
        Ok(details)
    }
}

/// Returns a name such as `20220621-161029217` and its time, for which there is no dump yet.
fn free_name(folder: &Path, mut date: OffsetDateTime) -> (String, PathBuf, OffsetDateTime) {
    let form = format_description!(
        "[year repr:full][month repr:numerical][day padding:zero]-[hour padding:zero][minute padding:zero][second padding:zero][subsecond digits:3]"
    );
    loop {
        // Numbers of a fixed width can always be formatted.
        let uid = date.format(form).unwrap_or_default();
        let path = folder.join(format!("{uid}.dump"));
        if !path.exists() {
            return (uid, path, date);
        }
        date += Duration::MILLISECOND;
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn dumps_are_named_by_their_dates_and_none_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let date = datetime!(2022-06-21 16:10:29.217_9 UTC);
        let (uid, path, _) = free_name(folder.path(), date);
        assert_eq!(uid, "20220621-161029217");
        fs::write(&path, "").unwrap();
        let (uid, next, _) = free_name(folder.path(), date);
        assert_eq!((uid.as_str(), next == path), ("20220621-161029218", false));
    }
}
