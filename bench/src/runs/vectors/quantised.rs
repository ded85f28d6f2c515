//! Binary quantisation: one bit is kept of each component. A client that asks for four times as
//! many and orders them by vectors of its own finds most of the nearest; how many is measured
//! here, and what a vector takes.
//!
//! fashion-mnist: brightnesses less their mean, 784 of them. wordnet: the words of a synset and
//! its definition, each embedded by a real sentence model, one behind the other, 768 in all; the
//! registries have no model of so many components.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::store::{self, Embedder};
use crate::data::python::{self, Python};
use crate::data::vectors::{self as sets, Matrix, Vectors};
use crate::data::{Set, Synset};
use crate::report::Row;
use crate::runs::{Bench, Outcome};
use crate::targets;
use crate::vectors::{Filter, NEAREST, exact, recall, rescored};

/// So many times as many are asked for.
const OVERSAMPLING: usize = 4;
/// One synset in so many is taken, and one in so many of these is a query.
const SYNSET_STEP: usize = 5;
const QUERY_STEP: usize = 50;

pub fn run(bench: &Bench) -> Result<Outcome> {
    let data = &bench.folders.data;
    let most = bench.options.scaled(60_000, 20_000);
    let cases = [
        ("fashion-mnist, bits", sets::fashion(data, most)?.centred()),
        ("wordnet, bits", wordnet(data)?),
    ];
    let (mut rows, mut raw) = (Vec::new(), serde_json::Map::new());
    for (name, vectors) in cases {
        println!("{name}: {} vectors, {} queries", vectors.stored.len(), vectors.queries.len());
        let (case_rows, case_raw) = measure(bench, name, &vectors)?;
        rows.extend(case_rows);
        raw.insert(name.to_owned(), case_raw);
    }
    Ok(Outcome { rows, raw: raw.into() })
}

fn measure(bench: &Bench, name: &str, vectors: &Vectors) -> Result<(Vec<Row>, Value)> {
    let folder = bench.empty_folder("quantised")?;
    let server = bench.launch.start(&folder)?;
    let dimensions = vectors.stored.dimensions;
    let embedder = Embedder { dimensions, quantised: true };
    let built = store::build(&server, &folder, &vectors.stored, embedder)?;
    let exact = exact(vectors, Filter::None);
    let mut client = server.client();
    let (mut plain, mut ordered) = (Vec::new(), Vec::new());
    for query in vectors.queries.rows() {
        let found = store::nearest(&mut client, query, OVERSAMPLING * NEAREST)?;
        ordered.push(rescored(query, &found, &vectors.stored));
        plain.push(found.into_iter().take(NEAREST).collect());
    }
    server.stop()?;
    fs::remove_dir_all(folder)?;
    let (plain, ordered) = (recall(&exact, &plain), recall(&exact, &ordered));
    let each = built.vectors_bytes as f64 / vectors.stored.len() as f64;
    println!("  recall {plain:.4}, {ordered:.4} of four times as many; {each:.1} bytes a vector");
    let rows = vec![
        Row::new(format!("{name}: recall@10 of 40"), ordered, "").target(targets::QUANTISED_RECALL),
        Row::new(format!("{name}: recall@10 without more"), plain, ""),
        Row::new(format!("{name}: a vector of {dimensions}"), each, "bytes")
            .against("full", 4.0 * dimensions as f64)
            .target(targets::quantised_bytes(dimensions)),
    ];
    let raw = json!({
        "vectors": vectors.stored.len(),
        "dimensions": dimensions,
        "queries": vectors.queries.len(),
        "recall": plain,
        "recall_of_four_times_as_many": ordered,
        "built": built,
    });
    Ok((rows, raw))
}

/// Made once, which takes minutes, and kept.
fn wordnet(data: &Path) -> Result<Vectors> {
    let file = data.join("wordnet-768.vectors");
    if !file.exists() {
        println!("wordnet: embedding words and definitions");
        let synsets: Vec<Synset> = Set::Wordnet.documents(data, None)?.read()?;
        let synsets: Vec<_> = synsets.iter().step_by(SYNSET_STEP).collect();
        let python = Python::prepare(data, &python::MODELS)?;
        let words = synsets.iter().map(|synset| synset.words.join(", ")).collect();
        let definitions = synsets.iter().map(|synset| synset.definition.clone()).collect();
        let words = embed(&python, data, words)?;
        let definitions = embed(&python, data, definitions)?;
        ensure!(words.len() == definitions.len(), "some were not embedded");
        let both = words.rows().zip(definitions.rows()).flat_map(|(words, definition)| {
            words.iter().chain(definition).copied().collect::<Vec<_>>()
        });
        Matrix::new(words.dimensions + definitions.dimensions, both.collect()).write(&file)?;
    }
    let all = Matrix::read(&file)?;
    let is_query = |place: usize| place % QUERY_STEP == QUERY_STEP / 2;
    Ok(Vectors { stored: all.chosen(|place| !is_query(place)), queries: all.chosen(is_query) })
}

fn embed(python: &Python, data: &Path, texts: Vec<String>) -> Result<Matrix> {
    let (given, taken) = (data.join("texts.json"), data.join("texts.vectors"));
    fs::write(&given, serde_json::to_vec(&texts)?)?;
    let status = python.script("onnx_embeddings.py").args([&given, &taken]).status();
    ensure!(status.context("starting Python")?.success(), "the texts cannot be embedded");
    let matrix = Matrix::read(&taken)?;
    fs::remove_file(given)?;
    fs::remove_file(taken)?;
    Ok(matrix)
}
