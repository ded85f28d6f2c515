//! The contract as data: the scenarios of conformance/contract, played against the program or,
//! with CONTRACT_URL, against any other server of this interface. Every chapter has a server of its
//! own with a master key; its scenarios are played one after the other and clean up behind them.
//!
//! CONTRACT_URL=http://… plays against that server, with CONTRACT_KEY as its master key;
//! CONTRACT_ONLY=text plays only the scenarios whose name contains the text.

// The counts show with --nocapture.
#![allow(clippy::print_stderr)]

mod account;
mod pattern;
mod player;
mod routes;
mod scenario;
mod target;
mod token;
mod variables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use account::Account;
use player::play;
use routes::Routes;
use scenario::Scenario;
use target::Target;

#[test]
fn the_contract_is_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/contract");
    let only = std::env::var("CONTRACT_ONLY").unwrap_or_default();
    let chapters = chapters(&folder, &only);
    let total = play_all(chapters.into_values().collect());
    for complaint in &total.complaints {
        eprintln!("{complaint}");
    }
    eprintln!("{total}");
    let is_whole = only.is_empty() && !Target::is_elsewhere();
    if is_whole {
        let routes = Routes::read(&folder.join("routes.yaml"));
        let missing = routes.not_among(&total.routes);
        assert!(missing.is_empty(), "no scenario calls {missing:#?}");
    }
    assert_eq!(total.failed, 0, "{} scenarios differ from the contract", total.failed);
}

/// Chapters have servers of their own and are played at the same time; one that is given has one
/// set of features and keys, so there they follow each other.
fn play_all(chapters: Vec<Vec<(String, PathBuf)>>) -> Account {
    if Target::is_elsewhere() {
        return play_chapter(&chapters.concat());
    }
    let total = Mutex::new(Account::default());
    thread::scope(|scope| {
        for scenarios in &chapters {
            scope.spawn(|| {
                let account = play_chapter(scenarios);
                total.lock().unwrap().add(account);
            });
        }
    });
    total.into_inner().unwrap()
}

/// The files of each chapter, by its name.
fn chapters(folder: &Path, only: &str) -> BTreeMap<String, Vec<(String, PathBuf)>> {
    let mut chapters: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for chapter in entries(folder).into_iter().filter(|path| path.is_dir()) {
        let title = name_of(&chapter);
        for file in entries(&chapter) {
            let name = format!("{title}/{}", name_of(&file));
            if name.ends_with(".yaml") && name.contains(only) {
                chapters.entry(title.clone()).or_default().push((name, file));
            }
        }
    }
    chapters
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of scenarios");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

fn play_chapter(scenarios: &[(String, PathBuf)]) -> Account {
    let mut account = Account::default();
    let shared = Target::shared();
    for (name, path) in scenarios {
        let scenario = Scenario::read(path);
        if !scenario.needs_own_server() {
            account.add(play(name, &scenario, &shared));
        } else if Target::is_elsewhere() {
            account.left_out += 1;
        } else {
            account.add(play(name, &scenario, &Target::own(&scenario)));
        }
    }
    account
}
