//! Random lives of an index, with changes of every setting that answers depend on, writes,
//! deletions, merges, compactions and restarts in any order: in the end it answers as a fresh
//! index does that got the final settings first and then the final documents, where nothing was
//! ever rebuilt.
//!
//! `SETTINGS_SEED` is the seed of the first life and `SETTINGS_WORLDS` says how many there are.
//! A life that fails is made shorter and printed step by step.

mod changes;
mod documents;
mod life;
mod questions;

use std::fmt::Write;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use documents::full_document;
use life::{ExpectedState, IndexRun, Step, Work, has_succeeded, random_life};
use questions::Question;
use testkit::Random;

use crate::support::Instance;

const LIVED: &str = "lived";
const USUAL_WORLDS: u64 = 60;
const THREADS: u64 = 4;
const QUESTIONS: usize = 80;
/// A failing life is made shorter for so long.
const PATIENCE: Duration = Duration::from_secs(60);

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn answers_depend_on_final_settings_and_documents_alone() {
    let first = number("SETTINGS_SEED", 1);
    let worlds = number("SETTINGS_WORLDS", USUAL_WORLDS);
    // Most of a life is waiting for the disk.
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let lives = |thread: u64| (first + thread..first + worlds).step_by(THREADS as usize);
        let threads: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || live_all(lives(thread)))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|e| resume_unwind(e)))
            .collect()
    });
    let full: usize = tallies.iter().map(|tally| tally.full).sum();
    let bare: usize = tallies.iter().map(|tally| tally.bare).sum();
    // Answers that are empty or refused would all be alike.
    assert!(worlds < 10 || 2 * full > bare, "{full} answers say something and {bare} do not");
}

fn live_all(seeds: impl Iterator<Item = u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let steps = random_life(&mut Random::new(seed));
        if let Err(failure) = live(&steps, seed, &mut tally) {
            let (steps, failure) = shortened(steps, seed, failure);
            panic!("SETTINGS_SEED={seed} SETTINGS_WORLDS=1\n{}\n{failure}", told(&steps));
        }
    }
    tally
}

/// Answers that say something, and those that do not.
#[derive(Default)]
struct Tally {
    full: usize,
    bare: usize,
}

fn live(steps: &[Step], seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut instance = Instance::new();
    let mut living = IndexRun::new(&mut instance, LIVED);
    living.take(&Step::Do(Work::Replace(vec![full_document()])))?;
    // However slow the machine is.
    living.take(&Step::Do(Work::Settings(json!({ "searchCutoffMs": 600_000 }))))?;
    for (number, step) in steps.iter().enumerate() {
        let told = |failure| format!("at step {number}: {failure}");
        living.take(step).map_err(told)?;
        if matches!(step, Step::Compare) {
            compare(&living, number, seed, tally).map_err(told)?;
        }
    }
    living.wait()?;
    let failed = |failure| format!("at the end: {failure}");
    compare(&living, steps.len(), seed, tally).map_err(failed)
}

/// Builds a fresh index and asks both the same questions.
fn compare(
    living: &IndexRun<'_>,
    number: usize,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), String> {
    let documents = living.instance.documents_with_vectors(LIVED).ok_or("the index is gone")?;
    check_documents(&documents, &living.account)?;
    let fresh = format!("fresh-{number}");
    build_fresh(living, &fresh, documents)?;
    let engine = living.instance.engine();
    let searches_all = !living.account.settings.contains_key("searchableAttributes");
    // Asks the same questions wherever a run is cut off, so that it can be shortened.
    for question in Question::random_list(&mut Random::new(!seed), QUESTIONS) {
        let question = if searches_all { question } else { question.without_marks() };
        let expected = question.put_to(engine, &fresh);
        let answer = question.put_to(engine, LIVED);
        if answer != expected {
            return Err(format!("{question:?}\nthe fresh index: {expected}\nthe lived: {answer}"));
        }
        *if says_something(&answer) { &mut tally.full } else { &mut tally.bare } += 1;
    }
    Ok(())
}

fn says_something(answer: &Value) -> bool {
    let list = answer.get("hits").or(answer.get("documents")).unwrap_or(answer);
    answer.get("code").is_none() && list.as_array().is_none_or(|list| !list.is_empty())
}

fn check_documents(documents: &[Value], account: &ExpectedState) -> Result<(), String> {
    let mut sorted: Vec<Map<String, Value>> =
        documents.iter().filter_map(Value::as_object).cloned().collect();
    sorted.sort_by_key(|document| document["id"].as_u64());
    if sorted.iter().eq(account.documents.values()) {
        return Ok(());
    }
    Err(format!("documents {sorted:?}\ninstead of {:?}", account.documents))
}

/// `documents` in the order of the lived index, by which it breaks ties.
fn build_fresh(living: &IndexRun<'_>, uid: &str, documents: Vec<Value>) -> Result<(), String> {
    let settings = Value::Object(living.account.settings.clone());
    let works = [
        // Names of attributes stay known.
        Work::Replace(vec![full_document()]),
        Work::Clear,
        Work::Settings(settings),
        Work::Replace(documents),
    ];
    works.iter().try_for_each(|work| {
        let task = work.enqueue(living.instance, uid);
        has_succeeded(&living.instance.wait(&task))
    })
}

/// The life without what it fails without as well.
fn shortened(mut steps: Vec<Step>, seed: u64, mut failure: String) -> (Vec<Step>, String) {
    let begin = Instant::now();
    let mut place = steps.len();
    while place > 0 && begin.elapsed() < PATIENCE {
        place -= 1;
        let mut fewer = steps.clone();
        fewer.remove(place);
        if let Err(still) = live(&fewer, seed, &mut Tally::default()) {
            (steps, failure) = (fewer, still);
        }
    }
    (steps, failure)
}

fn told(steps: &[Step]) -> String {
    let mut text = String::new();
    for (number, step) in steps.iter().enumerate() {
        let _ = writeln!(text, "{number}: {step:?}");
    }
    text
}
