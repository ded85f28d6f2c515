//! A search parameter is defined once: its name stands in no more production files than
//! docs/adding-a-parameter.md lists, besides those that have a reason here.

use std::collections::BTreeSet;

use super::production_code;

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
            ("remote_search/src/similar.rs", "a parameter of similar documents"),
            ("settings/src/values.rs", "a setting of conversations"),
            ("settings/src/typed.rs", "a setting of conversations"),
            ("settings/src/checks/chat.rs", "a setting of conversations"),
            ("engine/src/chats/searching.rs", "a setting of conversations"),
            ("server/src/routes/usage/search.rs", "telemetry counts it"),
        ],
    },
    Parameter {
        snake_case: "show_matches_position",
        camel_case: "showMatchesPosition",
        carrier: "search/src/format/mod.rs",
        consumers: &["search/src/format/walk.rs"],
        others: &[("server/src/routes/usage/search.rs", "telemetry counts it")],
    },
];

#[test]
fn a_search_parameter_stands_in_few_files() {
    let mut files = production_code();
    files.retain(|path, _| path.ends_with(".rs"));
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
