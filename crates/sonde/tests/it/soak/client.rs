//! One client with an index of its own: it writes, knows what must come of it, and looks.
//!
//! Nobody else writes to the index, so its tasks are the client's writes in order. When a kill
//! takes an answer away, the newest task of the index tells whether the write was taken.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use testkit::Random;

use super::connection::{AnswerLost, Connection};
use super::model::{Model, as_sent, id_of};
use super::operation::Operation;
use super::searches;
use super::tally::Tally;

/// Writes that are enqueued before the first of them is waited for.
const MOST_AT_ONCE: u64 = 5;
const MOST_LOOKS: u64 = 8;
const PAGE: usize = 1000;

/// The states that the index of a client was in.
#[derive(Debug)]
pub struct History {
    pub index: String,
    pub marks: BTreeSet<u64>,
    pub last: Model,
}

pub struct Client<'a> {
    index: String,
    random: Random,
    connection: Connection,
    tally: &'a Tally,
    /// The index after every write that was taken.
    model: Model,
    /// Writes that were taken and not yet seen to end, each with the state before it.
    pending: Vec<(u64, Operation, Model)>,
    last_task: Option<u64>,
    next_number: u64,
    marks: BTreeSet<u64>,
}

impl<'a> Client<'a> {
    pub fn new(number: u64, seed: u64, server: SocketAddr, tally: &'a Tally) -> Self {
        Self {
            index: format!("soak-{number}"),
            random: Random(seed),
            connection: Connection { server },
            tally,
            model: Model::default(),
            pending: Vec::new(),
            last_task: None,
            next_number: 0,
            marks: BTreeSet::from([Model::default().mark()]),
        }
    }

