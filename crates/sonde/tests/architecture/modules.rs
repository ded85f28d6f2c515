//! The arrows between the first-level modules of a crate. A module uses only those below it, so that
//! a reader can take them one after the other: a circle fails the test, with the files that close it,
//! until it is cut or listed here with a reason. One that is listed and cut fails it too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

/// Modules of a crate that use each other, and why they may.
const CIRCLES: &[(&str, &[&str], &str)] = &[(
    "index",
    &["commit", "index", "merge", "recovery", "writer"],
    "one state that is written in five ways: each file is what one of them does to it",
)];

/// The modules of a crate from top to bottom, where ARCHITECTURE.md lists them: each uses only those
/// that come later.
const ORDER: &[(&str, &[&str])] = &[(
    "engine",
    &[
        "api",
        "runner",
        "backup",
        "chats",
        "search",
        "documents",
        "models",
        "indexes",
        "storage",
        "search_rules",
        "keys",
        "webhooks",
        "common",
    ],
)];

/// Module → modules that it uses → files that do so.
type Arrows = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

#[test]
fn modules_use_only_those_below_them() {
    let mut mistakes = Vec::new();
    for name in crate_names() {
        let arrows = arrows(&source_folder(&name));
        let mut known: Vec<BTreeSet<&str>> = CIRCLES
            .iter()
            .filter(|circle| circle.0 == name)
            .map(|(_, modules, _)| modules.iter().copied().collect())
            .collect();
        for circle in circles(&arrows) {
            let modules: BTreeSet<&str> = circle.iter().map(String::as_str).collect();
            match known.iter().position(|known| *known == modules) {
                Some(place) => drop(known.remove(place)),
                None => mistakes.push(described(&name, &circle, &arrows)),
            }
        }
        for gone in known {
            mistakes.push(format!("{name}: {gone:?} is listed and no circle any more"));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn modules_use_only_those_that_are_listed_below_them() {
    let mut mistakes = Vec::new();
    for (name, order) in ORDER {
        let arrows = arrows(&source_folder(name));
        let floor = |module: &str| order.iter().position(|listed| *listed == module);
        for (from, uses) in &arrows {
            for (to, files) in uses {
                match (floor(from), floor(to)) {
                    (Some(upper), Some(lower)) if upper < lower => {}
                    (Some(_), Some(_)) => {
                        mistakes.push(format!("{name}: {from} is below {to}: {files:?}"));
                    }
                    _ => mistakes.push(format!("{name}: {from} or {to} is not listed")),
                }
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

fn described(name: &str, circle: &BTreeSet<String>, arrows: &Arrows) -> String {
    let mut lines = vec![format!("{name}: these modules use each other: {circle:?}")];
    for (from, uses) in arrows.iter().filter(|(from, _)| circle.contains(*from)) {
        for (to, files) in uses.iter().filter(|(to, _)| circle.contains(*to)) {
            lines.push(format!("    {from} uses {to} in {files:?}"));
        }
    }
    lines.join("\n")
}

fn crate_names() -> Vec<String> {
    super::manifests().into_keys().collect()
}

fn source_folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src")
}

/// What the files of each first-level module use. Tests and the root of the crate are left out:
/// nothing is built on them.
fn arrows(source: &Path) -> Arrows {
    let mut files = Vec::new();
    super::collect_files(source, &mut files);
    let files: Vec<(Vec<String>, String)> = files
        .iter()
        .filter_map(|file| Some((parts(file.strip_prefix(source).ok()?), read(file))))
        .collect();
    let modules: BTreeSet<String> = files.iter().map(|(parts, _)| parts[0].clone()).collect();
    let root = fs::read_to_string(source.join("lib.rs")).unwrap_or_default();
    let exported = exported(&root, &modules);
    let mut arrows = Arrows::new();
    for (parts, text) in &files {
        let is_root = parts.len() == 1 && (parts[0] == "lib" || parts[0] == "main");
        if is_root || parts.iter().any(|part| part.contains("test")) {
            continue;
        }
        for used in used_names(text, parts.len()) {
            let module = modules.get(&used).or_else(|| exported.get(&used));
            if let Some(module) = module.filter(|module| **module != parts[0]) {
                let uses = arrows.entry(parts[0].clone()).or_default();
                uses.entry(module.clone()).or_default().insert(parts.join("/"));
            }
        }
    }
    arrows
}

/// The path of the module that a file is.
fn parts(file: &Path) -> Vec<String> {
    let file = file.with_extension("");
    let mut parts: Vec<String> =
        file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// A file without comments and without its tests.
fn read(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

/// What the root of a crate gives out under its own name, with the modules it is from.
fn exported(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let uses = Regex::new(r"use (?:crate::|self::)?(\w+)::([^;]+);").expect("a pattern");
    let name = Regex::new(r"\w+").expect("a pattern");
    let mut exported = BTreeMap::new();
    for found in uses.captures_iter(root) {
        if modules.contains(&found[1]) {
            let names = name.find_iter(found.get(2).map_or("", |names| names.as_str()));
            exported.extend(names.map(|name| (name.as_str().to_owned(), found[1].to_owned())));
        }
    }
    exported
}

/// The names behind `crate::` and behind as many `super::` as lead out of a module of this depth.
fn used_names(text: &str, depth: usize) -> BTreeSet<String> {
    let path = Regex::new(r"\b(crate::|(?:super::)+)(\w+|\{)").expect("a pattern");
    let mut names = BTreeSet::new();
    for found in path.captures_iter(text) {
        if found[1].starts_with("super") && found[1].matches("super").count() < depth {
            continue;
        }
        match &found[2] {
            "{" => {
                let end = found.get(2).map_or(text.len(), |brace| brace.end());
                names.extend(first_names(&text[end..]));
            }
            name => drop(names.insert(name.to_owned())),
        }
    }
    names
}

/// The first names of the paths in a group, up to the brace that ends it.
fn first_names(group: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let (mut depth, mut begin) = (0, 0);
    for (place, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' | ',' if depth == 0 => {
                let path = group[begin..place].trim();
                let name = path.split(|c: char| !c.is_alphanumeric() && c != '_').next();
                names.extend(name.filter(|name| !name.is_empty()).map(str::to_owned));
                begin = place + 1;
                if letter == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

/// The sets of modules of which each reaches every other.
fn circles(arrows: &Arrows) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        arrows.keys().map(|module| (module, reached_from(module, arrows))).collect();
    let mut circles: Vec<BTreeSet<String>> = Vec::new();
    for (module, all) in &reached {
        let is_back = |other: &&&String| reached.get(**other).is_some_and(|it| it.contains(module));
        let circle: BTreeSet<String> = all.iter().filter(is_back).map(|it| (*it).clone()).collect();
        if !circle.is_empty() && !circles.contains(&circle) {
            circles.push(circle);
        }
    }
    circles
}

fn reached_from<'a>(module: &'a String, arrows: &'a Arrows) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut left = vec![module];
    while let Some(next) = left.pop() {
        for used in arrows.get(next).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(used) {
                left.push(used);
            }
        }
    }
    reached
}

#[test]
fn names_are_found_in_paths_and_groups() {
    let text =
        "use crate::a::B;\nuse crate::{c::{D, E}, f, G};\nuse super::h;\nuse super::super::i;";
    let names = |depth| used_names(text, depth).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(names(1), "G a c f h i");
    assert_eq!(names(2), "G a c f i");
}

#[test]
fn circles_are_found() {
    let mut arrows = Arrows::new();
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("f", "a")] {
        let uses = arrows.entry(from.to_owned()).or_default();
        uses.entry(to.to_owned()).or_default().insert(format!("{from}.rs"));
    }
    let circle = ["a", "b", "c"].map(str::to_owned).into();
    assert_eq!(circles(&arrows), [circle]);
}
