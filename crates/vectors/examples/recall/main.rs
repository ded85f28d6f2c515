//! Measures a store with real vectors: CPU time to build, recall and CPU time of searches.
//! `cargo run --release -p vectors --example recall -- <vectors> <queries> [threads]`
//!
//! Files: two 32-bit numbers (vectors, dimensions), then 32-bit floats, little-endian.

mod regions;

use std::error::Error;
use std::fs;
use std::sync::Arc;
use std::time::Instant;

use model::Cancel;
use regions::{PLACES, Region};
use roaring::RoaringBitmap;
use segment::{Directory, DiskDirectory, DocId};
use vectors::{Metric, Request, Store, StoreOptions};

const LIMIT: usize = 10;
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [vectors, queries, rest @ ..] = &arguments[..] else {
        return Err("two files are needed".into());
    };
    let threads = rest.first().map_or(Ok(1), |text| text.parse())?;
    let (vectors, queries) = (read(vectors)?, read(queries)?);
    let folder = tempfile::tempdir()?;
    let directory: Arc<dyn Directory> = Arc::new(DiskDirectory::new(folder.path())?);
    let directions = vectors.iter().map(|vector| direction(vector)).collect();
    let mut bench = Bench { directory, directions, vectors, queries, generation: 0, threads };

    let store = bench.build(Metric::Cosine)?;
    let store = bench.merged(store)?;
    let count = bench.vectors.len() as DocId;
    let all = bench.ask("all", None);
    for ef in [60, 120, 200, 300] {
        bench.search(&all, &store, Some(ef))?;
    }
    bench.search(&all, &store, None)?;
    for (name, share) in [("one half", 2), ("one fifth", 5), ("10 %", 10), ("1 %", 100)] {
        let filter: RoaringBitmap =
            (0..count).filter(|id| hash(*id).is_multiple_of(share)).collect();
        bench.search(&bench.ask(name, Some(filter)), &store, None)?;
    }
    for (name, centers, percent) in [
        ("30 % around a point", 1, 30),
        ("10 % around a point", 1, 10),
        ("1 % around a point", 1, 1),
        ("30 % around 20 points", 20, 30),
        ("10 % around 20 points", 20, 10),
        ("1 % around 20 points", 20, 1),
    ] {
        let documents = count as usize * percent / 100;
        bench.search_region(Region::around(name, &bench.directions, centers, documents), &store)?;
    }

    let store = bench.replace_half(&store)?;
    bench.search(&bench.ask("half replaced", None), &store, None)?;
    let store = bench.merged(store)?;
    bench.search(&bench.ask("the same, merged", None), &store, None)?;

    let store = bench.build(Metric::Hamming)?;
    let store = bench.merged(store)?;
    bench.search_quantised(&bench.ask("quantised", None), &store)
}

/// Queries under a filter, and what they should find.
struct Question {
    name: &'static str,
    filter: Option<RoaringBitmap>,
    truths: Vec<Vec<DocId>>,
}

struct Measured {
    recall: f64,
    /// CPU time of a search.
    milliseconds: f64,
}

struct Bench {
    directory: Arc<dyn Directory>,
    vectors: Vec<Vec<f32>>,
    /// The vectors at length 1.
    directions: Vec<Vec<f32>>,
    queries: Vec<Vec<f32>>,
    generation: u64,
    threads: usize,
}

impl Bench {
    fn build(&mut self, metric: Metric) -> Result<Store, Box<dyn Error>> {
        let options = StoreOptions { dimensions: self.vectors[0].len(), metric };
        let (cpu, wall) = (cpu_seconds(), Instant::now());
        self.generation += 1;
        let mut writer = Store::new(options).writer(&self.directory, "v", self.generation);
        for (doc_id, vector) in self.vectors.iter().enumerate() {
            writer.set(doc_id as DocId, &[vector])?;
        }
        let store = writer.finish(self.threads, &Cancel::default())?;
        eprintln!(
            "built {} × {} in {:.2} CPU seconds, {:.2} seconds",
            self.vectors.len(),
            options.dimensions,
            cpu_seconds() - cpu,
            wall.elapsed().as_secs_f64()
        );
        Ok(store)
    }

