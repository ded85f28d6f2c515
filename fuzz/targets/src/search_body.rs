//! Bodies of searches and multi-searches, read as the server reads them. Whatever they hold, the
//! memory and the steps that they cost stay in proportion to their length: a body that costs more
//! is an attack.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::allocations::measured;
use serde_json::Value;
use server::fuzzing::{read_multi_search_body, read_search_body};
use tokio::runtime::{Builder, Runtime};

/// A byte that is a value of its own, as in `1,1,1`, is a list slot of 80 bytes, and a growing list
/// exists twice for a moment.
const PEAK_PER_BYTE: usize = 512;
const TOTAL_PER_BYTE: usize = 1024;
const COUNT_PER_BYTE: usize = 4;

/// Costs that do not depend on the length: messages, and the comparison of a short name with
/// those that are known.
const PEAK: usize = 256 * 1024;
const TOTAL: usize = 2 * 1024 * 1024;
const COUNT: usize = 10_000;

/// Steps are measured as time, against two pieces of work on the same machine in the same build:
/// reading the JSON and nothing else, and refusing the longest names that get a suggestion.
const PARSES: u32 = 50;
const REFUSALS: u32 = 10;
const LONGEST_SUGGESTED: usize = 64;

/// A busy machine can hold up one measurement, not all of them.
const ATTEMPTS: usize = 20;

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));

static REFUSAL: LazyLock<Duration> = LazyLock::new(|| {
    let name = "a".repeat(LONGEST_SUGGESTED);
    let bodies = [format!(r#"{{"{name}":1}}"#), format!(r#"{{"locales":["{name}"]}}"#)];
    let slowest = |body: &String| (0..ATTEMPTS).map(|_| time_of(|| single(body.as_bytes()))).max();
    bodies.iter().filter_map(slowest).sum()
});

/// Fails where the target would.
pub fn run(body: &[u8]) {
    check(body, single);
    check(body, several);
}

fn single(body: &[u8]) {
    drop(RUNTIME.block_on(read_search_body(body.to_vec())));
}

fn several(body: &[u8]) {
    drop(RUNTIME.block_on(read_multi_search_body(body.to_vec())));
}

fn check(body: &[u8], read: fn(&[u8])) {
    let length = body.len();
    let ((), cost) = measured(|| read(body));
    assert!(cost.peak <= PEAK + PEAK_PER_BYTE * length, "{length} bytes cost {cost:?}");
    assert!(cost.total <= TOTAL + TOTAL_PER_BYTE * length, "{length} bytes cost {cost:?}");
    assert!(cost.count <= COUNT + COUNT_PER_BYTE * length, "{length} bytes cost {cost:?}");
}

/// Fails where a body takes far longer than its JSON: on a quiet machine only.
pub fn check_time(body: &[u8]) {
    check_time_of(body, single);
    check_time_of(body, several);
}

fn check_time_of(body: &[u8], read: fn(&[u8])) {
    let (refusal, length) = (*REFUSAL, body.len());
    let is_quick = || {
        let parse = time_of(|| drop(serde_json::from_slice::<Value>(body)));
        time_of(|| read(body)) <= PARSES * parse + REFUSALS * refusal
    };
    assert!((0..ATTEMPTS).any(|_| is_quick()), "{length} bytes take far longer than their JSON");
}

fn time_of(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}
