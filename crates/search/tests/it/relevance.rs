//! The engine against the model: random indexes with a past, random settings and queries; order,
//! scores, details and totals must be the same.
//!
//! A failure is made smaller and printed as JSON. To run it again, put the JSON into a file and
//! name it in `RELEVANCE_CASE`. `RELEVANCE_SEED` is the first seed, `RELEVANCE_WORLDS` the
//! number of worlds.
//!
//! The engine is meant to differ from the reference in what the model calls `Improved`; it is
//! meant to differ from the model in nothing.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use roaring::RoaringBitmap;
use serde_json::Value;

use crate::cases::{Ask, World, random_world, shrink};
use crate::engine::{self, SearchResults, State, Window};
use crate::oracle::{self, Answer, Artefacts, Dropping, ModelIndex, ModelSettings, Question};

const THREADS: usize = 2;
/// How many failures are worth making smaller.
const MOST_FAILURES: usize = 3;

/// Number of worlds, and of queries in each.
#[derive(Clone, Copy)]
struct Plan {
    worlds: u64,
    queries: usize,
    copies: u64,
}

#[test]
fn the_engine_ranks_like_the_model() {
    Plan { worlds: 800, queries: 25, copies: 1 }.run();
}

/// The engine takes other ways where there is much to rank. The model knows one copy of each
/// document: the others rank like it.
#[test]
fn the_engine_ranks_many_documents_like_the_model() {
    Plan { worlds: 40, queries: 15, copies: 70 }.run();
}

/// Cases that failed once, made small.
#[test]
fn cases_found_by_chance_still_pass() {
    let cases = [
        include_str!("found/exact_word_of_another_attribute.json"),
        include_str!("found/prefix_after_proximity.json"),
        include_str!("found/synonym_of_a_prefix.json"),
        include_str!("found/typo_where_typos_are_disabled.json"),
    ];
    cases.into_iter().for_each(replay);
}

impl Plan {
    fn run(self) {
        if let Ok(path) = std::env::var("RELEVANCE_CASE") {
            return replay(&std::fs::read_to_string(path).unwrap());
        }
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
        let first = number("RELEVANCE_SEED").unwrap_or(0);
        let seeds = first..first + number("RELEVANCE_WORLDS").unwrap_or(self.worlds);
        let next = AtomicU64::new(seeds.start);
        let failures: Mutex<Vec<Box<Failure>>> = Mutex::default();
        let work = || {
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if !seeds.contains(&seed) || failures.lock().unwrap().len() >= MOST_FAILURES {
                    return;
                }
                if let Err(failure) = self.check_world(seed) {
                    failures.lock().unwrap().push(failure);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(work);
            }
        });
        let failures = failures.into_inner().unwrap();
        failures.iter().for_each(|failure| report(failure));
        assert!(failures.is_empty(), "the engine and the model differ");
    }

    fn check_world(self, seed: u64) -> Result<(), Box<Failure>> {
        let (world, asks) = random_world(seed, self.queries, self.copies);
        let fail = |ask: &Ask, difference| {
            Box::new(Failure { seed, world: world.clone(), ask: ask.clone(), difference })
        };
        let pair = Pair::new(&world).map_err(|difference| fail(&asks[0], difference))?;
        for ask in &asks {
            pair.check(ask).map_err(|difference| fail(ask, difference))?;
        }
        Ok(())
    }
}

struct Failure {
    seed: u64,
    world: World,
    ask: Ask,
    difference: Difference,
}

#[derive(Debug, Clone)]
struct Difference {
    kind: Kind,
    message: String,
}

/// A case made smaller must fail in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Panic,
    Error,
    Order,
    Score,
    Details,
    Candidates,
    Window,
    Threshold,
}

fn difference(kind: Kind, message: impl Into<String>) -> Difference {
    Difference { kind, message: message.into() }
}

/// Two equal indexes.
struct Pair {
    state: State,
    model: ModelIndex,
    /// Number in the model → numbers of the copies in the engine.
    copies: HashMap<u32, Vec<u32>>,
}

impl Pair {
    fn new(world: &World) -> Result<Self, Difference> {
        caught(|| {
            let state = engine::build(world);
            let settings = ModelSettings::new(&world.settings, Artefacts::Improved);
            let documents = engine::numbered(&state, world, 0);
            let numbers: Vec<u32> = documents.iter().map(|(number, _)| *number).collect();
            let mut copies: HashMap<u32, Vec<u32>> = HashMap::new();
            for copy in 0..world.copies {
                let of_copy = engine::numbered(&state, world, copy);
                for (number, (doc_id, _)) in numbers.iter().zip(of_copy) {
                    copies.entry(*number).or_default().push(doc_id);
                }
            }
            Ok(Self { model: ModelIndex::new(settings, documents), state, copies })
        })
    }

