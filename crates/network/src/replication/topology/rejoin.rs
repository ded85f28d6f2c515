//! An instance that rejoins: what it still has of the network's indexes is replaced by their
//! current state. Documents that members send win over local ones. Of the others, those that this
//! instance owns are kept if they may be the only copy; the rest is deleted.
//!
//! Each index is written anew and replaces the old one in one transaction, so that neither old
//! settings nor numbers assigned in isolation survive.

use std::sync::Arc;

use index::{Index, Snapshot, Writer};
use model::timestamp;
use roaring::RoaringBitmap;
use segment::DocId;
use tasks::{PayloadId, RunError};
use transfer::failure::index_failure;
use transfer::{WholeDocument, for_each_document};

use crate::placement::LeftBehind;
use crate::replication::topology::TopologyChangeRun;
use crate::replication::topology::import;
use crate::replication::topology::wire::{Definition, Line};

impl TopologyChangeRun<'_> {
    /// Returns what is here of the network, if this instance rejoins it.
    pub(super) fn left_behind(&self) -> Option<Arc<LeftBehind>> {
        let placements = &self.context.replication.members.placements;
        placements.left_behind().filter(|_| self.change.is_newcomer(&self.own))
    }
}

/// Returns the index of this name, if it was left behind and has not been replaced yet.
pub(super) fn old_index(
    run: &TopologyChangeRun<'_>,
    left: Option<&Arc<LeftBehind>>,
    uid: &str,
) -> Result<Option<Arc<Index>>, RunError> {
    let indexes = run.context.indexes;
    let is_left = |left: &&Arc<LeftBehind>| indexes.id(uid).is_some_and(|id| left.has(uid, id));
    match left.filter(is_left) {
        Some(_) => Ok(indexes.find(uid)?),
        None => Ok(None),
    }
}

/// Writes the index anew from received and kept documents, replacing the old one.
pub(super) fn replace(
    run: &TopologyChangeRun<'_>,
    uid: &str,
    old: &Snapshot,
    may_keep: bool,
    payloads: &[PayloadId],
    taken: &dyn Fn(),
) -> Result<(), RunError> {
    let (id, index) = run.context.indexes.create_unnamed()?;
    let mut writer = index.writer().map_err(index_failure)?;
    let mut defined: Option<Definition> = None;
    let mut used = RoaringBitmap::new();
    import::for_each_line(run, payloads, |line| match line {
        Line::Definition(definition) => {
            if defined.is_none() {
                import::define(&mut writer, &definition);
                defined = Some(definition);
            }
            Ok(())
        }
        Line::Document(document) => {
            taken();
            used.insert(document.number);
            import::put(&mut writer, document)
        }
        Line::Rule(_) => Ok(()),
    })?;
    if let Some(definition) = defined {
        let (kept, gone) = sorted_out(run, &writer, old, may_keep)?;
        tracing::info!(index = uid, kept = kept.len(), gone, "documents from before it left");
        keep(run, &mut writer, old, &definition, &kept, used)?;
    }
    writer.commit(&[], timestamp::now()).map_err(index_failure)?;
    run.context.replication.queue.transact(run.context.indexes.replacement(uid, id))?;
    run.context.indexes.schedule_merge(&index);
    Ok(())
}

/// Returns the local documents to keep, and how many are dropped.
fn sorted_out(
    run: &TopologyChangeRun<'_>,
    writer: &Writer<'_>,
    old: &Snapshot,
    may_keep: bool,
) -> Result<(RoaringBitmap, u64), RunError> {
    let placement = run.placement(true);
    // Under another key the documents would have other ids.
    let may_keep = may_keep && old.primary_key() == writer.primary_key();
    let (mut kept, mut gone) = (RoaringBitmap::new(), 0);
    let mut failure = None;
    for segment in old.segments() {
        let each = |id: &str, number| {
            if segment.deleted().contains(number) {
                return;
            }
            match writer.contains(id) {
                Ok(true) => {}
                Ok(false) if may_keep && placement.owns(id) => {
                    kept.insert(number);
                }
                Ok(false) => gone += 1,
                Err(error) => failure = Some(error),
            }
        };
        segment.documents().for_each_id(each).map_err(index_failure)?;
    }
    match failure {
        Some(error) => Err(index_failure(error).into()),
        None => Ok((kept, gone)),
    }
}

/// Writes kept documents. They keep their numbers, unless the network has given these to others, or
/// has not reached them: such documents get free numbers.
fn keep(
    run: &TopologyChangeRun<'_>,
    writer: &mut Writer<'_>,
    old: &Snapshot,
    definition: &Definition,
    kept: &RoaringBitmap,
    used: RoaringBitmap,
) -> Result<(), RunError> {
    let mut fitting = kept - &used;
    if let Ok(next) = DocId::try_from(definition.next_doc_id) {
        fitting.remove_range(next..);
    }
    let others = kept - &fitting;
    let taken = used | &fitting;
    let mut free = (0..=DocId::MAX).filter(|number| !taken.contains(*number));
    let mut put = |number: DocId, place: Option<DocId>, json: &str| -> Result<(), RunError> {
        run.check_not_superseded()?;
        let mut document = WholeDocument::of(old, number, json)?;
        document.number = place.unwrap_or(number);
        document.vectors.retain(|name, _| {
            let options = old.embedder(name).map(|embedder| *embedder.store().options());
            options.as_ref() == definition.embedders.get(name)
        });
        import::put(writer, document)
    };
    for_each_document(old, &fitting, |number, json| put(number, None, json))?;
    for_each_document(old, &others, |number, json| put(number, free.next(), json))
}

/// Removes indexes that the network no longer has, unless they may have the only copy of something.
pub(super) fn drop_rest(run: &TopologyChangeRun<'_>, left: &LeftBehind) -> Result<(), RunError> {
    let indexes = run.context.indexes;
    let mut removed = Vec::new();
    for (uid, id) in indexes.all() {
        if !left.has(&uid, id) {
            continue;
        }
        let Some(index) = indexes.find(&uid)? else { continue };
        if left.may_have_the_only_copy(&uid, &index.snapshot()) {
            tracing::warn!(index = uid, "the network has no index of this name; it stays here");
        } else {
            removed.push(uid);
        }
    }
    run.remove_indexes(removed)
}

impl TopologyChangeRun<'_> {
    pub(super) fn remove_indexes(&self, uids: Vec<String>) -> Result<(), RunError> {
        match uids.is_empty() {
            true => Ok(()),
            false => {
                let removal = self.context.indexes.removal(uids);
                Ok(self.context.replication.queue.transact(removal)?)
            }
        }
    }
}
