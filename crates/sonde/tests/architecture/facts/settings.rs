//! The files that know a setting or a ranking rule by name. A new one should not need more files
//! than those listed here; docs/adding-a-setting.md and docs/adding-a-ranking-rule.md go through
//! them. Tests and comments do not count, and neither does `docs/`, which explains settings to users.

use std::collections::BTreeSet;

use regex::Regex;

use super::production_code;

/// Files that may name any setting or rule, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("server/src/routes/usage/", "telemetry reads what few settings say"),
    ("server/assets/dashboard/settings/schema.js", "it orders settings; a new one is shown last"),
    ("server/assets/dashboard/search/explain.js", "it words details; others are shown as numbers"),
];

const OF_SETTINGS: &[&str] = &["settings/src/table.rs", "settings/src/typed.rs"];

const OF_CODES: &[&str] = &["model/src/code.rs", "settings/src/table.rs"];

const OF_RULES: &[&str] = &[
    "settings/src/ranking_rule.rs",
    "search/src/steps.rs",
    "search/src/ranking/mod.rs",
    "search/src/rules/mod.rs",
    "search/src/score.rs",
];

/// The files of `bm25` beyond those that each rule has.
const OF_BM25: &[(&str, &str)] = &[
    ("search/src/rules/bm25/mod.rs", "the rule itself"),
    ("search/src/rules/bm25/top.rs", "the rule itself"),
    ("search/src/boosts/mod.rs", "its score is multiplied by boosts"),
    ("search/src/boosts/check.rs", "weights of attributes need it"),
    ("search/src/boosts/explain.rs", "its score is multiplied by boosts"),
    ("search/src/ranking/boosted_order.rs", "its score is multiplied by boosts"),
    ("search/src/run.rs", "it uses more terms of a query than other rules"),
];

#[test]
fn settings_are_named_in_few_files() {
    for name in ["searchCutoffMs", "proximityPrecision", "prefixSearch"] {
        check(&format!(r#"["'/]{name}["']"#), OF_SETTINGS);
    }
    for code in ["SearchCutoffMs", "ProximityPrecision", "PrefixSearch"] {
        check(&format!(r"\bInvalidSettings{code}\b"), OF_CODES);
    }
}

#[test]
fn words_of_settings_are_named_in_one_file() {
    for word in ["byAttribute", "indexingTime"] {
        check(&format!(r#"["']{word}["']"#), &["settings/src/values.rs"]);
    }
}

#[test]
fn ranking_rules_are_named_in_few_files() {
    let own: Vec<&str> = OF_BM25.iter().map(|(file, _)| *file).collect();
    check(r#"\bBm25(Rule)?\b|["']bm25["']"#, &[OF_RULES, &own].concat());
    let names = ["settings/src/ranking_rule.rs", "search/src/score.rs"];
    check(r#"["']exactness["']"#, &names);
}

/// Checks that code with the pattern stands in these files of `crates` and in no others.
fn check(pattern: &str, expected: &[&str]) {
    let pattern = Regex::new(pattern).expect("a pattern");
    let is_exception = |path: &str| EXCEPTIONS.iter().any(|(start, _)| path.starts_with(start));
    let files = production_code();
    let has_name =
        files.iter().filter(|(path, code)| !is_exception(path) && pattern.is_match(code));
    let found: BTreeSet<&str> = has_name.map(|(path, _)| path.as_str()).collect();
    assert_eq!(found, expected.iter().copied().collect(), "files with {pattern}");
}
