//! No route without a test.

use std::fs;
use std::path::Path;

use server::route_table;

/// Stands in the target of a test that walks a table of routes: all that fit are called.
const EACH: &str = "{route}";

/// Whether a target leads to a pattern, and how many of its names are fixed.
fn fit(pattern: &str, target: &str) -> Option<usize> {
    let names: Vec<&str> = pattern.split('/').collect();
    let path = target.split('?').next().unwrap_or_default();
    let given: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let given = if path == "/" { vec!["", ""] } else { given };
    if names.len() != given.len() {
        return None;
    }
    let mut fixed = 0;
    for (name, given) in names.iter().zip(given) {
        match name.starts_with('{') {
            true => {}
            false if *name == given || given == EACH => fixed += 1,
            false => return None,
        }
    }
    Some(fixed)
}

/// The texts of the files beside this one that have tests, all of which are compiled.
fn sources() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http");
    let declared = include_str!("main.rs");
    let mut sources = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let source = fs::read_to_string(&path).unwrap();
        if source.contains("#[test]") {
            assert!(declared.contains(&format!("\nmod {name};\n")), "{name}.rs is not compiled");
            sources.push(source);
        }
    }
    sources
}

/// Every `"METHOD /target` that the tests write down.
fn written_requests() -> Vec<(String, String)> {
    let mut requests = Vec::new();
    for source in sources() {
        for literal in source.split('"').skip(1) {
            if let Some((method, target)) = literal.split_once(" /")
                && ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method)
            {
                requests.push((method.to_owned(), format!("/{target}")));
            }
        }
    }
    requests
}

#[test]
fn every_route_is_called_by_some_test() {
    let table = route_table();
    let mut called = vec![false; table.len()];
    for (method, target) in written_requests() {
        let fitting = table
            .iter()
            .enumerate()
            .filter(|(_, route)| route.method == method)
            .filter_map(|(place, route)| Some((fit(route.pattern, &target)?, place)));
        if target.ends_with(EACH) {
            fitting.for_each(|(_, place)| called[place] = true);
        } else if let Some((_, place)) = fitting.max() {
            called[place] = true;
        }
    }
    let forgotten: Vec<String> = table
        .iter()
        .zip(called)
        .filter(|(_, called)| !called)
        .map(|(route, _)| format!("{} {}", route.method, route.pattern))
        .collect();
    assert!(forgotten.is_empty(), "no test calls {forgotten:#?}");
}

#[test]
fn no_route_stands_twice_and_all_but_public_ones_need_an_action() {
    let table = route_table();
    for (place, route) in table.iter().enumerate() {
        let again = table[..place]
            .iter()
            .any(|other| other.method == route.method && other.pattern == route.pattern);
        assert!(!again, "{} {}", route.method, route.pattern);
        let is_public = ["/", "/dashboard/{folder}/{file}", "/health", "/openapi.json"]
            .contains(&route.pattern)
            || route.pattern.starts_with("/docs");
        assert_eq!(route.action.is_none(), is_public, "{}", route.pattern);
    }
}
