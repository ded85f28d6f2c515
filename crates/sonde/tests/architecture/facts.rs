//! A search parameter is defined once: its name stands in no more production files than
//! docs/adding-a-parameter.md lists, besides those that have a reason here.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The files of every parameter, within `crates`.
const OF_EACH: [&str; 3] = [
    "model/src/code.rs",
    "server/src/search_parameters/table.rs",
    "server/src/routes/search/validated_search.rs",
];

struct Parameter {
    snake_case: &'static str,
    camel_case: &'static str,
    /// Where its value is carried to the search.
    carrier: &'static str,
    /// Where it takes effect.
    consumers: &'static [&'static str],
    /// Other files that have the name, and why.
    others: &'static [(&'static str, &'static str)],
}

const PARAMETERS: [Parameter; 3] = [
    Parameter {
        snake_case: "did_you_mean",
        camel_case: "didYouMean",
        carrier: "search/src/criteria.rs",
        consumers: &["engine/src/search/prepared_search.rs"],
        others: &[
            ("server/src/openapi/components/search.rs", "the member of the answer"),
            ("server/src/routes/search/reply.rs", "the member of the answer"),
            ("server/src/routes/multi_search/reply.rs", "the member of the answer"),
        ],
    },
    Parameter {
        snake_case: "ranking_score_threshold",
        camel_case: "rankingScoreThreshold",
        carrier: "search/src/criteria.rs",
        consumers: &[
            "engine/src/search/federated/part.rs",
            "search/src/run.rs",
            "search/src/semantic/fused.rs",
        ],
        others: &[
            ("server/src/search_parameters/values.rs", "the message of its type"),
            ("server/src/routes/search/facet.rs", "facet searches have it"),
            ("server/src/routes/search/similar.rs", "a parameter of similar documents"),
            ("server/src/openapi/chapters/search.rs", "a parameter of similar documents"),
            ("engine/src/remote_search/similar.rs", "a parameter of similar documents"),
            ("server/src/openapi/components/settings.rs", "a setting of conversations"),
            ("settings/src/values.rs", "a setting of conversations"),
            ("settings/src/stored.rs", "a setting of conversations"),
            ("settings/src/checks/chat.rs", "a setting of conversations"),
            ("engine/src/chats/searching.rs", "a setting of conversations"),
            ("server/src/routes/usage/search.rs", "telemetry counts it"),
            ("telemetry/src/events/scoring.rs", "telemetry counts it"),
        ],
    },
    Parameter {
        snake_case: "show_matches_position",
        camel_case: "showMatchesPosition",
        carrier: "search/src/format/mod.rs",
        consumers: &["search/src/format/walk.rs"],
        others: &[
            ("server/src/routes/usage/search.rs", "telemetry counts it"),
            ("telemetry/src/events/search_tally.rs", "telemetry counts it"),
        ],
    },
];

#[test]
fn a_search_parameter_stands_in_few_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = production_files(&crates);
    let mut mistakes = Vec::new();
    for Parameter { snake_case, camel_case, carrier, consumers, others } in &PARAMETERS {
        let has_name = |text: &str| text.contains(snake_case) || text.contains(camel_case);
        let found: BTreeSet<&str> = files
            .iter()
            .filter(|(_, text)| has_name(text))
            .map(|(path, _)| path.as_str())
            .collect();
        let others = others.iter().map(|(path, _)| path);
        let expected: BTreeSet<&str> =
            OF_EACH.iter().chain([carrier]).chain(*consumers).chain(others).copied().collect();
        for path in found.difference(&expected) {
            mistakes.push(format!("{path} must not know `{camel_case}`"));
        }
        for path in expected.difference(&found) {
            mistakes.push(format!("{path} is listed for `{camel_case}` and does not have it"));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// Path within `crates` and text of each source file, without its tests and comments.
fn production_files(crates: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for name in super::manifests().into_keys() {
        super::collect_files(&crates.join(name).join("src"), &mut files);
    }
    let is_test = |path: &str| path.contains("/tests") || path.ends_with("_tests.rs");
    let mut texts = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let path = file.strip_prefix(crates).expect("a path within").to_string_lossy().into_owned();
        if is_test(&path) {
            continue;
        }
        let text = fs::read_to_string(file).expect("a source file");
        let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = production.lines().filter(|line| !line.trim_start().starts_with("//"));
        texts.push((path, lines.collect::<Vec<_>>().join("\n")));
    }
    texts
}
