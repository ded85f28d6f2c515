//! Measures what telemetry costs a search. Building its event is measured where the request is read
//! (crates/server); this is the rest, from the event to its slot, with the merging thread beside
//! it.
//!
//! `cargo run --release -p telemetry --example record_cost`

use std::hint::black_box;
use std::time::{Duration, Instant};

use model::Features;
use telemetry::{Instance, Options, Profile, Reading, Stats, Telemetry};
use uuid::Uuid;

const ROUNDS: u32 = 2_000_000;

telemetry::figures! {
    /// As many figures as a search has.
    ten(number: u64) {
        "any", "", Any, number > 3;
        "sum", "", Sum, number;
        "largest", "", Largest, number;
        "least", "", Least, number;
        "average", "", Average, Some(number);
        "used", "", MostUsed(&["a", "b", "c", "d"]), number;
        "distinct", "", Distinct, number;
        "succeeded", "", Succeeded, Reading::Nothing;
        "failed", "", Failed, Reading::Nothing;
        "time", "", ResponseTime, Reading::Nothing;
    }
    search(number: u64) { ..ten(number); ..ten(number); ..ten(number); ..ten(number); }
}

telemetry::events! { searched(number: u64) = search, "Searched", ""; }

struct Empty;

impl Instance for Empty {
    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn features(&self) -> Features {
        Features::default()
    }
}

fn main() {
    let options = Options::new(Uuid::new_v4(), Profile::default(), Box::new(Empty));
    let on = Telemetry::start(options).expect("there is no collector to fail");
    let agent = b"Meilisearch JavaScript (v0.45.0); My Shop 2".as_slice();
    for (name, telemetry) in [("off", Telemetry::off()), ("on", on)] {
        let begun = Instant::now();
        for _ in 0..ROUNDS {
            let running = telemetry.begin(Some(black_box(agent)), || searched(black_box(3)));
            running.succeeded();
        }
        let each = begun.elapsed() / ROUNDS;
        let lost = telemetry.preview()["lostEvents"].clone();
        eprintln!("{name}: {each:?} for each search, {lost} of {ROUNDS} lost");

        // Like in a server, with other work in between.
        let mut busy = Duration::ZERO;
        for _ in 0..ROUNDS / 100 {
            let begun = Instant::now();
            let running = telemetry.begin(Some(black_box(agent)), || searched(black_box(3)));
            running.succeeded();
            busy += begun.elapsed();
            let pause = Instant::now();
            while pause.elapsed() < Duration::from_micros(20) {
                std::hint::spin_loop();
            }
        }
        eprintln!("{name}: {:?} with pauses of 20 µs", busy / (ROUNDS / 100));
    }
}
