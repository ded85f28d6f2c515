//! A long mixed load against a model: several clients write, search and read at the same time,
//! each its own index, while the server is killed again and again and snapshots are taken. Every
//! answer is checked.
//!
//! The normal run takes some seconds. The long one:
//!
//!     SOAK_SECONDS=900 cargo test -p sonde --test it soak:: -- --ignored --nocapture
//!
//! SOAK_SEED repeats the choices of a run, SOAK_CLIENTS takes more clients.

// The account shows with --nocapture.
#![allow(clippy::print_stderr)]

mod client;
mod connection;
mod documents;
mod model;
mod operation;
mod operator;
mod searches;
mod settings;
mod tally;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use client::Client;
use operator::Operator;
use tally::Tally;
use testkit::Random;

use crate::support::heavy_turn;

const SHORT_SECONDS: u64 = 8;
/// The short run makes the same choices every time; the long one makes others.
const SHORT_SEED: u64 = 20_311;
const LONG_SECONDS: u64 = 900;
const CLIENTS: u64 = 4;
/// Near vectors are found approximately; on average so many of the nearest must be among them.
const LEAST_RECALL: f64 = 0.95;

#[test]
fn a_short_soak() {
    let _turn = heavy_turn();
    soak(SHORT_SECONDS, 4, SHORT_SEED);
}

#[test]
#[ignore = "takes SOAK_SECONDS, a quarter of an hour where nothing is said"]
fn the_long_soak() {
    let _turn = heavy_turn();
    let seconds = number_from("SOAK_SECONDS").unwrap_or(LONG_SECONDS);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    soak(seconds, 30, now.as_secs());
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// About so many kills are spread over the time.
fn soak(seconds: u64, kills: u64, seed: u64) {
    let seed = number_from("SOAK_SEED").unwrap_or(seed);
    let clients = number_from("SOAK_CLIENTS").unwrap_or(CLIENTS);
    eprintln!("seed {seed}, {seconds} s, {clients} clients");
    let mut random = Random(seed);
    let tally = Tally::default();
    let over = AtomicBool::new(false);
    let mut operator = Operator::start(random.draw(), Duration::from_secs(seconds), kills);
    let address = operator.address();
    let histories = thread::scope(|scope| {
        let working: Vec<_> = (0..clients)
            .map(|number| {
                let mut client = Client::new(number, random.draw(), address, &tally);
                let over = &over;
                scope.spawn(move || {
                    client.work(over);
                    client
                })
            })
            .collect();
        operator.work(&tally);
        over.store(true, Ordering::Relaxed);
        let finished = working.into_iter().map(|client| client.join().expect("a client ends"));
        finished.map(Client::into_history).collect::<Vec<_>>()
    });
    operator.end(&tally, &histories);
    eprintln!("{tally}");
    let differences = tally.differences();
    for difference in &differences {
        eprintln!("{difference}");
    }
    assert!(differences.is_empty(), "{} answers differ from the model", differences.len());
    assert!(tally.recall() >= LEAST_RECALL, "recall {:.4}", tally.recall());
}
