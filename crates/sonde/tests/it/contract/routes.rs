//! The list of routes that the contract has, so that none is without a scenario.

use std::collections::BTreeSet;
use std::path::Path;

pub struct Routes(Vec<String>);

impl Routes {
    /// Lines like `GET /indexes/{uid}`.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("the list of routes");
        Self(serde_yaml_ng::from_str(&text).expect("a list of texts"))
    }

    /// Returns the routes that none of these requests reaches.
    pub fn not_among(&self, requests: &BTreeSet<(String, String)>) -> Vec<&String> {
        let is_missing = |route: &&String| {
            let (method, pattern) = route.split_once(' ').expect("a method and a path");
            !requests.iter().any(|(sent, path)| {
                sent == method && fits(pattern, path.split('?').next().unwrap_or_default())
            })
        };
        self.0.iter().filter(is_missing).collect()
    }
}

fn fits(pattern: &str, path: &str) -> bool {
    let (wanted, given) = (pattern.split('/'), path.split('/'));
    wanted.clone().count() == given.clone().count()
        && wanted.zip(given).all(|(wanted, given)| wanted.starts_with('{') || wanted == given)
}

#[test]
fn places_in_braces_stand_for_one_part_of_a_path() {
    assert!(fits("/indexes/{uid}/documents", "/indexes/books/documents"));
    assert!(!fits("/indexes/{uid}/documents", "/indexes/books/search"));
    assert!(!fits("/indexes/{uid}", "/indexes/books/documents"));
}