    /// Every second document gets the vector of another, a little changed.
    fn replace_half(&mut self, store: &Store) -> Result<Store, Box<dyn Error>> {
        let cpu = cpu_seconds();
        let mut store = store.clone();
        let half: Vec<usize> = (0..self.vectors.len()).step_by(2).collect();
        for some in half.chunks(self.vectors.len() / 20) {
            self.generation += 1;
            let mut writer = store.writer(&self.directory, "v", self.generation);
            for &id in some {
                let other = &self.vectors[(id * 7919 + 1) % self.vectors.len()];
                let changed: Vec<f32> = other.iter().map(|value| value * 0.9 + 0.01).collect();
                writer.set(id as DocId, &[&changed])?;
                self.directions[id] = direction(&changed);
                self.vectors[id] = changed;
            }
            store = writer.finish(self.threads, &Cancel::default())?;
        }
        eprintln!("half replaced in {:.2} CPU seconds", cpu_seconds() - cpu);
        Ok(store)
    }

    /// How many of the nearest by the cosine are among four times as many of the nearest by bits.
    fn search_quantised(&self, question: &Question, store: &Store) -> Result<(), Box<dyn Error>> {
        let cancel = &Cancel::default();
        let request = Request { limit: 4 * LIMIT, filter: None, nth: None, cancel, ef: None };
        let (mut found, mut possible, mut as_exact) = (0, 0, 0);
        for (query, truth) in self.queries.iter().zip(&question.truths).take(200) {
            let answer = store.search(query, &request)?;
            possible += truth.len();
            found += answer.iter().filter(|hit| truth.contains(&hit.doc_id)).count();
            let mut differing: Vec<usize> =
                self.vectors.iter().map(|vector| differing_signs(query, vector)).collect();
            let (_, &mut worst, _) = differing.select_nth_unstable(4 * LIMIT - 1);
            let is_near = |id: DocId| differing_signs(query, &self.vectors[id as usize]) <= worst;
            as_exact += answer.iter().filter(|hit| is_near(hit.doc_id)).count();
        }
        eprintln!(
            "{:>21}, {} of {possible} among four times as many; {:.4} of the nearest by bits",
            question.name,
            found,
            as_exact as f64 / (4 * possible) as f64
        );
        Ok(())
    }

    fn merged(&mut self, store: Store) -> Result<Store, Box<dyn Error>> {
        let (cpu, wall) = (cpu_seconds(), Instant::now());
        let mut next_generation = || {
            self.generation += 1;
            self.generation
        };
        let next = &mut next_generation;
        let merged = store.merge(&self.directory, "v", next, self.threads, &Cancel::default())?;
        let merged = merged.unwrap_or(store);
        eprintln!(
            "merged in {:.2} CPU seconds, {:.2} seconds: {} bytes in {:?}",
            cpu_seconds() - cpu,
            wall.elapsed().as_secs_f64(),
            merged.bytes(),
            merged.files().iter().map(|file| (&file.name, file.length)).collect::<Vec<_>>(),
        );
        Ok(merged)
    }

    fn search(
        &self,
        question: &Question,
        store: &Store,
        ef: Option<usize>,
    ) -> Result<(), Box<dyn Error>> {
        let everyone: Vec<usize> = (0..self.queries.len()).collect();
        let Measured { recall, milliseconds } = self.measure(question, &everyone, store, ef)?;
        let ef = ef.map_or_else(|| "default".to_owned(), |ef| ef.to_string());
        let name = question.name;
        eprintln!("{name:>21}, ef {ef:>7}: recall {recall:.4}, {milliseconds:.3} ms");
        Ok(())
    }