    pub fn work(&mut self, over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) && !self.tally.has_differences() {
            self.write();
            self.look_meanwhile();
            self.settle();
            for _ in 0..self.random.below(MOST_LOOKS) {
                self.look();
            }
        }
        self.settle();
        if !self.tally.has_differences() {
            self.read_everything();
        }
    }

    pub fn into_history(self) -> History {
        History { index: self.index, marks: self.marks, last: self.model }
    }

    fn write(&mut self) {
        for _ in 0..1 + self.random.below(MOST_AT_ONCE) {
            let operation = Operation::random(&mut self.random, &self.model);
            let number = self.next_number;
            self.next_number += 1;
            Tally::count(&self.tally.writes);
            match operation.send(self.connection, &self.index, number) {
                Ok(answer) => {
                    let summary = answer.json();
                    self.tally.check(answer.status == 202, || {
                        format!("{}: {} is refused: {summary}", self.index, operation.kind())
                    });
                    let Some(uid) = summary["taskUid"].as_u64() else { return };
                    self.take(uid, operation);
                }
                Err(AnswerLost) => {
                    self.find_out(operation, number);
                    return;
                }
            }
        }
    }

    fn take(&mut self, uid: u64, operation: Operation) {
        self.last_task = Some(uid);
        self.pending.push((uid, operation.clone(), self.model.clone()));
        self.model.apply(&operation);
        self.marks.insert(self.model.mark());
    }

    /// Whether a write whose answer was lost has been taken.
    fn find_out(&mut self, operation: Operation, number: u64) {
        Tally::count(&self.tally.lost);
        let path = format!("/tasks?indexUids={}&limit=1", self.index);
        let newest = self.connection.ask("GET", &path, None).json()["results"][0].take();
        let uid = newest["uid"].as_u64().filter(|uid| Some(*uid) > self.last_task);
        let Some(uid) = uid else { return };
        Tally::count(&self.tally.taken);
        let metadata = newest["customMetadata"].as_str().map(str::to_owned);
        let is_ours = newest["type"] == operation.kind()
            && metadata.is_none_or(|metadata| metadata == number.to_string());
        self.tally.check(is_ours, || format!("{}: task of nobody: {newest}", self.index));
        self.take(uid, operation);
    }

    /// Waits for all writes and reads what their tasks tell.
    fn settle(&mut self) {
        let is_swallowing = self.pending.iter().any(|(_, write, _)| write.deletes_everything());
        for (uid, operation, before) in std::mem::take(&mut self.pending) {
            let task = self.connection.finished_task(uid);
            let is_told = task["status"] == "succeeded"
                && task["type"] == operation.kind()
                && task["indexUid"] == *self.index
                && operation.is_told_by(&task, &before, is_swallowing);
            let documents = before.documents.len();
            self.tally.check(is_told, || {
                format!("{}: {} over {documents} documents: {task}", self.index, operation.kind())
            });
        }
    }

    /// While writes are under way, an answer shows one state of those they lead through.
    fn look_meanwhile(&mut self) {
        let query = searches::group(&mut self.random);
        let body = query.body();
        let path = format!("/indexes/{}/search", self.index);
        Tally::count(&self.tally.searches);
        let Ok(answer) = self.connection.send("POST", &path, Some(&body)) else {
            self.connection.wait_until_back();
            return;
        };
        let found = answer.json();
        let states = self.pending.iter().map(|(_, _, before)| before);
        let is_some = states.chain([&self.model]).any(|state| match answer.status {
            200 => state.exists && query.is_answered(state, &found),
            404 => !state.exists,
            // It is made before its first settings are.
            400 => !state.exists && found["code"] == "invalid_search_filter",
            _ => false,
        });
        self.tally.check(is_some, || format!("{}: {body} amid writes: {found}", self.index));
    }

    /// One search or read when nothing is under way.
    fn look(&mut self) {
        if !self.model.exists {
            let answer = self.connection.ask("GET", &format!("/indexes/{}", self.index), None);
            self.tally.check(answer.status == 404, || format!("{} is there", self.index));
            return;
        }
        match self.random.below(12) {
            0 => self.read_one(),
            1 => self.read_figures(),
            2 => self.read_facet_values(),
            _ => {
                let search = searches::random(&mut self.random, &self.model);
                Tally::count(&self.tally.searches);
                let path = format!("/indexes/{}/search", self.index);
                let answer = self.connection.ask("POST", &path, Some(&search.body()));
                search.check(&self.model, &answer, &self.index, self.tally);
            }
        }
    }

    fn read_one(&mut self) {
        Tally::count(&self.tally.reads);
        let id = super::documents::id(&mut self.random);
        let path = format!("/indexes/{}/documents/{id}?retrieveVectors=true", self.index);
        let answer = self.connection.ask("GET", &path, None);
        let found = answer.json();
        let mark = |document: Value| {
            Model { documents: [(id, document)].into(), ..Model::default() }.mark()
        };
        let is_right = match self.model.documents.get(&id) {
            Some(expected) => {
                answer.status == 200 && mark(as_sent(found.clone())) == mark(expected.clone())
            }
            None => answer.status == 404 && found["code"] == "document_not_found",
        };
        self.tally.check(is_right, || format!("{}: document {id} is {found}", self.index));
    }

    fn read_figures(&self) {
        Tally::count(&self.tally.reads);
        let path = format!("/indexes/{}/stats", self.index);
        let figures = self.connection.ask("GET", &path, None).json();
        let documents = self.model.documents.values();
        let embedded = documents.filter(|document| super::model::vector_of(document).is_some());
        let embedded = embedded.count();
        let is_right = figures["numberOfDocuments"] == json!(self.model.documents.len())
            && figures["numberOfEmbeddings"] == json!(embedded)
            && figures["numberOfEmbeddedDocuments"] == json!(embedded);
        self.tally.check(is_right, || {
            let expected = self.model.documents.len();
            format!("{}: {figures} of {expected} documents, {embedded} vectors", self.index)
        });
    }

    fn read_facet_values(&self) {
        Tally::count(&self.tally.searches);
        let path = format!("/indexes/{}/facet-search", self.index);
        let body = json!({"facetName": "group", "facetQuery": "g1"});
        let found = self.connection.ask("POST", &path, Some(&body)).json();
        let counts = searches::counts(&self.model, |_| true);
        let expected: Vec<Value> = counts
            .into_iter()
            .filter(|(value, _)| value.starts_with("g1"))
            .map(|(value, count)| json!({"value": value, "count": count}))
            .collect();
        self.tally.check(found["facetHits"] == json!(expected), || {
            format!("{}: facet values {found}, expected {expected:?}", self.index)
        });
    }

    fn read_everything(&self) {
        let found = read_all(self.connection, &self.index);
        let expected = self.model.exists.then(|| self.model.mark());
        self.tally.check(found == expected, || {
            let count = self.model.documents.len();
            format!("{}: the documents are not the {count} of the model", self.index)
        });
    }
}

/// The mark of what an index holds; `None` where there is no index.
pub fn read_all(connection: Connection, index: &str) -> Option<u64> {
    let mut model = Model { exists: true, ..Model::default() };
    loop {
        let offset = model.documents.len();
        let path =
            format!("/indexes/{index}/documents?limit={PAGE}&offset={offset}&retrieveVectors=true");
        let answer = connection.ask("GET", &path, None);
        if answer.status == 404 {
            return None;
        }
        let page = answer.json();
        let documents = page["results"].as_array().expect("a page of documents");
        for document in documents {
            let earlier = model.documents.insert(id_of(document), as_sent(document.clone()));
            assert_eq!(earlier, None, "a document of {index} is listed twice");
        }
        if documents.len() < PAGE {
            return Some(model.mark());
        }
    }
}
