//! The plots of the report, as SVG: each is made of what the results file holds, so that a run
//! that was repeated changes only what it measured. A plot whose run is missing is left out.

mod bars;
mod canvas;
mod lines;
mod targets;

use serde_json::Value;

use self::bars::Group;
use self::lines::{Axis, Chart, Series};
use crate::measure::PERCENTILES;
use crate::report::{Report, Row};

/// A plot: the name of its file without the ending, what it shows, the picture.
pub struct Plot {
    pub name: &'static str,
    pub caption: &'static str,
    pub svg: String,
}

pub fn all(report: &Report) -> Vec<Plot> {
    let plots = [
        ("targets", "Everything with a target, as a share of it", Some(targets::svg(report))),
        ("indexing", "Processor time to index a set", indexing(report)),
        ("disk", "Disk after merging, as a multiple of the raw documents", disk(report)),
        ("latency", "How long searches take, from the fastest to the slowest", latency(report)),
        ("recall", "Recall of the ten nearest against processor time", recall(report)),
        ("scaling", "What a document and a query cost as documents are added", scaling(report)),
    ];
    let made = plots.into_iter();
    made.filter_map(|(name, caption, svg)| Some(Plot { name, caption, svg: svg? })).collect()
}

fn rows<'r>(report: &'r Report, section: &str, ending: &str) -> Vec<(&'r str, &'r Row)> {
    let section = report.sections.get(section);
    let rows = section.into_iter().flat_map(|section| &section.rows);
    rows.filter_map(|row| Some((row.what.strip_suffix(ending)?.trim_end_matches(':'), row)))
        .collect()
}

fn indexing(report: &Report) -> Option<String> {
    let groups = rows(report, "indexing", " indexing CPU with merging").into_iter();
    let groups: Vec<_> = groups
        .map(|(set, row)| Group {
            name: set.to_owned(),
            values: vec![row.value, row.against.as_ref().map_or(0.0, |peer| peer.value)],
        })
        .collect();
    bars::svg("Indexing, s of processor time", &["Sonde", "tantivy"], &groups)
}

fn disk(report: &Report) -> Option<String> {
    let peers = rows(report, "indexing", " disk, tantivy");
    let groups = rows(report, "indexing", " disk").into_iter();
    let groups: Vec<_> = groups
        .map(|(set, row)| {
            let peer = peers.iter().find(|(known, _)| *known == set);
            let ratio = |row: &Row| row.ratio().unwrap_or(0.0);
            let values = vec![ratio(row), peer.map_or(0.0, |(_, row)| ratio(row))];
            Group { name: set.to_owned(), values }
        })
        .collect();
    bars::svg("Disk, × raw", &["Sonde", "tantivy"], &groups)
}

fn latency(report: &Report) -> Option<String> {
    let raw = report.sections.get("again")?.raw.as_object()?;
    let mut series = Vec::new();
    for (set, sides) in raw {
        for (side, dashed) in [("sonde", false), ("tantivy", true)] {
            let runs = sides[side].as_array()?;
            // One of the runs, not an average of them: a curve that was measured.
            let run = &runs.get(runs.len() / 2)?["latencies"]["percentiles_ms"];
            let points = PERCENTILES.iter().zip(numbers(run)).map(|(rank, ms)| (rank * 1e2, ms));
            let points: Vec<_> = points.collect();
            let name = format!("{set}, {side}");
            series.push(Series { name, points, dashed });
        }
    }
    Chart {
        title: "Search latency, ms, by percentile",
        x: Axis { label: "percentile", logarithmic: false },
        y: Axis { label: "ms", logarithmic: true },
        series,
    }
    .svg()
}

fn recall(report: &Report) -> Option<String> {
    let raw = report.sections.get("vectors")?.raw.as_object()?;
    let mut series = Vec::new();
    for (set, sides) in raw {
        for side in ["sonde", "hnswlib", "hannoy"] {
            let Some(run) = sides[side].get(0) else { continue };
            let unfiltered = |search: &&Value| {
                search["filter"].as_str().is_some_and(|filter| filter.eq_ignore_ascii_case("none"))
            };
            let searches = run["searches"].as_array().into_iter().flatten().filter(unfiltered);
            let points = searches.filter_map(|search| {
                Some((search["cpu_ms_each"].as_f64()?, search["recall"].as_f64()?))
            });
            let mut points: Vec<_> = points.collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            series.push(Series { name: format!("{set}, {side}"), points, dashed: side != "sonde" });
        }
    }
    Chart {
        title: "Vector search: recall@10 against processor time (Sonde with HTTP and JSON)",
        x: Axis { label: "ms a query", logarithmic: true },
        y: Axis { label: "recall", logarithmic: false },
        series,
    }
    .svg()
}

fn scaling(report: &Report) -> Option<String> {
    let sizes = report.sections.get("growth")?.raw["sizes"].as_array()?;
    let line = |name: &str, figure: fn(&Value) -> Option<f64>| {
        let point = |size: &Value| Some((size["docs"].as_f64()?, figure(size)?));
        let points = sizes.iter().filter_map(point).collect();
        Series { name: name.to_owned(), points, dashed: false }
    };
    Chart {
        title: "npm packages: cost by number of documents",
        x: Axis { label: "documents", logarithmic: true },
        y: Axis { label: "", logarithmic: true },
        series: vec![
            line("indexing, µs a document", |size| {
                Some(size["indexing"]["cpu_settled_s"].as_f64()? * 1e6 / size["docs"].as_f64()?)
            }),
            line("disk, bytes a document", |size| {
                Some(size["indexing"]["disk_bytes"].as_f64()? / size["docs"].as_f64()?)
            }),
            line("search, ms of processor time", |size| size["searching"]["cpu_ms_each"].as_f64()),
            line("search, p99 ms", |size| size["searching"]["latencies"]["p99_ms"].as_f64()),
        ],
    }
    .svg()
}

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
