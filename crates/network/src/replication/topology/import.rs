//! Imports documents that move here: they are stashed until all have arrived, then written to the
//! indexes at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use document::PrimaryKey;
use index::{Index, Writer};
use model::{ServiceError, timestamp};
use tasks::{PayloadId, RULES_INDEX_UID, RunError, StashEntry, Step};
use transfer::WholeDocument;
use transfer::failure::index_failure;

use crate::replication::member::{Stage, StashedPart, notice_key, parts_of};
use crate::replication::topology::TopologyChangeRun;
use crate::replication::topology::rejoin;
use crate::replication::topology::rules;
use crate::replication::topology::wire::{Definition, Line};

/// Waits until every possible sender has sent all its documents.
pub(super) fn await_parts(run: &TopologyChangeRun<'_>, step: &Step) -> Result<(), RunError> {
    let replication = run.context.replication;
    if replication.has_imported(run.change.version)? {
        return Ok(());
    }
    let mut senders = run.change.senders();
    senders.remove(run.own.as_str());
    step.set_total(senders.len() as u32);
    run.await_until(|| {
        let parts = parts(run)?;
        let mut missing = BTreeSet::new();
        for sender in &senders {
            let key = notice_key(run.change.version, Stage::NothingToSend, sender);
            let has_nothing = replication.queue.stashed(&key)?.iter().any(|found| found.key == key);
            let sent = parts.iter().map(|(part, _)| part).filter(|part| part.sender == *sender);
            if !has_nothing && !is_complete(sent) {
                missing.insert(*sender);
            }
        }
        step.set((senders.len() - missing.len()) as u32);
        Ok(missing)
    })
}

/// Returns the parts in the order in which they are imported.
fn parts(run: &TopologyChangeRun<'_>) -> Result<Vec<(StashedPart, PayloadId)>, ServiceError> {
    let mut parts = Vec::new();
    for StashEntry { value, payload, .. } in
        run.context.replication.queue.stashed(&parts_of(run.change.version))?
    {
        let part = serde_json::from_value(value).map_err(ServiceError::internal)?;
        let payload = payload.ok_or_else(|| ServiceError::internal("a part without its body"))?;
        parts.push((part, payload));
    }
    Ok(parts)
}

/// Returns whether these are all parts of one sender.
fn is_complete<'p>(parts: impl Iterator<Item = &'p StashedPart>) -> bool {
    let mut missing: BTreeMap<&str, i128> = BTreeMap::new();
    let mut indexes = None;
    for part in parts {
        indexes = Some(part.index_count);
        let rest =
            missing.entry(&part.index_uid).or_insert_with(|| i128::from(part.total_documents));
        *rest -= i128::from(part.documents);
    }
    indexes == Some(missing.len() as u64) && missing.values().all(|rest| *rest == 0)
}

/// Imports the documents that arrived.
pub(super) fn apply(run: &TopologyChangeRun<'_>) -> Result<(), RunError> {
    let replication = run.context.replication;
    if replication.has_imported(run.change.version)? {
        return Ok(());
    }
    let mut by_index: BTreeMap<String, Vec<PayloadId>> = BTreeMap::new();
    let mut documents = 0;
    for (part, payload) in parts(run)? {
        documents += part.documents;
        by_index.entry(part.index_uid).or_default().push(payload);
    }
    let step = run.context.progress.enter("importing documents", documents as u32);
    rules::replace(run, &by_index.remove(RULES_INDEX_UID).unwrap_or_default())?;
    let left = run.left_behind();
    for (uid, payloads) in by_index {
        if let Some(old) = rejoin::old_index(run, left.as_ref(), &uid)? {
            let old = old.snapshot();
            let may_keep =
                left.as_ref().is_some_and(|left| left.may_have_the_only_copy(&uid, &old));
            rejoin::replace(run, &uid, &old, may_keep, &payloads, &|| step.add(1))
                .map_err(|error| in_index(error, &uid))?;
            continue;
        }
        let index = run.context.indexes.find_or_create(&uid)?;
        take_in(run, &index, &payloads, &|| step.add(1)).map_err(|error| in_index(error, &uid))?;
        run.context.indexes.schedule_merge(&index);
    }
    if let Some(left) = left {
        rejoin::drop_rest(run, &left)?;
    }
    Ok(replication.note_imported(run.change.version)?)
}

