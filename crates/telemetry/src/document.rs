//! Generates the tables of docs/telemetry.md from the reported fields. A test compares the page
//! with them, so it cannot fall behind.

use std::fmt::Write;
use std::iter;

use model::Features;
use time::OffsetDateTime;

use crate::event::{Kind, LAUNCHED};
use crate::fields::Fields;
use crate::profile::{Instance, Profile, Stats};
use crate::totals::EventTotals;

/// Returns every figure of the instance message, and every event with its figures.
pub fn markdown(kinds: &'static [Kind]) -> String {
    let mut page = String::from("## The instance (`identify`)\n\n| trait | meaning |\n|---|---|\n");
    let profile = Profile::default().fields(&EmptyInstance, OffsetDateTime::UNIX_EPOCH);
    add_rows(&profile, &[], &mut page);

    page.push_str(
        "\n## Events (`track`)\n\nEvery event has:\n\n| property | meaning |\n|---|---|\n",
    );
    let fields_of = |kind| EventTotals::new(kind, OffsetDateTime::UNIX_EPOCH).fields();
    let plain = fields_of(&LAUNCHED);
    let common: Vec<&str> = plain.as_slice().iter().map(|field| field.path).collect();
    add_rows(&plain, &[], &mut page);
    for kind in iter::once(&LAUNCHED).chain(kinds) {
        // Writing to a string cannot fail.
        let _ = write!(page, "\n### {}\n\n{}\n", kind.name, kind.when);
        let fields = fields_of(kind);
        if fields.as_slice().len() > common.len() {
            page.push_str("\n| property | meaning |\n|---|---|\n");
            add_rows(&fields, &common, &mut page);
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
