//! The writes the crash suite makes: every kind that can be asked for over HTTP and whose
//! result shows whether it was applied once, twice or never.

use std::io;
use std::net::SocketAddr;

use serde_json::{Value, json};
use testkit::Random;

use crate::support::http::{self, Answer};

pub const INDEXES: [&str; 3] = ["first", "second", "third"];
/// The only index that is ever deleted, and the two that are ever swapped.
pub const DELETED: &str = INDEXES[0];
pub const SWAPPED: [&str; 2] = [INDEXES[1], INDEXES[2]];

/// Applied twice it counts two: the test that a batch is never repeated.
const COUNT: &str = "if \"count\" in doc { doc.count += 1 } else { doc.count = 1 }";

const IDS: u64 = 200;

/// The embedder of the two indexes that are never deleted; documents bring its vectors along.
pub const EMBEDDER: &str = "given";
pub const DIMENSIONS: usize = 3;
/// Enough text in one document for a payload that does not stay in memory.
const LONG_TEXT_BYTES: usize = 100 << 10;

#[derive(Debug, Clone)]
pub enum Operation {
    Replace { index: &'static str, documents: Vec<Value> },
    Update { index: &'static str, documents: Vec<Value> },
    Delete { index: &'static str, ids: Vec<u64> },
    Clear { index: &'static str },
    Count { index: &'static str },
    DeleteIndex,
    Swap,
}

impl Operation {
    pub fn random(random: &mut Random, number: u64) -> Self {
        let index = INDEXES[random.below(3) as usize];
        match random.below(100) {
            0..38 => Operation::Replace { index, documents: documents(random, index, number) },
            38..64 => Operation::Update { index, documents: documents(random, index, number) },
            64..78 => Operation::Delete { index, ids: ids(random) },
            78..79 => Operation::Clear { index },
            79..97 => Operation::Count { index },
            97..98 => Operation::DeleteIndex,
            _ => Operation::Swap,
        }
    }

    /// Asks the server for it. The number travels as metadata of the task where the route takes
    /// any; the last two kinds need none, since all of their tasks mean the same.
    pub fn send(&self, server: SocketAddr, number: u64) -> io::Result<Answer> {
        let json = |method, path: String, body: &Value| {
            http::send_json(server, method, &format!("{path}customMetadata={number}"), body)
        };
        match self {
            Operation::Replace { index, documents } => json(
                "POST",
                format!("/indexes/{index}/documents?primaryKey=id&"),
                &json!(documents),
            ),
            Operation::Update { index, documents } => {
                json("PUT", format!("/indexes/{index}/documents?primaryKey=id&"), &json!(documents))
            }
            Operation::Delete { index, ids } => {
                json("POST", format!("/indexes/{index}/documents/delete-batch?"), &json!(ids))
            }
            Operation::Clear { index } => {
                let path = format!("/indexes/{index}/documents?customMetadata={number}");
                http::send(server, "DELETE", &path, &[], None)
            }
            Operation::Count { index } => {
                let path = format!("/indexes/{index}/documents/edit?");
                json("POST", path, &json!({"function": COUNT}))
            }
            Operation::DeleteIndex => {
                http::send(server, "DELETE", &format!("/indexes/{DELETED}"), &[], None)
            }
            Operation::Swap => {
                http::send_json(server, "POST", "/swap-indexes", &json!([{"indexes": SWAPPED}]))
            }
        }
    }

    /// Returns whether its task can be identified by the number it carries.
    pub fn is_numbered(&self) -> bool {
        !matches!(self, Operation::DeleteIndex | Operation::Swap)
    }
}

/// A few documents, each marked with the operation that wrote it.
fn documents(random: &mut Random, index: &str, number: u64) -> Vec<Value> {
    let count = 1 + random.below(12);
    let is_long = random.below(20) == 0;
    let document = |random: &mut Random| {
        let mut document = json!({"id": random.below(IDS), "written_by": number});
        if SWAPPED.contains(&index) {
            // Some say that they have no vector, or none any more.
            let vector = (random.below(6) > 0).then(|| vector(random));
            document["_vectors"] = json!({EMBEDDER: vector});
        }
        // Some carry a field the others lack, so that merging and replacing differ.
        match random.below(3) {
            0 => document["count"] = json!(0),
            1 => {
                let word = format!("w{}", random.below(9));
                document["also"] = json!({"number": number, "word": word});
            }
            _ => {}
        }
        document
    };
    let mut documents: Vec<_> = (0..count).map(|_| document(random)).collect();
    if is_long {
        documents[0]["long"] = json!("x".repeat(LONG_TEXT_BYTES));
    }
    documents
}

fn vector(random: &mut Random) -> [f64; DIMENSIONS] {
    std::array::from_fn(|_| (1 + random.below(1000)) as f64 / 8.0)
}

fn ids(random: &mut Random) -> Vec<u64> {
    (0..1 + random.below(4)).map(|_| random.below(IDS)).collect()
}
