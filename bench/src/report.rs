//! What the runs found: rows with their targets, printed as a table and kept as JSON.
//!
//! A results file holds one section a run, each with its own date, commit and machine, so that
//! a single run can be repeated without losing the others.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::machine::Machine;
use crate::targets::Target;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub what: String,
    pub value: f64,
    pub unit: String,
    /// What the value is divided by: a peer's value, the raw size, the same when idle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The server does less than the target speaks of: it stores documents and cannot search
    /// them yet. No verdict, however good the figure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub premature: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Against {
    pub name: String,
    pub value: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    NoTarget,
    Premature,
    Missed,
    First,
    Then,
}

impl Row {
    pub fn new(what: impl Into<String>, value: f64, unit: &str) -> Self {
        Row {
            what: what.into(),
            value,
            unit: unit.to_owned(),
            against: None,
            target: None,
            premature: false,
        }
    }

    pub fn against(mut self, name: &str, value: f64) -> Self {
        self.against = Some(Against { name: name.to_owned(), value });
        self
    }

    pub fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    pub fn ratio(&self) -> Option<f64> {
        self.against.as_ref().map(|against| self.value / against.value)
    }

    /// What a target is held against, and its unit: the ratio where there is one, unless the
    /// target speaks of the value, else the value.
    pub fn judged(&self) -> (f64, &str) {
        let of_value = self.target.is_some_and(|target| target.of_value);
        match self.ratio() {
            Some(ratio) if !of_value => (ratio, "×"),
            _ => (self.value, &self.unit),
        }
    }

    pub fn verdict(&self) -> Verdict {
        let (judged, _) = self.judged();
        match self.target {
            None => Verdict::NoTarget,
            Some(_) if self.premature => Verdict::Premature,
            Some(target) if target.then.is_some_and(|then| target.reached(judged, then)) => {
                Verdict::Then
            }
            Some(target) if target.reached(judged, target.first) => Verdict::First,
            Some(_) => Verdict::Missed,
        }
    }

    /// Everything but its name, as a table shows it.
    pub fn cells(&self) -> [String; 5] {
        let against = self.against.as_ref().map_or(String::new(), |against| {
            format!("{} {} {}", against.name, number(against.value), self.unit)
        });
        let (_, unit) = self.judged();
        let target = self.target.map_or(String::new(), |target| {
            let sign = if target.at_least { "≥" } else { "≤" };
            let then = target.then.map(|then| format!(", then {sign} {}", number(then)));
            format!("{sign} {} {unit}{}", number(target.first), then.unwrap_or_default())
        });
        let verdict = match self.verdict() {
            Verdict::NoTarget => "",
            Verdict::Premature => "no verdict: no search yet",
            Verdict::Missed => "MISSED",
            Verdict::First => "met",
            Verdict::Then => "met, also then",
        };
        [
            format!("{} {}", number(self.value), self.unit),
            against,
            self.ratio().map_or(String::new(), |ratio| format!("{ratio:.2} ×")),
            target,
            verdict.to_owned(),
        ]
    }
}

/// A number of documents or requests in few characters: `1M`, `50k`, `199568`.
pub fn count(number: usize) -> String {
    match number {
        n if n >= 1_000_000 && n % 100_000 == 0 => format!("{}M", n as f64 / 1e6),
        n if n >= 1_000 && n % 1_000 == 0 => format!("{}k", n / 1_000),
        n => n.to_string(),
    }
}

/// Three digits that mean something.
fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 || v == v.trunc() => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// What one run found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Section {
    pub date: String,
    pub commit: String,
    /// `dist build` or `given`.
    pub server: String,
    pub quick: bool,
    /// Whether the server made documents searchable; see [`Row::premature`].
    pub searchable: bool,
    /// The share of the processors that something else took just before the runs.
    pub busy_before: f64,
    pub machine: Machine,
    pub rows: Vec<Row>,
    /// Every number that was taken.
    pub raw: Value,
}

/// The sections by the name of their run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    pub sections: BTreeMap<String, Section>,
}

impl Report {
    /// The report kept at `path`; an empty one if there is none.
    pub fn load(path: &Path) -> Result<Self> {
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .with_context(|| format!("{} is not a report of this harness", path.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Report::default()),
            Err(error) => Err(error.into()),
        }
    }

    pub fn save(&self, path: &Path) -> Result<()> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(fs::write(path, json)?)
    }
}

/// What stands above the cells of a row.
pub const HEAD: [&str; 6] = ["what", "measured", "against", "ratio", "target", ""];

/// The rows as an aligned table.
pub fn table(rows: &[Row]) -> String {
    let mut lines = vec![HEAD.map(str::to_owned)];
    for row in rows {
        let [value, against, ratio, target, verdict] = row.cells();
        lines.push([row.what.clone(), value, against, ratio, target, verdict]);
    }
    let mut widths = [0; 6];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for line in &lines {
        let cells: Vec<_> =
            line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Target = Target::at_most(2.0, 1.2);

    #[test]
    fn a_target_is_held_against_the_ratio() {
        let row = |value| Row::new("cpu", value, "s").against("peer", 10.0).target(TARGET);
        assert_eq!(row(11.0).verdict(), Verdict::Then);
        assert_eq!(row(20.0).verdict(), Verdict::First);
        assert_eq!(row(20.1).verdict(), Verdict::Missed);
    }

    #[test]
    fn a_target_without_a_peer_is_held_against_the_value() {
        assert_eq!(Row::new("time", 1.5, "s").target(TARGET).verdict(), Verdict::First);
        assert_eq!(Row::new("time", 1.5, "s").verdict(), Verdict::NoTarget);
    }

    #[test]
    fn a_target_of_the_value_is_not_held_against_the_ratio() {
        let row = |value| {
            Row::new("cpu", value, "ms").against("peer", 10.0).target(Target::value_at_most(0.5))
        };
        assert_eq!(row(0.5).verdict(), Verdict::First);
        assert_eq!(row(0.6).verdict(), Verdict::Missed);
        assert_eq!(row(0.5).cells()[2..4], ["0.05 ×", "≤ 0.50 ms"]);
    }

    #[test]
    fn more_is_better_where_a_target_says_at_least() {
        let row = |value| Row::new("found", value, "%").target(Target::at_least(70.0));
        assert_eq!(row(70.0).verdict(), Verdict::First);
        assert_eq!(row(69.9).verdict(), Verdict::Missed);
        assert_eq!(row(35.0).cells()[3], "≥ 70 %");
        assert_eq!(Target::at_least(70.0).share(35.0), 2.0);
    }

    #[test]
    fn a_server_that_cannot_search_meets_no_target() {
        let mut row = Row::new("cpu", 1.0, "s").against("peer", 10.0).target(TARGET);
        row.premature = true;
        assert_eq!(row.verdict(), Verdict::Premature);
    }

    #[test]
    fn counts_are_short_where_they_are_round() {
        let counts = [1_000_000, 2_500_000, 50_000, 199_568].map(count);
        assert_eq!(counts, ["1M", "2.5M", "50k", "199568"]);
    }

    #[test]
    fn the_table_is_aligned() {
        let rows = [
            Row::new("cpu", 15.0, "s").against("peer", 10.0).target(TARGET),
            Row::new("longer name", 123.4, "ms"),
        ];
        let expected = "\
what         measured  against    ratio   target              
cpu          15 s      peer 10 s  1.50 ×  ≤ 2 ×, then ≤ 1.20  met
longer name  123 ms
";
        assert_eq!(table(&rows), expected.replace("target              \n", "target\n"));
    }
}
