//! Which routes the examples call.

use std::collections::BTreeSet;

use crate::docs::account::reason;
use crate::docs::page::{Kind, Page};

/// Routes that no example calls.
pub fn missing(pages: &[Page]) -> Vec<String> {
    let steps = pages.iter().flat_map(|page| page.steps.iter().map(move |step| (page, step)));
    let calls: BTreeSet<(String, String)> = steps
        .filter(|(page, step)| reason(page, step).is_none())
        .filter_map(|(_, step)| match &step.kind {
            Kind::Example(example) => Some(calls(&example.commands)),
            Kind::Meanwhile | Kind::Stopped | Kind::Form => None,
        })
        .flatten()
        .collect();
    server::route_table()
        .into_iter()
        .filter(|route| is_for_programs(&route.method, route.pattern))
        .filter(|route| {
            !calls.iter().any(|(method, path)| *method == route.method && fits(route.pattern, path))
        })
        .map(|route| format!("{} {}", route.method, route.pattern))
        .collect()
}

/// Pages are for browsers; of the routes of single settings, which are all alike, the one that
/// changes it is enough.
fn is_for_programs(method: &str, pattern: &str) -> bool {
    let is_page =
        pattern == "/" || pattern.starts_with("/dashboard") || pattern.starts_with("/docs");
    let is_alike =
        pattern.starts_with("/indexes/{uid}/settings/") && ["GET", "DELETE"].contains(&method);
    !is_page && !is_alike
}

fn fits(pattern: &str, path: &str) -> bool {
    let names: Vec<&str> = pattern.split('/').collect();
    let given: Vec<&str> = path.split('/').collect();
    let is_open = |name: &str| name.starts_with('{');
    names.len() == given.len()
        && names.iter().zip(&given).all(|(name, given)| is_open(name) || name == given)
}

/// Method and path of each call of `curl`.
fn calls(commands: &str) -> Vec<(String, String)> {
    let joined = commands.replace("\\\n", " ");
    let mut calls = Vec::new();
    for command in joined.split("curl ").skip(1) {
        let Some(rest) = command.split("localhost:7700").nth(1) else { continue };
        let end = rest.find(|c: char| c.is_whitespace() || "?'\"|)".contains(c));
        let path = &rest[..end.unwrap_or(rest.len())];
        let words: Vec<&str> = command.split_whitespace().collect();
        let named =
            words.iter().position(|word| *word == "-X").and_then(|place| words.get(place + 1));
        let has_body =
            words.iter().any(|word| ["-d", "--data", "--json", "--data-binary"].contains(word));
        let method = named.copied().unwrap_or(if has_body { "POST" } else { "GET" });
        calls.push((method.to_owned(), path.trim_end_matches('/').to_owned()));
    }
    calls
}

#[test]
fn calls_are_read_as_curl_reads_them() {
    let commands = "curl -X PUT 'localhost:7700/a/b?x=1' \\\n  --data '[]'\n\
                    curl http://localhost:7700/c --json '{}'\ncurl localhost:7700/d | jq .\n";
    let expected = [("PUT", "/a/b"), ("POST", "/c"), ("GET", "/d")];
    let expected: Vec<_> = expected.map(|(m, p)| (m.to_owned(), p.to_owned())).into();
    assert_eq!(calls(commands), expected);
}
