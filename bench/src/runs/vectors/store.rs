//! The server's side of the run: documents with vectors go in, questions are asked.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use crate::data::Documents;
use crate::data::vectors::Matrix;
use crate::http::Client;
use crate::measure::{self, AnonymousPeak};
use crate::searching::{self, Asked, Query, Searching};
use crate::server::{self, Server};
use crate::vectors::{Filter, NEAREST, mixed};

const INDEX: &str = "vectors";
const EMBEDDER: &str = "given";

#[derive(Clone, Copy)]
pub struct Embedder {
    pub dimensions: usize,
    pub quantised: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Built {
    /// Of the whole server, from the first document until nothing is left to do.
    pub cpu_s: f64,
    /// The same until the last task has finished.
    pub cpu_until_applied_s: f64,
    pub anonymous_peak_bytes: u64,
    pub disk_bytes: u64,
    pub graph_bytes: u64,
    pub vectors_bytes: u64,
}

#[derive(Serialize)]
struct Document<'v> {
    id: u32,
    tenth: u32,
    hundredth: u32,
    #[serde(rename = "_vectors")]
    vectors: Given<'v>,
}

#[derive(Serialize)]
struct Given<'v> {
    given: &'v [f32],
}

/// Gives the server one document for each vector; its id is the place of the row.
pub fn build(server: &Server, folder: &Path, stored: &Matrix, embedder: Embedder) -> Result<Built> {
    let documents: Vec<_> = (0..)
        .zip(stored.rows())
        .map(|(id, row)| Document {
            id,
            tenth: mixed(id) % Filter::Tenth.one_in(),
            hundredth: mixed(id) % Filter::Hundredth.one_in(),
            vectors: Given { given: row },
        })
        .collect();
    let documents = Documents::write(folder.join("documents.ndjson"), &documents)?;
    let mut client = server.client();
    let mut settings = json!({
        "filterableAttributes": ["tenth", "hundredth"],
        "embedders": { EMBEDDER: {
            "source": "userProvided",
            "dimensions": embedder.dimensions,
        }},
    });
    if embedder.quantised {
        settings["embedders"][EMBEDDER]["binaryQuantized"] = true.into();
    }
    let task = client.patch_settings(INDEX, &settings)?;
    client.wait_for_task(task, Duration::from_millis(2))?;
    let peak = AnonymousPeak::follow(server.pid());
    let before = measure::cpu_s(server.pid())?;
    server::import(&mut client, INDEX, &documents)?;
    let cpu_until_applied_s = measure::cpu_s(server.pid())? - before;
    ensure!(measure::settle(server.pid(), &server.data())?, "the server does not come to rest");
    Ok(Built {
        cpu_s: measure::cpu_s(server.pid())? - before,
        cpu_until_applied_s,
        anonymous_peak_bytes: peak.bytes(),
        disk_bytes: measure::disk_bytes(&server.data())?,
        graph_bytes: bytes_of(&server.data(), ".graph.")?,
        vectors_bytes: bytes_of(&server.data(), ".vectors.")?,
    })
}

/// Lengths of the files of vector stores that have this in their names.
fn bytes_of(data: &Path, part: &str) -> Result<u64> {
    let mut bytes = 0;
    for index in fs::read_dir(data.join("indexes"))? {
        for file in fs::read_dir(index?.path())? {
            let file = file?;
            let name = file.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("vectors-") && name.contains(part) {
                bytes += file.metadata()?.len();
            }
        }
    }
    Ok(bytes)
}

/// What the queries found under one filter.
pub struct Found {
    pub filter: Filter,
    pub searching: Searching,
    pub hits: Vec<Vec<u32>>,
}

struct VectorQuery {
    number: usize,
    body: Value,
}

impl Query for VectorQuery {
    fn text(&self) -> String {
        format!("query {}", self.number)
    }
}

/// Asks every query over one keep-alive connection.
pub fn ask(server: &Server, queries: &Matrix, filter: Filter, rounds: usize) -> Result<Found> {
    let queries: Vec<_> = queries
        .rows()
        .enumerate()
        .map(|(number, row)| VectorQuery { number, body: question(row, filter, NEAREST) })
        .collect();
    let mut client = server.client();
    let mut hits = vec![Vec::new(); queries.len()];
    let searching = searching::ask_all(server.pid(), &queries, rounds, |query| {
        let (answer, time) = client.search(INDEX, &query.body)?;
        let found = ids(&answer)?;
        let matches = found.len() as u64;
        hits[query.number] = found;
        Ok(Asked { time, matches })
    })?;
    Ok(Found { filter, searching, hits })
}

/// The ids of the `limit` nearest.
pub fn nearest(client: &mut Client, query: &[f32], limit: usize) -> Result<Vec<u32>> {
    ids(&client.search(INDEX, &question(query, Filter::None, limit))?.0)
}

fn question(vector: &[f32], filter: Filter, limit: usize) -> Value {
    let mut question = json!({
        "vector": vector,
        "hybrid": { "embedder": EMBEDDER, "semanticRatio": 1.0 },
        "limit": limit,
        "attributesToRetrieve": ["id"],
    });
    if let Some(expression) = filter.expression() {
        question["filter"] = expression.into();
    }
    question
}

fn ids(answer: &Value) -> Result<Vec<u32>> {
    let hits = answer["hits"].as_array().context("no hits")?;
    hits.iter()
        .map(|hit| Ok(u32::try_from(hit["id"].as_u64().context("a hit without an id")?)?))
        .collect()
}
