//! Reports the results of an evaluation as tables or as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::judged::{JudgedQueries, counted_queries};
use super::metrics::{Measure, mean};
use super::significance::Comparison;
use super::variant::VariantResult;
use crate::table::{self, Cell, Table};

pub(super) struct Report<'a> {
    index: &'a str,
    cut: usize,
    judged: &'a JudgedQueries,
    results: &'a [VariantResult],
    /// One for each of `Measure::ALL` if two variants are compared, else empty.
    comparisons: Vec<Comparison>,
    /// Positions of the queries that are listed individually.
    worst: Vec<usize>,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        index: &'a str,
        cut: usize,
        judged: &'a JudgedQueries,
        results: &'a [VariantResult],
        worst: usize,
    ) -> Self {
        let comparisons = match results {
            [first, second] => Measure::ALL
                .map(|measure| Comparison::of(&first.all(measure), &second.all(measure)))
                .to_vec(),
            _ => Vec::new(),
        };
        let mut report = Self { index, cut, judged, results, comparisons, worst: Vec::new() };
        let mut places: Vec<usize> = (0..judged.len()).collect();
        places.sort_by(|one, other| report.rank(*one).total_cmp(&report.rank(*other)));
        places.truncate(worst);
        report.worst = places;
        report
    }

    /// Sort key of the listed queries: the lowest comes first.
    fn rank(&self, place: usize) -> f64 {
        match self.results {
            [only] => only.values[place].get(Measure::Ndcg),
            _ => -self.change(place).abs(),
        }
    }

    /// Returns the change of NDCG from the first variant to the second.
    fn change(&self, place: usize) -> f64 {
        match self.results {
            [first, second] => {
                second.values[place].get(Measure::Ndcg) - first.values[place].get(Measure::Ndcg)
            }
            _ => 0.0,
        }
    }

    pub(super) fn write(&self, width: usize, styled: bool, out: &mut dyn Write) -> io::Result<()> {
        self.write_sides(out)?;
        self.measures().write(width, styled, out)?;
        if let Some(comparison) = self.comparisons.first() {
            writeln!(
                out,
                "\n{} at NDCG@{}: {} better, {} equal, {} worse. {}.",
                counted_queries(self.judged.len()),
                self.cut,
                comparison.wins,
                comparison.ties,
                comparison.losses,
                comparison.verdict().sentence()
            )?;
        } else {
            writeln!(out, "\n{}.", counted_queries(self.judged.len()))?;
        }
        for (number, why) in [
            (self.judged.skipped, "skipped: no judged document above grade 0"),
            (self.judged.unmatched, "judged but missing from --queries"),
        ] {
            if number > 0 {
                writeln!(out, "{} {why}.", counted_queries(number))?;
            }
        }
        if self.worst.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        self.queries().write(width, styled, out).map(drop)
    }

    /// Writes a line about each variant, if there are two.
    fn write_sides(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.comparisons.is_empty() {
            return Ok(());
        }
        for result in self.results {
            let of = match &result.variant.settings {
                None => format!("`{}` as it is", self.index),
                Some(settings) => {
                    format!("a copy of `{}` with {}", self.index, short(settings))
                }
            };
            let body = match &result.variant.body {
                body if body.is_empty() => String::new(),
                body => format!(", searched with {}", short(body)),
            };
            writeln!(out, "{:<7} {of}{body}", format!("{}:", result.variant.name))?;
        }
        writeln!(out)
    }

    fn measures(&self) -> Table {
        let right = table::Align::Right;
        let mut columns = vec![("", table::Align::Left)];
        if self.comparisons.is_empty() {
            columns.push(("value", right));
        } else {
            columns.extend(self.results.iter().map(|result| (result.variant.name, right)));
            columns.extend([("difference", right), ("p", right), ("verdict", table::Align::Left)]);
        }
        let mut table = Table::new(&columns);
        for (place, measure) in Measure::ALL.into_iter().enumerate() {
            let mut row = vec![Cell::new(&format!("{}@{}", measure.name(), self.cut))];
            row.extend(self.results.iter().map(|result| four_digits(mean(&result.all(measure)))));
            if let Some(comparison) = self.comparisons.get(place) {
                row.push(signed(comparison.difference));
                row.push(four_digits(comparison.p_value));
                row.push(Cell::new(comparison.verdict().words()));
            }
            table.row(row);
        }
        let times = |name: &str, figure: &dyn Fn(&[f64]) -> f64| {
            let figures =
                self.results.iter().map(|result| format!("{:.1}", figure(&result.milliseconds)));
            std::iter::once(Cell::new(name)).chain(figures.map(|text| Cell::new(&text))).collect()
        };
        table.row(times("ms per query", &mean));
        table.row(times("95 of 100 within ms", &percentile_95));
        table
    }

    fn queries(&self) -> Table {
        let right = table::Align::Right;
        let mut columns = vec![("query", table::Align::Left)];
        let ndcg = format!("NDCG@{}", self.cut);
        if self.comparisons.is_empty() {
            columns.push((ndcg.as_str(), right));
        } else {
            columns.extend(self.results.iter().map(|result| (result.variant.name, right)));
            columns.push(("difference", right));
        }
        columns.push(("text", table::Align::Left));
        let mut table = Table::new(&columns);
        let queries = self.judged.queries();
        for &place in &self.worst {
            let mut row = vec![Cell::new(&queries[place].id)];
            let values = self.results.iter().map(|result| result.values[place].get(Measure::Ndcg));
            row.extend(values.map(four_digits));
            if !self.comparisons.is_empty() {
                row.push(signed(self.change(place)));
            }
            row.push(Cell::new(&queries[place].text));
            table.row(row);
        }
        table
    }

    pub(super) fn json(&self) -> Value {
        let mut report = json!({
            "index": self.index,
            "at": self.cut,
            "queries": self.judged.len(),
            "queriesWithoutJudgement": self.judged.skipped,
            "judgedQueriesNotAsked": self.judged.unmatched,
            "runs": self.results.iter().map(VariantResult::json).collect::<Vec<_>>(),
        });
        if !self.comparisons.is_empty() {
            let pairs = Measure::ALL.into_iter().zip(&self.comparisons);
            report["comparison"] = pairs
                .map(|(measure, of)| (key(measure), comparison_json(of)))
                .collect::<Map<_, _>>()
                .into();
        }
        if !self.worst.is_empty() {
            let queries = self.judged.queries();
            let shown = self.worst.iter().map(|place| {
                let values =
                    self.results.iter().map(|result| result.values[*place].get(Measure::Ndcg));
                let query = queries[*place];
                json!({ "id": query.id, "text": query.text, "ndcg": values.collect::<Vec<_>>() })
            });
            report["worst"] = shown.collect();
        }
        report
    }
}

