//! Sends documents to their new owners: a thread per member, index by index, in parts that fit a
//! request.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{DocId, Snapshot};
use model::ServiceError;
use roaring::RoaringBitmap;
use tasks::{RULES_INDEX_UID, RunError, Step};
use transfer::{WholeDocument, for_each_document};

use crate::replication::member::Stage;
use crate::replication::request::Request;
use crate::replication::topology::TopologyChangeRun;
use crate::replication::topology::moves::Moves;
use crate::replication::topology::wire::{Definition, Line};

/// Bytes of a part after which the next one begins.
const PART_BYTES: usize = 8 << 20;

/// Data of one index for a member.
struct IndexExport {
    uid: String,
    /// None for the search rules, which are no index.
    snapshot: Option<Arc<Snapshot>>,
    documents: RoaringBitmap,
}

/// Sends the documents and returns their number.
pub(super) fn send(
    run: &TopologyChangeRun<'_>,
    moves: &Moves<'_>,
    step: &Step,
) -> Result<u64, RunError> {
    let mut exports: BTreeMap<&str, Vec<IndexExport>> = run
        .change
        .members()
        .filter(|member| *member != run.own)
        .map(|member| (member, Vec::new()))
        .collect();
    let mut moved = 0;
    for (uid, _) in run.context.indexes.all() {
        run.check_not_superseded()?;
        let Some(index) = run.context.indexes.find(&uid)? else { continue };
        let snapshot = index.snapshot();
        let mut by_member = moves.of_index(&snapshot).map_err(|error| error.in_index(&uid))?;
        let all = by_member.values().fold(RoaringBitmap::new(), |all, some| all | some);
        moved += all.len();
        for (member, exports) in &mut exports {
            let documents = by_member.remove(member).unwrap_or_default();
            if !documents.is_empty() || run.informs(member) {
                let (uid, snapshot) = (uid.clone(), Some(Arc::clone(&snapshot)));
                exports.push(IndexExport { uid, snapshot, documents });
            }
        }
    }
    if !run.context.indexes.rules()?.is_empty() {
        for (member, exports) in &mut exports {
            if run.informs(member) {
                let (uid, documents) = (RULES_INDEX_UID.to_owned(), RoaringBitmap::new());
                exports.push(IndexExport { uid, snapshot: None, documents });
            }
        }
    }
    let total: u64 = exports.values().flatten().map(|export| export.documents.len()).sum();
    step.set_total(total as u32);
    std::thread::scope(|scope| {
        let sending: Vec<_> = exports
            .iter()
            .map(|(member, exports)| scope.spawn(|| send_to(run, member, exports, step)))
            .collect();
        sending.into_iter().try_for_each(|sent| {
            sent.join().unwrap_or_else(|_| {
                Err(ServiceError::internal("sending documents panicked").into())
            })
        })
    })?;
    Ok(moved)
}

impl TopologyChangeRun<'_> {
    /// Returns whether this member sends the other more than documents.
    fn informs(&self, member: &str) -> bool {
        self.change.leader.as_ref() == Some(&self.own) && self.change.is_newcomer(member)
    }
}

fn send_to(
    run: &TopologyChangeRun<'_>,
    member: &str,
    exports: &[IndexExport],
    step: &Step,
) -> Result<(), RunError> {
    if exports.is_empty() {
        return run.report_stage(member, Stage::NothingToSend);
    }
    for export in exports {
        let mut upload = PartUpload {
            run,
            member,
            export,
            index_count: exports.len(),
            body: Vec::new(),
            documents: 0,
            sent: 0,
            step,
        };
        upload.fill()?;
        if !upload.body.is_empty() {
            upload.send()?;
        }
    }
    Ok(())
}

/// The part of an index being filled for a member.
struct PartUpload<'p> {
    run: &'p TopologyChangeRun<'p>,
    member: &'p str,
    export: &'p IndexExport,
    index_count: usize,
    body: Vec<u8>,
    documents: u64,
    /// Number of parts sent before.
    sent: u64,
    step: &'p Step,
}

impl PartUpload<'_> {
    fn fill(&mut self) -> Result<(), RunError> {
        let Some(snapshot) = self.export.snapshot.clone() else {
            let rules = self.run.context.indexes.rules()?;
            return rules.into_iter().try_for_each(|rule| self.put(&Line::Rule(rule)));
        };
        self.put(&Line::Definition(definition(&snapshot)))?;
        for_each_document(&snapshot, &self.export.documents, |number, json| {
            self.put_document(&snapshot, number, json)
        })
    }

    fn put_document(
        &mut self,
        snapshot: &Snapshot,
        number: DocId,
        json: &str,
    ) -> Result<(), RunError> {
        self.put(&Line::Document(WholeDocument::of(snapshot, number, json)?))?;
        self.documents += 1;
        if self.body.len() >= PART_BYTES {
            self.send()?;
        }
        Ok(())
    }

    fn put(&mut self, line: &Line<'_>) -> Result<(), RunError> {
        serde_json::to_writer(&mut self.body, line).map_err(ServiceError::internal)?;
        self.body.push(b'\n');
        Ok(())
    }

    fn send(&mut self) -> Result<(), RunError> {
        let body = std::mem::take(&mut self.body);
        let documents = std::mem::take(&mut self.documents);
        // The index is a header: not all that is sent this way belongs to one.
        let request = Request::lines("/indexes/moved/documents".to_owned(), body);
        let (count, documents_text) = (self.index_count.to_string(), documents.to_string());
        let (total, key) = (self.export.documents.len().to_string(), self.sent.to_string());
        let headers = [
            ("Import-Remote", self.run.own.as_str()),
            ("Import-Index", self.export.uid.as_str()),
            ("Import-Index-Count", count.as_str()),
            ("Import-Docs", documents_text.as_str()),
            ("Import-Total-Index-Docs", total.as_str()),
            ("Import-Task-Key", key.as_str()),
        ];
        self.run.send(self.member, &request, &headers)?;
        self.sent += 1;
        self.step.add(documents as u32);
        Ok(())
    }
}

fn definition(snapshot: &Snapshot) -> Definition {
    let options =
        snapshot.embedders().map(|(name, vectors)| (name.to_owned(), *vectors.store().options()));
    Definition {
        primary_key: snapshot.primary_key().map(str::to_owned),
        leads_with_key: snapshot.leads_with_key(),
        settings: snapshot.settings().clone(),
        fields: snapshot.field_names().map(str::to_owned).collect(),
        next_doc_id: snapshot.next_doc_id(),
        embedders: options.collect(),
    }
}