    fn check(&self, ask: &Ask) -> Result<(), Difference> {
        caught(|| {
            let ranked = self.ranked(ask);
            let expected = self.distinct(ask, &ranked);
            let found = self.ask(ask, Window::ALL)?;
            compare(&expected, &found)?;
            self.check_windows(ask, &ranked, &expected)?;
            self.check_threshold(ask, &ranked)
        })
    }

    /// Every document, whatever values it shares with others.
    fn ranked(&self, ask: &Ask) -> Vec<Answer> {
        let dropping = match ask.strategy.as_str() {
            "all" => Dropping::All,
            "frequency" => Dropping::Frequency,
            _ => Dropping::Last,
        };
        let attributes = ask.attributes.as_deref();
        let question =
            Question { text: &ask.text, dropping, attributes, sort: &ask.sort, distinct: None };
        self.with_copies(self.model.rank(&question))
    }

    fn distinct_field<'a>(&'a self, ask: &'a Ask) -> Option<&'a str> {
        ask.distinct.as_deref().or(self.model.settings.distinct.as_deref())
    }

    fn distinct(&self, ask: &Ask, ranked: &[Answer]) -> Vec<Answer> {
        match self.distinct_field(ask) {
            Some(field) => self.model.distinct(ranked, field),
            None => ranked.to_vec(),
        }
    }

    /// Returns the documents that the total counts once the first of the expected ones are kept.
    fn candidates(
        &self,
        ask: &Ask,
        ranked: &[Answer],
        kept: &[Answer],
        exhaustive: bool,
    ) -> RoaringBitmap {
        let Some(field) = self.distinct_field(ask) else {
            return ranked.iter().map(|answer| answer.doc_id).collect();
        };
        let shown: RoaringBitmap = kept.iter().map(|answer| answer.doc_id).collect();
        let seen: BTreeSet<String> =
            kept.iter().flat_map(|answer| self.model.values_of(answer, field)).collect();
        let is_left = |answer: &&Answer| {
            !shown.contains(answer.doc_id) && self.model.values_of(answer, field).is_disjoint(&seen)
        };
        let mut left: Vec<Answer> = ranked.iter().filter(is_left).cloned().collect();
        if exhaustive {
            left.sort_by_key(|answer| answer.doc_id);
            left = self.model.distinct(&left, field);
        }
        shown | left.iter().map(|answer| answer.doc_id).collect::<RoaringBitmap>()
    }

    /// Documents that tie are in the order of their numbers.
    fn with_copies(&self, answers: Vec<Answer>) -> Vec<Answer> {
        let mut all = Vec::new();
        for tied in answers.chunk_by(|a, b| a.details == b.details) {
            let start = all.len();
            for answer in tied {
                let copies = &self.copies[&answer.doc_id];
                all.extend(copies.iter().map(|&doc_id| Answer { doc_id, ..answer.clone() }));
            }
            all[start..].sort_by_key(|answer| answer.doc_id);
        }
        all
    }

    fn ask(&self, ask: &Ask, window: Window) -> Result<SearchResults, Difference> {
        let found = engine::ask(&self.state, ask, window);
        found.map_err(|error| difference(Kind::Error, error.to_string()))
    }

    /// Parts of the ranking are parts of the whole.
    fn check_windows(
        &self,
        ask: &Ask,
        ranked: &[Answer],
        expected: &[Answer],
    ) -> Result<(), Difference> {
        let half = expected.len() / 2;
        for (offset, limit, with_scores) in
            [(0, 1, false), (half, 2, true), (1, half, false), (0, 20, true)]
        {
            let exhaustive = with_scores;
            let window = Window { offset, limit, with_scores, exhaustive, ..Window::ALL };
            let found = self.ask(ask, window)?;
            let wanted: Vec<u32> =
                expected.iter().skip(offset).take(limit).map(|answer| answer.doc_id).collect();
            let hits: Vec<u32> = found.hits.iter().map(|hit| hit.doc_id).collect();
            if hits != wanted {
                let message = format!("{window:?}: expected {wanted:?}, found {hits:?}");
                return Err(difference(Kind::Window, message));
            }
            let end = if limit == 0 { 0 } else { expected.len().min(offset + limit) };
            let wanted = self.candidates(ask, ranked, &expected[..end], exhaustive);
            if found.candidates != wanted {
                let message =
                    format!("{window:?}: expected {wanted:?}, found {:?}", found.candidates);
                return Err(difference(Kind::Candidates, message));
            }
        }
        Ok(())
    }

