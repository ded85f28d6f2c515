//! Settings that rebuild nothing: from sending a change until its task has finished and a search
//! shows it.
//!
//! Each has two values and a search that answers differently under them. The two answers are
//! learned first; then the setting goes to and fro, and a change has arrived when the search
//! gives the answer of the new value.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::super::{Outcome, POLL};
use crate::data::Set;
use crate::http::Client;
use crate::measure::Latencies;
use crate::report::Row;
use crate::targets;

/// A finished change that no search shows within this time is a failure.
const SHOWN_TIMEOUT: Duration = Duration::from_secs(10);

struct Probe {
    setting: &'static str,
    values: [Value; 2],
    search: Value,
}

/// `host` is filterable from the beginning, so that it has its values already.
fn probes() -> Vec<Probe> {
    let probe = |setting, values, search| Probe { setting, values, search };
    let scored = |text: &str| json!({ "q": text, "showRankingScoreDetails": true });
    vec![
        probe(
            "rankingRules",
            [json!(null), json!(["words", "exactness"])],
            scored("react native "),
        ),
        probe("synonyms", [json!({}), json!({ "xyzzyx": ["react"] })], json!({ "q": "xyzzyx " })),
        probe("displayedAttributes", [json!(null), json!(["id"])], json!({ "q": "react" })),
        probe("pagination", [json!(null), json!({ "maxTotalHits": 7 })], json!({ "q": "react" })),
        probe(
            "typoTolerance",
            [json!(null), json!({ "enabled": false })],
            json!({ "q": "exprses middelware " }),
        ),
        probe("searchCutoffMs", [json!(null), json!(0)], scored("react native ")),
        probe("distinctAttribute", [json!(null), json!("host")], json!({ "q": "react" })),
        // One value is shown: the first, or the most frequent one.
        probe(
            "faceting",
            ["alpha", "count"].map(
                |order| json!({ "maxValuesPerFacet": 1, "sortFacetValuesBy": { "host": order } }),
            ),
            json!({ "facets": ["host"], "limit": 1 }),
        ),
        probe("proximityPrecision", [json!(null), json!("byAttribute")], scored("native react ")),
        probe("prefixSearch", [json!(null), json!("disabled")], json!({ "q": "reac" })),
    ]
}

/// A value that is there already is set again; one row more.
const UNCHANGED: &str = "the same value again";

struct Shown {
    setting: &'static str,
    /// Until a search shows it.
    shown: Latencies,
    /// Until the task has finished.
    finished: Latencies,
}

pub(super) fn run(client: &mut Client, rounds: usize, stored: &str) -> Result<Outcome> {
    let mut all = Vec::new();
    for probe in probes() {
        let shown = go_to_and_fro(client, &probe, rounds)
            .with_context(|| format!("the setting {}", probe.setting))?;
        print(&shown);
        all.push(shown);
    }
    let unchanged = set_again(client, rounds)?;
    print(&unchanged);
    all.push(unchanged);
    let name = |setting: &str| format!("{setting} on {stored} stored, until searchable: p50");
    let row = |shown: &Shown| {
        Row::new(name(shown.setting), shown.shown.p50_ms, "ms").target(targets::PROMPT_SETTING_MS)
    };
    let rows = all.iter().map(row).collect();
    let figures = |shown: &Shown| {
        let both = json!({ "searchable": shown.shown, "finished": shown.finished });
        (shown.setting.to_owned(), both)
    };
    let raw: Map<String, Value> = all.iter().map(figures).collect();
    Ok(Outcome { rows, raw: raw.into() })
}

fn print(shown: &Shown) {
    let (p50_ms, max_ms) = (shown.shown.p50_ms, shown.shown.max_ms);
    println!("  {}: p50 {p50_ms:.1} ms, at most {max_ms:.1} ms", shown.setting);
}

/// Sets both values `rounds` times, then resets the setting.
fn go_to_and_fro(client: &mut Client, probe: &Probe, rounds: usize) -> Result<Shown> {
    let change = |value: &Value| json!({ probe.setting: value });
    let mut answers = Vec::new();
    for value in &probe.values {
        set(client, &change(value))?;
        answers.push(ask(client, &probe.search)?);
    }
    ensure!(answers[0] != answers[1], "both values are answered alike");
    let (mut shown, mut finished) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        for (value, expected) in probe.values.iter().zip(&answers) {
            let begin = Instant::now();
            set(client, &change(value))?;
            finished.push(begin.elapsed());
            while ask(client, &probe.search)? != *expected {
                ensure!(begin.elapsed() < SHOWN_TIMEOUT, "a finished change is not seen");
                thread::sleep(POLL);
            }
            shown.push(begin.elapsed());
        }
    }
    set(client, &change(&Value::Null))?;
    Shown::of(probe.setting, &shown, &finished)
}

/// With a setting that would rebuild the text, were it another value.
fn set_again(client: &mut Client, rounds: usize) -> Result<Shown> {
    let settings = super::rebuilding::begin();
    let mut finished = Vec::new();
    for _ in 0..rounds {
        let begin = Instant::now();
        set(client, &settings)?;
        finished.push(begin.elapsed());
    }
    Shown::of(UNCHANGED, &finished, &finished)
}

impl Shown {
    fn of(setting: &'static str, shown: &[Duration], finished: &[Duration]) -> Result<Self> {
        let latencies = |times: &[Duration]| Latencies::of(times).context("nothing measured");
        Ok(Self { setting, shown: latencies(shown)?, finished: latencies(finished)? })
    }
}

fn set(client: &mut Client, change: &Value) -> Result<()> {
    let task = client.patch_settings(Set::Npm.name(), change)?;
    client.wait_for_task(task, POLL)
}

/// What the settings decide of an answer.
fn ask(client: &mut Client, search: &Value) -> Result<Value> {
    let (mut answer, _) = client.search(Set::Npm.name(), search)?;
    let answer = answer.as_object_mut().context("an answer is an object")?;
    answer.retain(|name, _| name == "hits" || name == "facetDistribution");
    Ok(Value::Object(std::mem::take(answer)))
}
