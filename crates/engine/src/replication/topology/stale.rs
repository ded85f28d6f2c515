//! Deleting what belongs elsewhere now, once all members have what they own.

use model::timestamp;
use roaring::RoaringBitmap;
use tasks::RunError;

use crate::common::failure::index_failure;
use crate::replication::topology::Course;

pub(super) fn delete(course: &Course<'_>) -> Result<(), RunError> {
    let placement = course.placement(true);
    let all = course.run.work.instance().registry.all();
    let step = course.run.progress.enter("deleting documents that moved", all.len() as u32);
    for (uid, _) in all {
        course.run.stop.check()?;
        step.add(1);
        let Some(index) = course.run.work.instance().find(&uid)? else { continue };
        let snapshot = index.snapshot();
        let failed = |error| RunError::Failed(index_failure(&error).in_index(&uid));
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
        // The receipt of the batch before stays: a crash must find it.
        writer.commit(snapshot.receipt(), timestamp::now()).map_err(failed)?;
        course.run.work.consider(&index);
    }
    Ok(())
}
