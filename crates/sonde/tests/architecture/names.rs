//! Names that say nothing, and private words for which the field has its own (GLOSSARY.md).

use std::fs;
use std::path::Path;

use regex::Regex;

/// Types of these names are clear only where their file is read as a whole.
const VAGUE: &str = "Place|Part|Sent|Kept|Wanted|Made|Written|Ended";
const SHORT_FILE: usize = 100;

/// Types that had a name of our own, and have one of the field now.
const REPLACED: &str = "Draft|Room|Patience|Patient|Crowd|Asker|Asking|Asked|AskedNetwork|AskedIndex|Demand\
    |SpreadSearch|Share|Ran|Prepared|Looked|Former|Later|LaterNode|Living|Effort|Placed|PlacedFiles|Pass\
    |Office|Books|Ledger|Sheet|Bundle|Courier|Parcel|Shelf|Shipment|Postman|Occasion|AskedValues|ReadyRule\
    |RuleBook|Moment|Course|Halt|Overdrawn|Unfit|Misplaced|Mistake|Refusal|Fault";

#[test]
fn types_have_names_that_are_clear() {
    let type_of = |names: &str| {
        Regex::new(&format!(r"(?m)^\s*(pub(?:\([^)]*\))? )?(?:struct|enum|type|trait) ({names})\b"))
            .expect("a pattern")
    };
    let (vague, replaced) = (type_of(VAGUE), type_of(REPLACED));
    let mut files = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in super::manifests().into_keys() {
        super::collect_files(&crates.join(name).join("src"), &mut files);
    }
    let mut mistakes = Vec::new();
    for file in files.iter().filter(|file| !file.to_string_lossy().contains("/tests")) {
        let text = fs::read_to_string(file).expect("a source file");
        let is_short = text.lines().count() < SHORT_FILE;
        for found in vague.captures_iter(&text) {
            if found.get(1).is_some() || !is_short {
                mistakes.push(format!("{}: `{}`", file.display(), &found[2]));
            }
        }
        for found in replaced.captures_iter(&text) {
            mistakes.push(format!("{}: `{}`", file.display(), &found[2]));
        }
    }
    assert!(mistakes.is_empty(), "say what it is:\n{}", mistakes.join("\n"));
}