    /// Searches under a filter that passes what lies together, by where the queries stand to it.
    fn search_region(&self, region: Region, store: &Store) -> Result<(), Box<dyn Error>> {
        let places = region.places(&self.queries);
        let question = self.ask(region.name, Some(region.filter));
        self.search(&question, store, None)?;
        for (name, place) in PLACES {
            let there: Vec<usize> =
                (0..places.len()).filter(|&query| places[query] == place).collect();
            if !there.is_empty() {
                let Measured { recall, milliseconds } =
                    self.measure(&question, &there, store, None)?;
                let count = there.len();
                eprintln!(
                    "{name:>21}, {count:>6} queries: recall {recall:.4}, {milliseconds:.3} ms"
                );
            }
        }
        Ok(())
    }

    /// Asks some of the queries.
    fn measure(
        &self,
        question: &Question,
        queries: &[usize],
        store: &Store,
        ef: Option<usize>,
    ) -> Result<Measured, Box<dyn Error>> {
        let (filter, cancel) = (question.filter.as_ref(), &Cancel::default());
        let request = Request { limit: LIMIT, filter, nth: None, cancel, ef };
        let mut answers = Vec::new();
        // The best of several runs: other work on the machine only ever adds.
        let mut milliseconds = f64::MAX;
        for _ in 0..RUNS {
            answers.clear();
            let cpu = thread_seconds();
            for &query in queries {
                answers.push(store.search(&self.queries[query], &request)?);
            }
            let spent = 1000.0 * (thread_seconds() - cpu) / queries.len() as f64;
            milliseconds = milliseconds.min(spent);
        }
        let (mut found, mut possible) = (0, 0);
        for (&query, answer) in queries.iter().zip(&answers) {
            let truth = &question.truths[query];
            possible += truth.len();
            found += answer.iter().filter(|hit| truth.contains(&hit.doc_id)).count();
        }
        Ok(Measured { recall: found as f64 / possible.max(1) as f64, milliseconds })
    }

    fn ask(&self, name: &'static str, filter: Option<RoaringBitmap>) -> Question {
        let truths = self.queries.iter().map(|query| self.truth(query, filter.as_ref())).collect();
        Question { name, filter, truths }
    }

    fn truth(&self, query: &[f32], filter: Option<&RoaringBitmap>) -> Vec<DocId> {
        let all = 0..self.vectors.len() as DocId;
        let passing = all.filter(|id| filter.is_none_or(|filter| filter.contains(*id)));
        let mut near: Vec<(f32, DocId)> =
            passing.map(|id| (-dot(query, &self.directions[id as usize]), id)).collect();
        let limit = LIMIT.min(near.len());
        if limit < near.len() {
            near.select_nth_unstable_by(limit, |left, right| left.0.total_cmp(&right.0));
        }
        near[..limit].iter().map(|(_, id)| *id).collect()
    }
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    for (left, right) in left.chunks(16).zip(right.chunks(16)) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    sums.iter().sum()
}

fn differing_signs(left: &[f32], right: &[f32]) -> usize {
    left.iter().zip(right).filter(|(left, right)| (**left > 0.0) != (**right > 0.0)).count()
}

fn direction(vector: &[f32]) -> Vec<f32> {
    let length = dot(vector, vector).sqrt();
    vector.iter().map(|value| value / length).collect()
}

fn hash(number: u32) -> u32 {
    let mixed = (number ^ (number >> 16)).wrapping_mul(0x045d_9f3b);
    mixed ^ (mixed >> 16)
}

fn read(path: &str) -> Result<Vec<Vec<f32>>, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let (words, _) = bytes.as_chunks::<4>();
    let [_, dimensions, values @ ..] = words else {
        return Err("the file is too short".into());
    };
    let dimensions = u32::from_le_bytes(*dimensions) as usize;
    let values: Vec<f32> = values.iter().map(|word| f32::from_le_bytes(*word)).collect();
    Ok(values.chunks_exact(dimensions).map(<[f32]>::to_vec).collect())
}

/// User and system time of the process, in hundredths; Linux only.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |place: usize| fields.get(place).and_then(|text| text.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

/// Time that this thread has run, finer; Linux only.
fn thread_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
