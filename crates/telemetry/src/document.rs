//! Generates the tables of docs/telemetry.md from the reported fields. A test compares the page
//! with them, so it cannot fall behind.

use std::fmt::Write;

use model::Features;
use time::OffsetDateTime;

use crate::fields::Fields;
use crate::kinds;
use crate::profile::{Instance, Profile, Stats};

/// Returns every figure of the instance message, and every event with its figures.
pub fn markdown() -> String {
    let mut page = String::from("## The instance (`identify`)\n\n| trait | meaning |\n|---|---|\n");
    let profile = Profile::default().fields(&EmptyInstance, OffsetDateTime::UNIX_EPOCH);
    add_rows(&profile, &[], &mut page);

    let kinds = kinds::catalogue();
    page.push_str(
        "\n## Events (`track`)\n\nEvery event has:\n\n| property | meaning |\n|---|---|\n",
    );
    let plain =
        kinds.iter().map(|(_, _, fields)| fields).min_by_key(|fields| fields.as_slice().len());
    let common: Vec<&str> = plain
        .map(|fields| fields.as_slice().iter().map(|field| field.path).collect())
        .unwrap_or_default();
    if let Some(plain) = plain {
        add_rows(plain, &[], &mut page);
    }
    for (name, when, fields) in &kinds {
        // Writing to a string cannot fail.
        let _ = write!(page, "\n### {name}\n\n{when}\n");
        if fields.as_slice().len() > common.len() {
            page.push_str("\n| property | meaning |\n|---|---|\n");
            add_rows(fields, &common, &mut page);
        }
    }
    page
}

fn add_rows(fields: &Fields, without: &[&str], page: &mut String) {
    for field in fields.as_slice().iter().filter(|field| !without.contains(&field.path)) {
        let _ = writeln!(page, "| `{}` | {} |", field.path, field.meaning);
    }
}

struct EmptyInstance;

impl Instance for EmptyInstance {
    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn features(&self) -> Features {
        Features::default()
    }
}
