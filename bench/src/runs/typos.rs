//! Real misspellings: each is searched for in wordnet, and a synset with the right word has to be
//! among the first ten hits. The pairs are those of codespell's dictionary.
//!
//! Taken are the pairs of at most two edits whose right word has five letters or more and is an
//! entry of wordnet. A misspelling with several right words succeeds with any of them. Asked is with
//! default settings, and with `bm25`, which weighs likely variants more.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Bench, Outcome};
use crate::data::python::{self, Python};
use crate::data::{Set, Synset};
use crate::http::Client;
use crate::measure::{self, Latencies};
use crate::report::Row;
use crate::server;
use crate::targets::{self, Target};

const FIRST_HITS: usize = 10;
const SHORTEST: usize = 5;
const MOST_EDITS: usize = 2;
/// Misses that are kept to be looked at.
const EXAMPLES: usize = 20;

/// A state of the settings.
struct Variant {
    /// As it is named in the report.
    name: &'static str,
    /// Nothing where they are as usual.
    ranking_rules: Option<&'static [&'static str]>,
    target: Target,
}

const VARIANTS: &[Variant] = &[
    Variant { name: "", ranking_rules: None, target: targets::TYPOS_FOUND },
    Variant {
        name: " with bm25",
        ranking_rules: Some(&["bm25"]),
        target: targets::TYPOS_FOUND_BY_BM25,
    },
    Variant {
        name: " with bm25 after typo",
        ranking_rules: Some(&["words", "typo", "bm25"]),
        target: targets::TYPOS_FOUND_BY_BM25,
    },
];

#[derive(Debug, PartialEq)]
struct Misspelling {
    wrong: String,
    right: Vec<String>,
}

#[derive(Default)]
struct Found {
    asked: usize,
    /// A hit has the right word as one of its entries …
    as_entry: usize,
    /// … or at least within one of several words.
    within_entry: usize,
}

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    // Always the whole set: the more words, the more of them are near a misspelling.
    let documents = Set::Wordnet.documents(&bench.folders.data, None)?;
    let python = Python::prepare(&bench.folders.data, &python::TEXT)?;
    let entries: HashSet<_> = documents
        .read::<Synset>()?
        .into_iter()
        .flat_map(|synset| synset.words)
        .map(|word| word.to_lowercase())
        .collect();
    let dictionary = python.read("codespell_lib/data/dictionary.txt")?;
    let mut misspellings = misspellings(&dictionary, &entries);
    let step = bench.options.scaled(1, 20);
    misspellings = misspellings.into_iter().step_by(step).collect();
    ensure!(!misspellings.is_empty(), "no misspelling of a word of wordnet");
    println!("{} synsets, {} misspellings", documents.docs, misspellings.len());

    let folder = bench.empty_folder("typos")?;
    let server = bench.launch.start(&folder)?;
    let mut client = server.client();
    server::import(&mut client, Set::Wordnet.name(), &documents)?;
    measure::settle(server.pid(), &server.data())?;
    let (mut rows, mut raw) = (Vec::new(), serde_json::Map::new());
    for variant in VARIANTS {
        if let Some(rules) = variant.ranking_rules {
            let change = json!({ "rankingRules": rules });
            let task = client.patch_settings(Set::Wordnet.name(), &change)?;
            client.wait_for_task(task, Duration::from_millis(20))?;
            client.no_task_failed()?;
        }
        let asked = ask(&mut client, &misspellings)?;
        rows.extend(asked.rows(variant)?);
        raw.insert(variant.name.to_owned(), asked.raw()?);
    }
    server.stop()?;
    std::fs::remove_dir_all(folder)?;
    Ok(Outcome { rows, raw: raw.into() })
}

/// What was found for all misspellings under one state of the settings.
struct Asked {
    /// By the least number of edits to a right word: 1, 2.
    found: [Found; 2],
    times: Vec<Duration>,
    missed: Vec<Value>,
}

fn ask(client: &mut Client, misspellings: &[Misspelling]) -> Result<Asked> {
    let mut asked = Asked { found: Default::default(), times: Vec::new(), missed: Vec::new() };
    for misspelling in misspellings {
        let query = json!({ "q": misspelling.wrong, "limit": FIRST_HITS });
        let (answer, time) = client.search(Set::Wordnet.name(), &query)?;
        asked.times.push(time);
        let words = words_of_hits(&answer)?;
        let found = &mut asked.found[misspelling.edits().clamp(1, MOST_EDITS) - 1];
        found.asked += 1;
        let is_right = |word: &str| misspelling.right.iter().any(|right| *right == word);
        if words.iter().any(|word| is_right(word)) {
            found.as_entry += 1;
        } else if asked.missed.len() < EXAMPLES {
            let missed = json!({ "wrong": misspelling.wrong, "right": misspelling.right });
            asked.missed.push(missed);
        }
        found.within_entry +=
            usize::from(words.iter().any(|word| word.split([' ', '-']).any(is_right)));
    }
    Ok(asked)
}

