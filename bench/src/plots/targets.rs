//! The plot: one bar a row that has a target, as a share of that target, so that seconds, bytes
//! and ratios stand on one axis. Shorter is better; the line is what is to be reached.

use super::canvas::Canvas;
use crate::report::{Report, Row, Verdict};

const LABEL_WIDTH: f64 = 300.0;
/// The length of a bar that just meets its first target.
const TARGET_WIDTH: f64 = 240.0;
/// Longer bars are cut here and marked.
const MOST_TARGETS: f64 = 2.0;
const BAR_HEIGHT: f64 = 22.0;
const TOP: f64 = 64.0;

pub fn svg(report: &Report) -> String {
    let rows: Vec<_> = report
        .sections
        .values()
        .flat_map(|section| &section.rows)
        .filter(|row| row.target.is_some())
        .collect();
    let height = TOP + rows.len() as f64 * BAR_HEIGHT + 16.0;
    let width = LABEL_WIDTH + TARGET_WIDTH * MOST_TARGETS + 112.0;
    let mut title =
        "Sonde: measured, as a share of the first target (shorter is better)".to_owned();
    if rows.iter().any(|row| row.premature) {
        title.push_str("; grey: no verdict, the server could not search yet");
    }
    let mut canvas = Canvas::new(width, height, &title);
    canvas.text(16.0, 44.0, "start", &subtitle(report), "fill=\"#666666\"");
    for (number, row) in rows.iter().enumerate() {
        bar(&mut canvas, TOP + number as f64 * BAR_HEIGHT, row);
    }
    let line = LABEL_WIDTH + TARGET_WIDTH;
    let ends = [(line, TOP - 6.0), (line, height - 12.0)];
    canvas.line(&ends, "#222222", "stroke-dasharray=\"4 3\"");
    canvas.finish()
}

/// The newest section speaks for all: machine, date and commit of each stand in the JSON.
fn subtitle(report: &Report) -> String {
    let newest = report.sections.values().max_by(|a, b| a.date.cmp(&b.date));
    newest.map_or(String::new(), |section| {
        let machine = &section.machine;
        format!(
            "{} · commit {} · {}, {} cores, {:.0} GB, {} · small mark: the target after it",
            section.date.split('T').next().unwrap_or_default(),
            section.commit,
            machine.processor,
            machine.cores,
            machine.memory_gb,
            machine.file_system
        )
    })
}

fn bar(canvas: &mut Canvas, y: f64, row: &Row) {
    let Some(target) = row.target else { return };
    let (judged, unit) = row.judged();
    let share = target.share(judged);
    let width = share.min(MOST_TARGETS) * TARGET_WIDTH;
    let colour = match row.verdict() {
        Verdict::Then => "#2f7d4f",
        Verdict::First => "#7fb069",
        Verdict::Missed => "#c8553d",
        Verdict::Premature | Verdict::NoTarget => "#b0b0b0",
    };
    let middle = y + BAR_HEIGHT * 0.68;
    canvas.text(LABEL_WIDTH - 8.0, middle, "end", &row.what, "");
    canvas.rectangle(LABEL_WIDTH, y + 3.0, width, BAR_HEIGHT - 6.0, colour);
    if let Some(then) = target.then {
        let then = LABEL_WIDTH + target.share(then) * TARGET_WIDTH;
        canvas.line(&[(then, y + 1.0), (then, y + BAR_HEIGHT - 1.0)], "#222222", "");
    }
    let cut = if share > MOST_TARGETS { " →" } else { "" };
    let label = format!("{judged:.2} {unit}{cut}");
    let right = LABEL_WIDTH + TARGET_WIDTH * MOST_TARGETS + 12.0;
    canvas.text(right, middle, "start", &label, "");
}
