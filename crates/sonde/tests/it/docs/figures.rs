//! The table of figures in docs/tuning.md is made of the last results of the benchmark.

use std::path::Path;

use serde_json::Value;

/// Runs of the benchmark, their rows, and their titles on the page.
const ROWS: &[(&str, &str, &str)] = &[
    ("indexing", "npm: time until the last task", "import npm, 1M documents"),
    ("indexing", "npm: indexing CPU with merging", "import npm, CPU time"),
    ("indexing", "npm: anonymous memory peak", "import npm, memory (limit 512 MiB)"),
    ("indexing", "npm: disk", "npm on disk (169 MB of JSON)"),
    ("indexing", "cities: time until the last task", "import cities, 200k documents"),
    ("indexing", "cities: disk", "cities on disk (64 MB of JSON)"),
    ("indexing", "imdb: time until the last task", "import imdb, 50k documents"),
    ("indexing", "imdb: disk", "imdb on disk (68 MB of JSON)"),
    ("again", "npm: search again, p50", "search npm as you type, p50"),
    ("again", "npm: search again, p99", "search npm as you type, p99"),
    ("again", "npm: search again, CPU a query", "CPU time per search of npm"),
    ("again", "cities: search again, p99", "search cities, p99"),
    ("again", "imdb: search again, p99", "search imdb, p99"),
    (
        "search-isolation",
        "search during import of 1M: p99",
        "search during the import of a million documents, p99",
    ),
    ("filters", "npm: equality filter, CPU", "equality filter on npm, CPU time"),
    ("filters", "npm: three facets of all, CPU", "three facets over a million documents"),
    ("filters", "npm: sort by a number, CPU", "sort a million documents by a number"),
    ("filters", "npm: 10,000 values in IN, CPU", "filter with 10,000 values in `IN`"),
    ("filters", "cities: radius of 100 km, nearest first, CPU", "radius of 100 km, nearest first"),
    (
        "filters",
        "filterable host on 1M stored: CPU",
        "add a filterable attribute to a million documents",
    ),
    (
        "updates",
        "update, 1M stored: p50",
        "update one document of a million, until it is found, p50",
    ),
    ("updates", "update, 1M stored: p99", "update one document of a million, p99"),
    (
        "enqueue",
        "enqueue 10k POSTs: all applied",
        "10,000 requests with one document each, until all are applied",
    ),
    (
        "startup",
        "start-up, 1M stored: first search after a kill",
        "startup to the first search, after a kill",
    ),
    ("indexes", "5k indexes: resident memory after it", "5,000 indexes, memory after a restart"),
    (
        "typos",
        "misspellings in wordnet: right word in the first ten",
        "misspelt words that find the right word",
    ),
];

const BEGIN: &str = "<!-- figures -->\n";
const END: &str = "<!-- /figures -->\n";

fn table(results: &Value) -> String {
    let mut table = "\n| what | |\n|---|---|\n".to_owned();
    for (run, what, told) in ROWS {
        let rows = results["sections"][run]["rows"].as_array().into_iter().flatten();
        let row = rows.into_iter().find(|row| row["what"] == *what);
        let row = row.unwrap_or_else(|| panic!("the results have no {run}: {what}"));
        let unit = row["unit"].as_str().unwrap_or_default();
        let value = row["value"].as_f64().expect("a figure");
        table += &format!("| {told} | {} {unit} |\n", shown(value));
    }
    let machine = &results["sections"]["search"]["machine"];
    let date = results["sections"]["search"]["date"].as_str().unwrap_or_default();
    table += &format!(
        "\nMeasured on {}: {}, {} processors, {} GB of memory, {}, {}.\n\n",
        date.get(..10).unwrap_or_default(),
        machine["processor"].as_str().unwrap_or_default(),
        machine["cores"],
        machine["memory_gb"],
        machine["kernel"].as_str().unwrap_or_default(),
        machine["file_system"].as_str().unwrap_or_default(),
    );
    table
}

/// Two digits that say something.
fn shown(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// Gives the page as it should be and as it is.
pub fn of_tuning(root: &Path) -> (String, String) {
    let results = std::fs::read_to_string(root.join("bench/results/latest.json")).expect("results");
    let results = serde_json::from_str(&results).expect("results in JSON");
    let page = std::fs::read_to_string(root.join("docs/tuning.md")).expect("a page");
    let (head, rest) = page.split_once(BEGIN).expect("a place for the figures");
    let (_, tail) = rest.split_once(END).expect("an end of the figures");
    (format!("{head}{BEGIN}{}{END}{tail}", table(&results)), page)
}
