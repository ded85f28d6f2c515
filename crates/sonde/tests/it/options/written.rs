//! Files that are written from the table of options.

use std::fs;
use std::path::Path;

use sonde::options::option::{Group, LaunchOption};
use sonde::options::table::TABLE;
use sonde::options::{document, example};

use crate::options::file;

#[test]
fn the_documentation_follows_the_table() {
    follows("docs/options.md", &document::markdown());
    follows("packaging/config.toml", &example::toml());
}

/// Compares a file that is written from the table with what it should be, or renews it.
fn follows(name: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, generated).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == generated,
        "{name} is behind the table; renew it with UPDATE_DOCS=1 cargo test -p sonde --test it options"
    );
}

#[test]
fn every_line_of_the_example_is_accepted() {
    let example = example::toml();
    assert!(file(&example).config().is_ok(), "as it is, it changes nothing");
    let lines: Vec<&str> = example
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' ')))
        .collect();
    let in_file = TABLE.iter().filter(|option| option.in_file && option.is_available());
    assert_eq!(lines.len(), in_file.clone().count());
    for (line, option) in lines.iter().zip(in_file_order()) {
        let raw = file(line).gather().unwrap_or_else(|error| panic!("{error}")).raw;
        let given = raw.get(option).unwrap_or_else(|| panic!("`{line}` is not {}", option.name));
        assert!(option.kind.parse(&given.text).is_some(), "{line}");
    }
}

/// The options of the example, group by group.
fn in_file_order() -> Vec<&'static LaunchOption> {
    let of_group = |group| TABLE.iter().copied().filter(move |option| option.group == group);
    let options = Group::ALL.into_iter().flat_map(of_group);
    options.filter(|option| option.in_file && option.is_available()).collect()
}
