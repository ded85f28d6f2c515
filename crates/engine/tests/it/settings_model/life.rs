//! A sequence of operations on an index, run step by step, beside a plain model of the documents
//! and settings that must result.

use std::collections::BTreeMap;
use std::fmt;

use model::IndexUid;
use serde_json::{Map, Value, json};
use settings::Change;
use tasks::{Content, Method, Status, Task};
use testkit::Random;

use crate::settings_model::changes::{first_change, lay_over, random_change};
use crate::settings_model::documents::{IDS, random_document};
use crate::support::Instance;

#[derive(Debug, Clone)]
pub enum Step {
    Do(Work),
    /// Without waiting for it, so that what comes next may join its batch.
    Begin(Work),
    /// Tasks that wait until all of them are there, across two restarts.
    Together(Vec<Work>),
    Restart,
    /// Holds it against a fresh index before it goes on.
    Compare,
}

#[derive(Clone)]
pub enum Work {
    Replace(Vec<Value>),
    Update(Vec<Value>),
    Delete(Vec<u64>),
    Clear,
    Settings(Value),
    Compact,
}

/// As JSON, which can be sent again.
impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replace(documents) => write!(f, "replace {}", json!(documents)),
            Self::Update(documents) => write!(f, "update {}", json!(documents)),
            Self::Delete(ids) => write!(f, "delete {ids:?}"),
            Self::Clear => write!(f, "clear"),
            Self::Settings(change) => write!(f, "settings {change}"),
            Self::Compact => write!(f, "compact"),
        }
    }
}

/// Documents that must exist at the end.
#[derive(Debug, Default)]
pub struct ExpectedState {
    pub documents: BTreeMap<u64, Map<String, Value>>,
    pub settings: Map<String, Value>,
}

pub fn random_life(random: &mut Random) -> Vec<Step> {
    let mut steps = vec![Step::Do(Work::Replace(random_documents(random, 20, 40)))];
    if random.percent(90) {
        steps.push(Step::Do(Work::Settings(first_change(random))));
    }
    for _ in 0..random.between(6, 16) {
        steps.push(match random.below(20) {
            0..9 => Step::Do(random_work(random)),
            9..14 => Step::Begin(random_work(random)),
            14..16 => {
                let works = (0..random.between(2, 5)).map(|_| random_work(random));
                Step::Together(works.collect())
            }
            16 | 17 => Step::Restart,
            _ => Step::Compare,
        });
    }
    steps
}

fn random_work(random: &mut Random) -> Work {
    match random.below(20) {
        0..10 => Work::Settings(random_change(random)),
        10..14 => Work::Replace(random_documents(random, 1, 6)),
        14..17 => Work::Update(random_documents(random, 1, 5)),
        17 => Work::Delete(
            (0..random.between(1, 5)).map(|_| random.below(IDS as usize) as u64).collect(),
        ),
        18 if random.percent(10) => Work::Clear,
        _ => Work::Compact,
    }
}

fn random_documents(random: &mut Random, least: usize, most: usize) -> Vec<Value> {
    (0..random.between(least, most)).map(|_| random_document(random)).collect()
}

impl Work {
    pub fn enqueue(&self, instance: &Instance, uid: &str) -> Task {
        let index_uid = uid.to_owned();
        match self {
            Self::Replace(documents) => {
                instance.add(uid, Method::Replace, &json!(documents).to_string())
            }
            Self::Update(documents) => {
                instance.add(uid, Method::Update, &json!(documents).to_string())
            }
            Self::Delete(ids) => {
                let ids = ids.iter().map(u64::to_string).collect();
                instance.enqueue(Content::DocumentDeletion { index_uid, ids })
            }
            Self::Clear => instance.enqueue(Content::DocumentClear { index_uid }),
            Self::Settings(change) => {
                let change = Change::of_many(change.clone()).expect("a good body");
                let uid = IndexUid::new(uid).expect("a good name");
                instance.engine().change_settings(uid, change, true, None).expect("it is enqueued")
            }
            Self::Compact => instance.enqueue(Content::IndexCompaction { index_uid }),
        }
    }

    fn enter(&self, account: &mut ExpectedState) {
        let documents = &mut account.documents;
        let id_of = |document: &Value| document["id"].as_u64().expect("an id");
        match self {
            Self::Replace(new) => {
                for document in new {
                    let fields = document.as_object().expect("an object").clone();
                    documents.insert(id_of(document), fields);
                }
            }
            Self::Update(new) => {
                for document in new {
                    let fields = document.as_object().expect("an object").clone();
                    documents.entry(id_of(document)).or_default().extend(fields);
                }
            }
            Self::Delete(ids) => documents.retain(|id, _| !ids.contains(id)),
            Self::Clear => documents.clear(),
            Self::Settings(change) => lay_over(&mut account.settings, change),
            Self::Compact => {}
        }
    }
}

/// An index that lives through steps.
pub struct IndexRun<'i> {
    pub instance: &'i mut Instance,
    pub uid: &'static str,
    pub account: ExpectedState,
    /// Tasks not yet waited for.
    begun: Vec<Task>,
}

impl<'i> IndexRun<'i> {
    pub fn new(instance: &'i mut Instance, uid: &'static str) -> Self {
        Self { instance, uid, account: ExpectedState::default(), begun: Vec::new() }
    }

    pub fn take(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Do(work) => {
                self.begin(work);
                self.wait()?;
            }
            Step::Begin(work) => self.begin(work),
            Step::Together(works) => {
                works.iter().for_each(|work| work.enter(&mut self.account));
                let uid = self.uid;
                let enqueue = |instance: &Instance| -> Vec<Task> {
                    works.iter().map(|work| work.enqueue(instance, uid)).collect()
                };
                let tasks = self.instance.together(enqueue);
                tasks.iter().try_for_each(has_succeeded)?;
            }
            Step::Restart => self.instance.restart(),
            Step::Compare => self.wait()?,
        }
        Ok(())
    }

    fn begin(&mut self, work: &Work) {
        work.enter(&mut self.account);
        self.begun.push(work.enqueue(self.instance, self.uid));
    }

    /// Until everything that was begun has been done.
    pub fn wait(&mut self) -> Result<(), String> {
        let begun = std::mem::take(&mut self.begun);
        begun.iter().try_for_each(|task| has_succeeded(&self.instance.wait(task)))
    }
}

pub fn has_succeeded(task: &Task) -> Result<(), String> {
    match task.status {
        Status::Succeeded => Ok(()),
        _ => Err(format!("task {} did not succeed: {:?}", task.uid, task.error)),
    }
}
