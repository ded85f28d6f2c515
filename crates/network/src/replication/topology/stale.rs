//! Deletes documents that belong elsewhere, once all members have what they own.

use model::timestamp;
use roaring::RoaringBitmap;
use tasks::RunError;
use transfer::failure::index_failure;

use crate::replication::topology::TopologyChangeRun;

pub(super) fn delete(run: &TopologyChangeRun<'_>) -> Result<(), RunError> {
    let placement = run.placement(true);
    let all = run.context.indexes.all();
    let step = run.context.progress.enter("deleting documents that moved", all.len() as u32);
    for (uid, _) in all {
        run.context.cancel.check()?;
        step.add(1);
        let Some(index) = run.context.indexes.find(&uid)? else { continue };
        let snapshot = index.snapshot();
        let failed = |error| RunError::Failed(index_failure(error).in_index(&uid));
        let mut stale = RoaringBitmap::new();
        for segment in snapshot.segments() {
            let each = |id: &str, doc_id| {
                if !placement.owns(id) && !segment.deleted().contains(doc_id) {
                    stale.insert(doc_id);
                }
            };
            segment.documents().for_each_id(each).map_err(|error| failed(error.into()))?;
        }
        if stale.is_empty() {
            continue;
        }
        let mut writer = index.writer().map_err(failed)?;
        writer.delete_doc_ids(&stale).map_err(failed)?;
        // The receipt of the last batch is kept: a restart after a crash must find it.
        writer.commit(snapshot.receipt(), timestamp::now()).map_err(failed)?;
        run.context.indexes.schedule_merge(&index);
    }
    Ok(())
}
