//! Recorded conversations, replayed against the real program. Every scenario gets a fresh data
//! folder and a port of its own. Steps that need features to come, or that differ on purpose, are
//! listed in conformance/skips.toml; a listed step that passes fails the test, so the list cannot
//! rot.
//!
//! CONFORMANCE_ONLY=text plays only the scenarios whose name contains the text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::replay::player::{Verdict, play};
use crate::replay::scenario::Scenario;
use crate::replay::skips::Skips;

/// The chapters whose routes are built.
const CHAPTERS: &[&str] = &[
    "auth-operations",
    "documents",
    "filters-facets",
    "indexes-tasks",
    "languages",
    "search-text",
    "settings",
    "vectors-federation",
];
const AT_THE_SAME_TIME: usize = 4;

#[test]
fn answers_are_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let skips = Skips::read(&folder.join("skips.toml"));
    let scenarios = scenarios(&folder);
    for name in skips.scenarios() {
        assert!(scenarios.contains_key(name), "skips.toml names `{name}`, which does not exist");
    }
    let only = std::env::var("CONFORMANCE_ONLY").unwrap_or_default();
    let chosen: Vec<_> = scenarios.iter().filter(|(name, _)| name.contains(&only)).collect();

    let next = AtomicUsize::new(0);
    let verdicts: Mutex<BTreeMap<&String, Verdict>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..AT_THE_SAME_TIME {
            scope.spawn(|| {
                while let Some((name, path)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = play(&Scenario::read(path), &skips.of(name));
                    verdicts.lock().unwrap().insert(name, verdict);
                }
            });
        }
    });

    let verdicts = verdicts.into_inner().unwrap();
    let mut failed = 0;
    for (name, verdict) in verdicts.iter().filter(|(_, verdict)| !verdict.complaints.is_empty()) {
        failed += 1;
        eprintln!("{name}\n    {}", verdict.complaints.join("\n    "));
    }
    let compared: usize = verdicts.values().map(|verdict| verdict.compared).sum();
    let skipped: usize = verdicts.values().map(|verdict| verdict.skipped).sum();
    eprintln!("scenarios {}, steps compared {compared}, skipped {skipped}", verdicts.len());
    assert_eq!(failed, 0, "{failed} scenarios differ from what was recorded");
}

fn scenarios(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut scenarios = BTreeMap::new();
    for chapter in CHAPTERS {
        for entry in std::fs::read_dir(folder.join(chapter)).expect("a chapter") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if name.ends_with(".json") {
                scenarios.insert(format!("{chapter}/{name}"), path);
            }
        }
    }
    scenarios
}
