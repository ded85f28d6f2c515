//! The guard: a short run whose ratios must not have become worse than those that are kept. It is
//! held against the same kind of server each time (CI has an unoptimised one), so that what counts
//! is the change, not the figure.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::data::Set;
use crate::options::{Folders, Options};
use crate::report::Row;
use crate::runs::{self, Bench};
use crate::server::Launch;

/// A ratio may be so many times what is kept.
const TOLERANCE: f64 = 1.25;
/// Documents of a set: enough for a ratio that repeats, few enough for CI.
const DOCS: usize = 20_000;
const SETS: [Set; 2] = [Set::Cities, Set::Imdb];
/// What is guarded: processor time and size. Latencies depend on what else a machine does.
const GUARDED: [&str; 3] = [": indexing CPU with merging", ": disk", ": search again, CPU a query"];

/// Something else may run beside a measurement. Only what is slow so many times is slow.
const ATTEMPTS: usize = 4;

/// The ratios by the names of their rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Ratios(BTreeMap<String, f64>);

pub fn run(mut options: Options, folders: Folders) -> Result<()> {
    options.docs = Some(DOCS);
    options.sets = SETS.into();
    fs::create_dir_all(&folders.work)?;
    let kept = folders.results.join("guard.json");
    let keep = options.keep;
    let launch = Launch::of(&options, &folders)?;
    let mut bench = Bench::new(options, folders, launch);
    let mut measured = measure(&mut bench)?;
    if keep {
        // Held against a bad day, so that a bad day elsewhere is no alarm.
        for _ in 1..ATTEMPTS {
            measured.combine(measure(&mut bench)?, f64::max);
        }
        return measured.save(&kept);
    }
    let known = Ratios::load(&kept)?;
    for _ in 1..ATTEMPTS {
        if measured.worse_than(&known).is_empty() {
            break;
        }
        println!("\nworse than what is kept: measuring once more");
        measured.combine(measure(&mut bench)?, f64::min);
    }
    fs::remove_dir_all(&bench.folders.work)?;
    for (what, ratio) in &measured.0 {
        let before = known.0.get(what).map_or("new".to_owned(), |ratio| format!("{ratio:.3}"));
        println!("{what}: {ratio:.3} × (kept: {before})");
    }
    let worse = measured.worse_than(&known);
    if !worse.is_empty() {
        bail!("more than {TOLERANCE} times what is kept: {}", worse.join(", "));
    }
    Ok(())
}

fn measure(bench: &mut Bench) -> Result<Ratios> {
    let mut rows = runs::indexing::run(bench)?.rows;
    rows.extend(runs::again::run(bench)?.rows);
    Ok(Ratios::of(&rows))
}

impl Ratios {
    fn of(rows: &[Row]) -> Self {
        let guarded = rows.iter().filter(|row| GUARDED.iter().any(|end| row.what.ends_with(end)));
        Ratios(guarded.filter_map(|row| Some((row.what.clone(), row.ratio()?))).collect())
    }

    fn load(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| {
            format!("{} is missing: make it with `guard --keep`", path.display())
        })?;
        serde_json::from_slice(&bytes).with_context(|| format!("{} has no ratios", path.display()))
    }

    fn save(&self, path: &Path) -> Result<()> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(fs::write(path, json)?)
    }

    fn combine(&mut self, again: Ratios, choose: fn(f64, f64) -> f64) {
        for (what, ratio) in again.0 {
            let known = self.0.entry(what).or_insert(ratio);
            *known = choose(*known, ratio);
        }
    }

    /// What has become worse by more than the tolerance, or is not measured any more.
    fn worse_than(&self, known: &Ratios) -> Vec<String> {
        let worse = known.0.iter().filter_map(|(what, before)| match self.0.get(what) {
            None => Some(format!("{what} (not measured)")),
            Some(ratio) if *ratio > before * TOLERANCE => {
                Some(format!("{what} ({ratio:.3} × instead of {before:.3} ×)"))
            }
            Some(_) => None,
        });
        worse.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(values: &[(&str, f64)]) -> Ratios {
        Ratios(values.iter().map(|(what, ratio)| ((*what).to_owned(), *ratio)).collect())
    }

    #[test]
    fn a_quarter_more_is_let_pass_and_what_is_above_is_not() {
        let known = ratios(&[("cpu", 1.0), ("disk", 0.8)]);
        assert!(ratios(&[("cpu", 1.25), ("disk", 0.1)]).worse_than(&known).is_empty());
        let worse = ratios(&[("cpu", 1.26), ("disk", 0.8)]).worse_than(&known);
        assert_eq!(worse, ["cpu (1.260 × instead of 1.000 ×)"]);
    }

    #[test]
    fn what_is_no_longer_measured_is_worse() {
        let worse = ratios(&[]).worse_than(&ratios(&[("cpu", 1.0)]));
        assert_eq!(worse, ["cpu (not measured)"]);
    }

    #[test]
    fn only_processor_time_and_size_against_a_peer_are_guarded() {
        let rows = [
            Row::new("cities: disk", 2.0, "MB").against("raw", 4.0),
            Row::new("cities: disk, tantivy", 2.0, "MB").against("raw", 4.0),
            Row::new("cities: search again, p99", 9.0, "ms").against("tantivy", 3.0),
            Row::new("cities: search again, CPU a query", 9.0, "ms"),
        ];
        assert_eq!(Ratios::of(&rows), ratios(&[("cities: disk", 0.5)]));
    }
}