impl Asked {
    fn rows(&self, variant: &Variant) -> Result<Vec<Row>> {
        let sum = |figure: fn(&Found) -> usize| self.found.iter().map(figure).sum::<usize>();
        let asked = sum(|found| found.asked);
        let percent = |part: usize, all: usize| part as f64 * 1e2 / all.max(1) as f64;
        let name = |what: &str| format!("misspellings in wordnet{}: {what}", variant.name);
        let [one, two] = &self.found;
        Ok(vec![
            Row::new(name("right word in the first ten"), percent(sum(|f| f.as_entry), asked), "%")
                .target(variant.target),
            Row::new(name("one edit"), percent(one.as_entry, one.asked), "%"),
            Row::new(name("two edits"), percent(two.as_entry, two.asked), "%"),
            Row::new(name("also within entries"), percent(sum(|f| f.within_entry), asked), "%"),
            Row::new(name("search p99"), self.latencies()?.p99_ms, "ms"),
        ])
    }

    fn raw(&self) -> Result<Value> {
        let by_edits = self.found.iter().map(|found| {
            json!({
                "asked": found.asked,
                "as_entry": found.as_entry,
                "within_entry": found.within_entry,
            })
        });
        let by_edits: Vec<_> = by_edits.collect();
        let latencies = self.latencies()?;
        Ok(json!({ "by_edits": by_edits, "latencies": latencies, "first_missed": self.missed }))
    }

    fn latencies(&self) -> Result<Latencies> {
        Latencies::of(&self.times).context("nothing asked")
    }
}

/// Every entry of every hit, in lower case.
fn words_of_hits(answer: &Value) -> Result<Vec<String>> {
    let hits = answer["hits"].as_array().context("no hits")?;
    let words = hits.iter().flat_map(|hit| hit["words"].as_array().into_iter().flatten());
    Ok(words.filter_map(|word| Some(word.as_str()?.to_lowercase())).collect())
}

impl Misspelling {
    fn edits(&self) -> usize {
        self.right.iter().map(|right| edits(&self.wrong, right)).min().unwrap_or(MOST_EDITS)
    }
}

/// A line of the dictionary is `wrong->right` or `wrong->right, right, …, reason` where the
/// reason may be empty.
fn misspellings(dictionary: &str, entries: &HashSet<String>) -> Vec<Misspelling> {
    let usable = |wrong: &str, right: &str| {
        right.chars().count() >= SHORTEST
            && entries.contains(right)
            && edits(wrong, right) <= MOST_EDITS
    };
    let lines = dictionary.lines().filter_map(|line| line.split_once("->"));
    lines
        .filter_map(|(wrong, right)| {
            let wrong = wrong.to_lowercase();
            let right = right.rsplit_once(',').map_or(right, |(right, _reason)| right);
            let right = right.split(',').map(|right| right.trim().to_lowercase());
            let right: Vec<_> = right.filter(|right| usable(&wrong, right)).collect();
            (!right.is_empty()).then_some(Misspelling { wrong, right })
        })
        .collect()
}

/// How many letters to insert, remove, replace or swap with their neighbour (no letter twice).
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<_>, Vec<_>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![(0..=to.len()).collect::<Vec<_>>()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        let pairs = [("", "ab"), ("abc", "abc"), ("abc", "acb"), ("kitten", "sitting")];
        assert_eq!(pairs.map(|(from, to)| edits(from, to)), [2, 0, 1, 3]);
    }

    #[test]
    fn takes_only_near_long_known_words() {
        let dictionary = "acess->access\nclas->class, a name\nteh->the\nabcdefg->access\n\
                          planed->planned, planet,\nunknwon->unknown\n";
        let entries = ["access", "class", "the", "planned", "planet"];
        let found = misspellings(dictionary, &entries.map(str::to_owned).into());
        let found: Vec<_> = found.iter().map(|m| (m.wrong.as_str(), m.right.join(" "))).collect();
        let expected = [("acess", "access"), ("clas", "class"), ("planed", "planned planet")];
        assert_eq!(found, expected.map(|(wrong, right)| (wrong, right.to_owned())));
    }
}