    /// With every document ranked, a threshold leaves those that reach it.
    fn check_threshold(&self, ask: &Ask, ranked: &[Answer]) -> Result<(), Difference> {
        let scores: Vec<f64> = ranked.iter().map(|answer| answer.score).collect();
        let Some(gap) = scores.windows(2).find(|pair| pair[0] - pair[1] > 1e-6) else {
            return Ok(());
        };
        let threshold = (gap[0] + gap[1]) / 2.0;
        let window = Window { threshold: Some(threshold), exhaustive: true, ..Window::ALL };
        let found = self.ask(ask, window)?;
        let reaching = ranked.iter().filter(|answer| answer.score >= threshold).cloned();
        let wanted = self.distinct(ask, &reaching.collect::<Vec<_>>()).len();
        if found.hits.len() != wanted || found.candidates.len() != wanted as u64 {
            let message = format!(
                "threshold {threshold}: expected {wanted}, found {} of {}",
                found.hits.len(),
                found.candidates.len(),
            );
            return Err(difference(Kind::Threshold, message));
        }
        Ok(())
    }
}

fn compare(expected: &[Answer], found: &SearchResults) -> Result<(), Difference> {
    let mut kind = None;
    if found.hits.len() != expected.len() {
        kind = Some(Kind::Order);
    }
    for (answer, hit) in expected.iter().zip(&found.hits) {
        if answer.doc_id != hit.doc_id {
            kind = Some(Kind::Order);
            break;
        }
        if (answer.score - hit.score).abs() > 1e-9 {
            kind = kind.or(Some(Kind::Score));
        }
        if !alike(&answer.details.clone().into(), &hit.details().into()) {
            kind = kind.or(Some(Kind::Details));
        }
    }
    if let Some(kind) = kind {
        return Err(difference(kind, side_by_side(expected, found)));
    }
    if found.candidates != expected.iter().map(|answer| answer.doc_id).collect() {
        return Err(difference(Kind::Candidates, format!("candidates {:?}", found.candidates)));
    }
    Ok(())
}

/// Equal but for the last digits of numbers, with members in the same order.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && alike(a.1, b.1))
        }
        (Value::Number(a), Value::Number(b)) => {
            let distance = a.as_f64().zip(b.as_f64()).map(|(a, b)| (a - b).abs());
            a.is_f64() == b.is_f64() && distance.is_some_and(|distance| distance < 1e-9)
        }
        _ => a == b,
    }
}

fn side_by_side(expected: &[Answer], found: &SearchResults) -> String {
    let mut text = "expected\n".to_owned();
    for answer in expected {
        let entries: Vec<String> = answer.entries.iter().map(oracle::Entry::label).collect();
        text += &format!("  {} {:.6} {}\n", answer.doc_id, answer.score, entries.join(" "));
    }
    text += "found\n";
    for hit in &found.hits {
        let details = Value::Object(hit.details());
        text += &format!("  {} {:.6} {details}\n", hit.doc_id, hit.score);
    }
    text
}

fn caught<T>(run: impl FnOnce() -> Result<T, Difference>) -> Result<T, Difference> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into()));
        Err(difference(Kind::Panic, message.unwrap_or_default()))
    })
}

fn check_json(case: &Value) -> Result<(), Difference> {
    let Some((world, ask)) = World::from_json(case) else { return Ok(()) };
    Pair::new(&world)?.check(&ask)
}

fn report(failure: &Failure) {
    let Difference { kind, message } = &failure.difference;
    let fails = |case: &Value| {
        let is_same = |found: Difference| {
            found.kind == *kind && (found.kind != Kind::Panic || found.message == *message)
        };
        check_json(case).is_err_and(is_same)
    };
    let simple = failure.world.without_history().to_json(&failure.ask);
    let case = if fails(&simple) { simple } else { failure.world.to_json(&failure.ask) };
    let smallest = shrink(case, &fails);
    let difference = check_json(&smallest).err().unwrap_or_else(|| failure.difference.clone());
    eprintln!("seed {}, {kind:?}\n{smallest}\n{}", failure.seed, difference.message);
}

fn replay(json: &str) {
    let case: Value = serde_json::from_str(json).unwrap();
    assert!(World::from_json(&case).is_some(), "this is no case: {json}");
    if let Err(difference) = check_json(&case) {
        panic!("{case}\n{:?}\n{}", difference.kind, difference.message);
    }
}