fn in_index(error: RunError, uid: &str) -> RunError {
    match error {
        RunError::Failed(error) => RunError::Failed(error.in_index(uid)),
        RunError::Stopped => RunError::Stopped,
    }
}

fn take_in(
    run: &TopologyChangeRun<'_>,
    index: &Arc<Index>,
    payloads: &[PayloadId],
    taken: &dyn Fn(),
) -> Result<(), RunError> {
    let mut writer = index.writer().map_err(index_failure)?;
    let before = index.snapshot();
    let is_new = before.primary_key().is_none() && before.live().is_empty();
    for_each_line(run, payloads, |line| match line {
        Line::Definition(definition) => {
            if is_new {
                define(&mut writer, &definition);
            }
            Ok(())
        }
        Line::Document(document) => {
            taken();
            put(&mut writer, document)
        }
        Line::Rule(_) => Ok(()),
    })?;
    // The receipt of the last batch is kept: a restart after a crash must find it.
    writer.commit(before.receipt(), timestamp::now()).map_err(index_failure)?;
    Ok(())
}

pub(super) fn for_each_line(
    run: &TopologyChangeRun<'_>,
    payloads: &[PayloadId],
    mut each: impl FnMut(Line<'_>) -> Result<(), RunError>,
) -> Result<(), RunError> {
    for payload in payloads {
        run.context.cancel.check()?;
        let body = run.context.replication.queue.payloads().open_payload(payload);
        let body = body.map_err(ServiceError::from)?;
        for line in body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            each(serde_json::from_slice(line).map_err(ServiceError::internal)?)?;
        }
        body.check_map().map_err(ServiceError::from)?;
    }
    Ok(())
}

/// Sets up a new index by its definition on the sender.
pub(super) fn define(writer: &mut Writer<'_>, definition: &Definition) {
    writer.set_primary_key(definition.primary_key.as_deref());
    if definition.leads_with_key {
        writer.lead_with_primary_key();
    }
    writer.set_settings(definition.settings.clone());
    writer.register_fields(definition.fields.iter().map(String::as_str));
    writer.raise_numbers(definition.next_doc_id);
    for (name, options) in &definition.embedders {
        if !writer.has_embedder(name) {
            writer.reset_embedder(name, *options);
        }
    }
}

pub(super) fn put(writer: &mut Writer<'_>, mut moved: WholeDocument<'_>) -> Result<(), RunError> {
    let key = writer.primary_key().map(PrimaryKey::new);
    let key = key.ok_or_else(|| ServiceError::internal("the index has no primary key"))?;
    let (document, id) = moved.read(&key)?;
    writer.raise_numbers(u64::from(moved.number) + 1);
    moved.vectors.retain(|name, _| writer.has_embedder(name));
    Ok(moved.put(writer, &id, &document)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(index: &str, count: u64, documents: u64, total: u64) -> StashedPart {
        StashedPart {
            sender: "a".to_owned(),
            index_uid: index.to_owned(),
            index_count: count,
            documents,
            total_documents: total,
        }
    }

    #[test]
    fn a_sender_is_done_when_every_index_has_all_its_documents() {
        assert!(!is_complete([].iter()));
        assert!(is_complete([part("x", 1, 0, 0)].iter()));
        assert!(!is_complete([part("x", 2, 5, 5)].iter()));
        assert!(!is_complete([part("x", 2, 5, 9), part("y", 2, 1, 1)].iter()));
        assert!(is_complete([part("x", 2, 5, 9), part("y", 2, 1, 1), part("x", 2, 4, 9)].iter()));
    }
}
