//! The report for people: what was met and missed, every table, every plot.

use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::plots::{self, Plot};
use crate::report::{HEAD, Report, Row, Section, Verdict};

/// Writes `STEM.md` and, in a folder `STEM`, its plots.
pub fn write(report: &Report, results: &Path, stem: &str) -> Result<()> {
    let folder = results.join(stem);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(&folder)?,
    }
    let plots = plots::all(report);
    for plot in &plots {
        fs::write(folder.join(plot.name).with_extension("svg"), &plot.svg)?;
    }
    Ok(fs::write(results.join(stem).with_extension("md"), text(report, &plots, stem))?)
}

fn text(report: &Report, plots: &[Plot], stem: &str) -> String {
    let mut text = String::from(
        "# What was measured\n\n\
         Written by the benchmark (see [its README](../README.md)); the raw numbers are in the \
         JSON beside it. Every figure is compared with a peer that ran on the same machine just \
         before.\n\n",
    );
    summary(&mut text, report);
    for plot in plots {
        let (name, caption) = (plot.name, plot.caption);
        let _ = writeln!(text, "{caption}:\n\n![{caption}]({stem}/{name}.svg)\n");
    }
    for (name, section) in &report.sections {
        section_text(&mut text, name, section);
    }
    text
}

fn summary(text: &mut String, report: &Report) {
    let rows = || report.sections.values().flat_map(|section| &section.rows);
    let count = |wanted: &[Verdict]| rows().filter(|row| wanted.contains(&row.verdict())).count();
    let _ = writeln!(
        text,
        "Of {} figures with a target, {} meet it, {} of these also the one after it; {} miss it.\n",
        rows().filter(|row| row.target.is_some()).count(),
        count(&[Verdict::First, Verdict::Then]),
        count(&[Verdict::Then]),
        count(&[Verdict::Missed]),
    );
    let missed: Vec<_> = rows().filter(|row| row.verdict() == Verdict::Missed).collect();
    if !missed.is_empty() {
        text.push_str("Missed:\n\n");
        table(text, missed.into_iter());
    }
}

fn section_text(text: &mut String, name: &str, section: &Section) {
    let machine = &section.machine;
    let _ = writeln!(
        text,
        "## {name}\n\n{}, commit {} ({}), {}, {} cores, {} GB, {}, {}, {}; before it the machine \
         was {:.0} % busy.\n",
        section.date,
        section.commit,
        section.server,
        machine.processor,
        machine.cores,
        machine.memory_gb,
        machine.kernel,
        machine.file_system,
        machine.compiler,
        section.busy_before * 1e2,
    );
    table(text, section.rows.iter());
    for (set, of_set) in section.raw.as_object().into_iter().flatten() {
        slowest_queries(text, set, of_set);
    }
}

/// The slowest queries of a set that were asked for the first time, by name.
fn slowest_queries(text: &mut String, set: &str, raw: &Value) {
    let first = raw.pointer("/sonde/0/first").or_else(|| raw.get("first"));
    let Some(slowest) = first.and_then(|first| first["slowest"].as_array()) else { return };
    let _ = writeln!(text, "The slowest queries of {set}, asked for the first time:\n");
    let _ = writeln!(text, "| query | documents | ms | ms of CPU |\n|---|---|---|---|");
    for slow in slowest {
        let _ = writeln!(
            text,
            "| `{}` | {} | {:.1} | {:.1} |",
            slow["query"].as_str().unwrap_or_default().replace('|', "\\|"),
            slow["matches"],
            slow["ms"].as_f64().unwrap_or_default(),
            slow["cpu_ms"].as_f64().unwrap_or_default(),
        );
    }
    text.push('\n');
}

fn table<'r>(text: &mut String, rows: impl Iterator<Item = &'r Row>) {
    let _ = writeln!(text, "| {} |", HEAD.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(HEAD.len()));
    for row in rows {
        let _ = writeln!(text, "| {} | {} |", row.what, row.cells().join(" | "));
    }
    text.push('\n');
}
