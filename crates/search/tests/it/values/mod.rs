//! Filters, sorting, distinct and facets against a naive evaluation: random documents with a past,
//! random settings that change on the way, random questions. What the index keeps of values must
//! give the same answers as looking at every document.
//!
//! `VALUES_SEED` is the first seed, `VALUES_WORLDS` the number of worlds. A failure names its
//! world and question, and prints both.

mod ask;
mod naive;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use ask::Ask;
use testkit::Random;
use world::World;

const THREADS: usize = 2;
const WORLDS: u64 = 250;
/// 250 worlds with 100 questions each.
const QUESTIONS: u64 = 100;
const MOST_FAILURES: usize = 3;

#[test]
fn values_answer_like_the_documents() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("VALUES_SEED").unwrap_or(0);
    let end = first + number("VALUES_WORLDS").unwrap_or(WORLDS);
    let next = AtomicU64::new(first);
    let failures: Mutex<Vec<String>> = Mutex::default();
    let questions = AtomicU64::new(0);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end || failures.lock().unwrap().len() >= MOST_FAILURES {
                return;
            }
            match check_world(seed) {
                Ok(asked) => drop(questions.fetch_add(asked, Ordering::Relaxed)),
                Err(failure) => failures.lock().unwrap().push(failure),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    eprintln!("{} questions answered like the naive evaluation", questions.into_inner());
}

fn check_world(seed: u64) -> Result<u64, String> {
    let mut random = Random::new(seed);
    let world = World::random(&mut random);
    let snapshot = world.build();
    for number in 0..QUESTIONS {
        let ask = Ask::random(&mut random, &world);
        let expected = naive::answer(&world, &snapshot, &ask);
        let found = ask.put_to(&snapshot);
        if found != expected {
            return Err(format!(
                "world {seed}, question {number}: {ask:#?}\nsettings: {}\nfound:    {found:?}\n\
                 expected: {expected:?}\ndocuments:\n{}",
                world.settings,
                world.listing(&snapshot),
            ));
        }
    }
    Ok(QUESTIONS)
}