/// Maximum number of characters of a JSON object shown in a line.
const LONGEST_OBJECT: usize = 200;

fn short(object: &Map<String, Value>) -> String {
    let text = Value::Object(object.clone()).to_string();
    match text.char_indices().nth(LONGEST_OBJECT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl VariantResult {
    fn all(&self, measure: Measure) -> Vec<f64> {
        self.values.iter().map(|values| values.get(measure)).collect()
    }

    fn json(&self) -> Value {
        let mut run = json!({ "body": self.variant.body, "settings": self.variant.settings });
        for measure in Measure::ALL {
            run[key(measure)] = mean(&self.all(measure)).into();
        }
        run["msPerQuery"] = mean(&self.milliseconds).into();
        run["msPerQuery95"] = percentile_95(&self.milliseconds).into();
        run
    }
}

fn key(measure: Measure) -> String {
    measure.name().to_lowercase()
}

fn comparison_json(comparison: &Comparison) -> Value {
    json!({
        "difference": comparison.difference,
        "pValue": comparison.p_value,
        "isSignificant": comparison.is_significant(),
        "better": comparison.wins,
        "equal": comparison.ties,
        "worse": comparison.losses,
    })
}

fn four_digits(value: f64) -> Cell {
    Cell::new(&format!("{value:.4}"))
}

fn signed(value: f64) -> Cell {
    Cell::new(&format!("{value:+.4}"))
}

fn percentile_95(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * 95).div_ceil(100);
    sorted.get(place.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
