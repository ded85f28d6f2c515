//! docs/telemetry.md lists every figure. To renew its tables:
//! `UPDATE_DOCS=1 cargo test -p telemetry --test it documentation`

use std::fs;
use std::path::Path;

/// Everything behind this line is made from the code.
const BEGIN: &str =
    "<!-- What follows is made from crates/telemetry by its test `documentation`. -->\n\n";

#[test]
fn the_page_lists_what_is_collected() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/telemetry.md");
    let text = fs::read_to_string(&page).expect("the page");
    let (written, tables) = text.split_once(BEGIN).expect("the line before the tables");
    let expected = telemetry::markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&page, format!("{written}{BEGIN}{expected}")).expect("the page can be written");
        return;
    }
    assert!(tables == expected, "docs/telemetry.md is out of date: see the head of this test");
}
