//! Sending documents to those who get them: for each member on a thread of its own, index by index,
//! in parts that fit a request.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{DocId, Snapshot};
use model::ServiceError;
use roaring::RoaringBitmap;
use segment::SegmentError;
use tasks::{RULES_INDEX_UID, RunError, Step};

use crate::common::failure::index_failure;
use crate::indexes::whole_document::WholeDocument;
use crate::replication::member::Stage;
use crate::replication::request::Request;
use crate::replication::topology::Course;
use crate::replication::topology::moves::Moves;
use crate::replication::topology::wire::{Definition, Line};

/// Bytes of a part, from which on the next one begins.
const PART_BYTES: usize = 8 << 20;

/// What a member gets of an index.
struct Share {
    uid: String,
    /// None for what is no index: the search rules.
    snapshot: Option<Arc<Snapshot>>,
    documents: RoaringBitmap,
}

/// Gives how many documents this member sent.
pub(super) fn send(course: &Course<'_>, moves: &Moves<'_>, step: &Step) -> Result<u64, RunError> {
    let mut shares: BTreeMap<&str, Vec<Share>> = course
        .change
        .members()
        .filter(|member| *member != course.own)
        .map(|member| (member, Vec::new()))
        .collect();
    let mut moved = 0;
    for (uid, _) in course.run.work.instance().registry.all() {
        course.check_wanted()?;
        let Some(index) = course.run.work.instance().find(&uid)? else { continue };
        let snapshot = index.snapshot();
        let mut by_member = moves.of_index(&snapshot).map_err(|error| error.in_index(&uid))?;
        let all = by_member.values().fold(RoaringBitmap::new(), |all, some| all | some);
        moved += all.len();
        for (member, shares) in &mut shares {
            let documents = by_member.remove(member).unwrap_or_default();
            if !documents.is_empty() || course.informs(member) {
                let (uid, snapshot) = (uid.clone(), Some(Arc::clone(&snapshot)));
                shares.push(Share { uid, snapshot, documents });
            }
        }
    }
    if course.run.work.instance().rules.book().iter().next().is_some() {
        for (member, shares) in &mut shares {
            if course.informs(member) {
                let (uid, documents) = (RULES_INDEX_UID.to_owned(), RoaringBitmap::new());
                shares.push(Share { uid, snapshot: None, documents });
            }
        }
    }
    let total: u64 = shares.values().flatten().map(|share| share.documents.len()).sum();
    step.set_total(total as u32);
    std::thread::scope(|scope| {
        let sending: Vec<_> = shares
            .iter()
            .map(|(member, shares)| scope.spawn(|| send_to(course, member, shares, step)))
            .collect();
        sending.into_iter().try_for_each(|sent| {
            sent.join().unwrap_or_else(|_| {
                Err(ServiceError::internal("sending documents panicked").into())
            })
        })
    })?;
    Ok(moved)
}

impl Course<'_> {
    /// Whether this member tells the other what there is besides documents.
    fn informs(&self, member: &str) -> bool {
        self.change.leader.as_ref() == Some(&self.own) && self.change.is_newcomer(member)
    }
}

fn send_to(
    course: &Course<'_>,
    member: &str,
    shares: &[Share],
    step: &Step,
) -> Result<(), RunError> {
    if shares.is_empty() {
        return course.tell(member, Stage::NothingToSend);
    }
    for share in shares {
        let mut parcel = Parcel {
            course,
            member,
            share,
            index_count: shares.len(),
            body: Vec::new(),
            documents: 0,
            sent: 0,
            step,
        };
        parcel.fill()?;
        if !parcel.body.is_empty() {
            parcel.post()?;
        }
    }
    Ok(())
}

/// The part of an index that is being filled for a member.
struct Parcel<'p> {
    course: &'p Course<'p>,
    member: &'p str,
    share: &'p Share,
    index_count: usize,
    body: Vec<u8>,
    documents: u64,
    /// Parts before this one.
    sent: u64,
    step: &'p Step,
}

/// What stops the reading of documents.
struct Ended(RunError);

impl From<SegmentError> for Ended {
    fn from(error: SegmentError) -> Self {
        Ended(RunError::Failed(index_failure(&error.into())))
    }
}

impl Parcel<'_> {
    fn fill(&mut self) -> Result<(), RunError> {
        let Some(snapshot) = self.share.snapshot.clone() else {
            let rules: Vec<_> = self.rules()?;
            return rules.into_iter().try_for_each(|rule| self.put(&Line::Rule(rule)));
        };
        self.put(&Line::Definition(definition(&snapshot)))?;
        let read: Result<(), Ended> = snapshot
            .for_each_document(&self.share.documents, |number, json| {
                self.put_document(&snapshot, number, json).map_err(Ended)
            });
        read.map_err(|Ended(error)| error)
    }

    fn rules(&self) -> Result<Vec<serde_json::Value>, RunError> {
        let book = self.course.run.work.instance().rules.book();
        let rules = book.iter().map(serde_json::to_value);
        Ok(rules.collect::<Result<_, _>>().map_err(ServiceError::internal)?)
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
            self.post()?;
        }
        Ok(())
    }

    fn put(&mut self, line: &Line<'_>) -> Result<(), RunError> {
        serde_json::to_writer(&mut self.body, line).map_err(ServiceError::internal)?;
        self.body.push(b'\n');
        Ok(())
    }

    fn post(&mut self) -> Result<(), RunError> {
        let body = std::mem::take(&mut self.body);
        let documents = std::mem::take(&mut self.documents);
        // The index stands in a header: not everything that is sent so is one.
        let request = Request::lines("/indexes/moved/documents".to_owned(), body);
        let (count, documents_text) = (self.index_count.to_string(), documents.to_string());
        let (total, key) = (self.share.documents.len().to_string(), self.sent.to_string());
        let headers = [
            ("Import-Remote", self.course.own.as_str()),
            ("Import-Index", self.share.uid.as_str()),
            ("Import-Index-Count", count.as_str()),
            ("Import-Docs", documents_text.as_str()),
            ("Import-Total-Index-Docs", total.as_str()),
            ("Import-Task-Key", key.as_str()),
        ];
        self.course.send(self.member, &request, &headers)?;
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
