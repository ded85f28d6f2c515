//! Blocks that a test cannot run, with the reason. Everything else on a page is run.

use crate::docs::page::{Kind, Page, Step};

/// The reason for code on the pages for developers.
const INVENTED: &str = "code of something that does not exist";

/// The page, a text that the block holds, and the reason.
const NOT_RUN: &[(&str, &str, &str)] = &[
    ("README.md", "cargo test --workspace", "it is what runs this test"),
    (
        "docs/deploy.md",
        "docker build",
        "needs docker, and would compile everything again; `.ci/run` lints the Dockerfile, and the \
         options that it sets are tried by the other starts",
    ),
    (
        "docs/deploy.md",
        "systemctl edit sonde",
        "needs systemd; `.ci/run` has it look at the unit, and HTTPS with SIGHUP is tried in \
         crates/sonde/tests/it/tls",
    ),
    (
        "docs/examples.md",
        "from meilisearch import Client",
        "needs packages from the network: `examples/run` runs it",
    ),
    (
        "docs/examples.md",
        "from 'meilisearch'",
        "needs packages from the network: `examples/run` runs it",
    ),
    (
        "docs/vectors.md",
        "/srv/models/all-MiniLM-L6-v2",
        "needs a model of 90 MB; crates/embed/tests run small ones from a folder",
    ),
    (
        "docs/relevance.md",
        "sonde import cisi.ndjson",
        "needs collections that are not part of the repository; docs/command-line.md runs \
         `sonde evaluate` on a small one",
    ),
    (
        "docs/reranking.md",
        "reads cookbooks, no fiction",
        "needs a key of the provider; crates/server/tests/http/personalize.rs has one of its own",
    ),
    (
        "docs/adding-a-parameter.md",
        "InvalidSearchMaxTypos",
        "lines of a parameter that does not exist",
    ),
    ("docs/chat.md", "\"event_id\"", "a form: docs/api/chats.md shows one that comes"),
    ("docs/security.md", "\"uid of the API key\"", "a form: the example below it is run"),
    ("docs/security.md", "Authorization: Bearer <key>", "a header: every example below has it"),
    ("docs/adding-a-setting.md", "InvalidSettingsQuietFields = ", INVENTED),
    ("docs/adding-a-setting.md", "replaced(", INVENTED),
    ("docs/adding-a-setting.md", "quiet_fields", INVENTED),
    ("docs/adding-a-ranking-rule.md", "Coverage = ", INVENTED),
    ("docs/adding-a-ranking-rule.md", "=> &[Step", INVENTED),
    ("docs/adding-a-ranking-rule.md", "Coverage(Rank)", INVENTED),
    ("docs/adding-a-ranking-rule.md", "impl Rule for", INVENTED),
    ("docs/adding-a-ranking-rule.md", "=> Box::new", INVENTED),
    ("docs/adding-a-route.md", "index_age(&self", INVENTED),
    ("docs/adding-a-route.md", "pub async fn age", INVENTED),
    ("docs/adding-a-route.md", "route(GET", INVENTED),
    ("docs/adding-a-route.md", ".reads_index()", INVENTED),
];

/// Why this is not run, if it is not.
pub fn reason(page: &Page, step: &Step) -> Option<&'static str> {
    let found =
        NOT_RUN.iter().find(|(name, text, _)| *name == page.name && step.text.contains(text));
    found.map(|(_, _, reason)| *reason)
}

/// Lists blocks that are neither run nor excused, and excuses that are not needed.
pub fn mistakes(pages: &[Page]) -> Vec<String> {
    let steps = || pages.iter().flat_map(|page| page.steps.iter().map(move |step| (page, step)));
    let unexplained = steps()
        .filter(|(page, step)| matches!(step.kind, Kind::Form) && reason(page, step).is_none())
        .map(|(page, step)| format!("{}:{}: nothing runs\n{}", page.name, step.line, step.text));
    let is_needed =
        |reason_given: &str| steps().any(|(page, step)| reason(page, step) == Some(reason_given));
    let idle = NOT_RUN
        .iter()
        .filter(|(_, _, reason)| !is_needed(reason))
        .map(|(name, text, _)| format!("{name} has no `{text}`"));
    unexplained.chain(idle).collect()
}

/// A line for each block that is not run.
pub fn told(pages: &[Page]) -> Vec<String> {
    let steps = pages.iter().flat_map(|page| page.steps.iter().map(move |step| (page, step)));
    steps
        .filter_map(|(page, step)| {
            let reason = reason(page, step)?;
            Some(format!("not run: {}:{}: {reason}", page.name, step.line))
        })
        .collect()
}
