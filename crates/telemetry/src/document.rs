//! The tables of docs/telemetry.md, written from what is told. A test compares the page with
//! them, so it cannot fall behind.

use std::fmt::Write;

use model::Features;
use time::OffsetDateTime;

use crate::kinds;
use crate::profile::{Instance, Profile, Stats};
use crate::sheet::Sheet;

/// Every figure of the message about the instance, and every event with its figures.
pub fn markdown() -> String {
    let mut page = String::from("## The instance (`identify`)\n\n| trait | meaning |\n|---|---|\n");
    let profile = Profile::default().sheet(&Nothing, OffsetDateTime::UNIX_EPOCH);
    add_rows(&profile, &[], &mut page);

    let kinds = kinds::catalogue();
    page.push_str(
        "\n## Events (`track`)\n\nEvery event has:\n\n| property | meaning |\n|---|---|\n",
    );
    let plain = kinds.iter().map(|(_, _, sheet)| sheet).min_by_key(|sheet| sheet.fields().len());
    let common: Vec<&str> = plain
        .map(|sheet| sheet.fields().iter().map(|field| field.path).collect())
        .unwrap_or_default();
    if let Some(plain) = plain {
        add_rows(plain, &[], &mut page);
    }
    for (name, when, sheet) in &kinds {
        // Writing to a string cannot fail.
        let _ = write!(page, "\n### {name}\n\n{when}\n");
        if sheet.fields().len() > common.len() {
            page.push_str("\n| property | meaning |\n|---|---|\n");
            add_rows(sheet, &common, &mut page);
        }
    }
    page
}

fn add_rows(sheet: &Sheet, without: &[&str], page: &mut String) {
    for field in sheet.fields().iter().filter(|field| !without.contains(&field.path)) {
        let _ = writeln!(page, "| `{}` | {} |", field.path, field.meaning);
    }
}

struct Nothing;

impl Instance for Nothing {
    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn features(&self) -> Features {
        Features::default()
    }
}
