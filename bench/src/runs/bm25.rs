//! The ranking rule `bm25` against bm25s, a plain BM25 library: NDCG@10 on the same text with the
//! same questions. Each question has one right document.
//!
//! wordnet: an example sentence has to find its synset, which is indexed without its examples.
//! quran: ten words from the middle of a verse have to find its first half, which has four of
//! them; the package has one translation a language, so that this stands for two wordings of one
//! verse, which have some words in common and more that differ. Both sides get the words of a
//! question without punctuation, which would be operators for the server.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Bench, Outcome};
use crate::data::python::{self, Python};
use crate::data::{Documents, Set, Synset, Verse};
use crate::measure::median;
use crate::report::Row;
use crate::server::{self, Server};
use crate::targets;

const INDEX: &str = "bm25";
const FIRST_HITS: usize = 10;
/// The server reads no more words of a query than this. The peer reads them all, so that the
/// comparison of the ranking cuts questions here and the one of whole questions has no target.
const SERVER_WORDS: usize = 10;
const SHORTEST_EXAMPLE: usize = 5;
const SHORTEST_VERSE: usize = 16;
/// Words of the first half that a question about it has.
const COMMON_WORDS: usize = 4;

#[derive(Serialize)]
struct Text {
    id: String,
    text: String,
}

struct Question {
    text: String,
    right: String,
}

struct Case {
    name: &'static str,
    texts: Vec<Text>,
    questions: Vec<Question>,
}

pub fn run(bench: &mut Bench) -> Result<Outcome> {
    let python = Python::prepare(&bench.folders.data, &python::TEXT)?;
    let most = bench.options.scaled(2_000, 200);
    // Whole sets: which words are rare depends on all of a set.
    let all = |set: Set| set.documents(&bench.folders.data, None);
    let cases = [wordnet(all(Set::Wordnet)?.read()?, most), quran(all(Set::Quran)?.read()?, most)];
    let (mut rows, mut raw) = (Vec::new(), serde_json::Map::new());
    for case in cases {
        println!("{}: {} texts, {} questions", case.name, case.texts.len(), case.questions.len());
        let (case_rows, case_raw) = measure_case(bench, &python, &case)?;
        rows.extend(case_rows);
        raw.insert(case.name.to_owned(), case_raw);
    }
    Ok(Outcome { rows, raw: raw.into() })
}

fn wordnet(synsets: Vec<Synset>, most: usize) -> Case {
    let questions = synsets.iter().filter_map(|synset| {
        let example = synset.examples.first()?;
        let long_enough = words(example).count() >= SHORTEST_EXAMPLE;
        long_enough.then(|| Question { text: plain(example), right: synset.id.clone() })
    });
    let questions = spread(questions.collect(), most);
    let texts = synsets.into_iter().map(|synset| {
        let text = format!("{}; {}", synset.words.join(", "), synset.definition);
        Text { id: synset.id, text }
    });
    Case { name: "wordnet", texts: texts.collect(), questions }
}

fn quran(verses: Vec<Verse>, most: usize) -> Case {
    let mut questions = Vec::new();
    let mut texts = Vec::new();
    for verse in verses {
        let id = verse.id.to_string();
        let all: Vec<_> = words(&verse.text).collect();
        if all.len() < SHORTEST_VERSE {
            texts.push(Text { id, text: verse.text });
            continue;
        }
        let middle = all.len() / 2;
        let question = &all[middle - COMMON_WORDS..];
        let question = question[..question.len().min(SERVER_WORDS)].join(" ");
        questions.push(Question { text: question, right: id.clone() });
        texts.push(Text { id, text: all[..middle].join(" ") });
    }
    Case { name: "quran", texts, questions: spread(questions, most) }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn plain(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

/// At most `most` of them, evenly spread.
fn spread<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let step = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(step).collect()
}

fn measure_case(bench: &Bench, python: &Python, case: &Case) -> Result<(Vec<Row>, Value)> {
    let folder = bench.empty_folder("bm25")?;
    let texts = Documents::write(folder.join("texts.ndjson"), &case.texts)?;
    let server = bench.launch.start(&folder)?;
    let mut client = server.client();
    // Only the text is searched, as with the peer; all other settings are the defaults.
    let settings = json!({ "rankingRules": ["bm25"], "searchableAttributes": ["text"] });
    let task = client.patch_settings(INDEX, &settings)?;
    client.wait_for_task(task, Duration::from_millis(2))?;
    server::import(&mut client, INDEX, &texts)?;

    let mut rows = Vec::new();
    let mut raw = json!({ "texts": case.texts.len(), "questions": case.questions.len() });
    let some_longer = case.questions.iter().any(|q| words(&q.text).count() > SERVER_WORDS);
    for (what, most_words) in [("", SERVER_WORDS), (", whole questions", usize::MAX)] {
        if most_words > SERVER_WORDS && !some_longer {
            continue;
        }
        let questions: Vec<_> = case
            .questions
            .iter()
            .map(|question| question.text.split(' ').take(most_words).collect::<Vec<_>>().join(" "))
            .collect();
        let peer = mean_ndcg(case, &ask_peer(python, &texts, &questions)?);
        let (hits, p50_ms) = ask_server(&server, &questions)?;
        let sonde = mean_ndcg(case, &hits);
        println!("  NDCG@10{what}: bm25s {peer:.4}, sonde {sonde:.4}");
        let row =
            Row::new(format!("{}: NDCG@10{what}", case.name), sonde, "").against("bm25s", peer);
        let cut = most_words == SERVER_WORDS;
        rows.push(if cut { row.target(targets::BM25_NDCG) } else { row });
        raw[if cut { "first_words" } else { "whole" }] =
            json!({ "bm25s": peer, "sonde": sonde, "sonde_p50_ms": p50_ms });
    }
    server.stop()?;
    fs::remove_dir_all(folder)?;
    Ok((rows, raw))
}

/// The ids of the first hits of every question, and the median time.
fn ask_server(server: &Server, questions: &[String]) -> Result<(Vec<Vec<String>>, f64)> {
    let mut client = server.client();
    let (mut all, mut times) = (Vec::new(), Vec::new());
    for question in questions {
        let query = json!({
            "q": question,
            "limit": FIRST_HITS,
            "matchingStrategy": "any",
            "attributesToRetrieve": ["id"],
        });
        let (answer, time) = client.search(INDEX, &query)?;
        let hits = answer["hits"].as_array().context("no hits")?;
        let ids = hits.iter().filter_map(|hit| hit["id"].as_str().map(str::to_owned));
        all.push(ids.collect());
        times.push(time.as_secs_f64() * 1e3);
    }
    Ok((all, median(times)))
}

fn ask_peer(python: &Python, texts: &Documents, questions: &[String]) -> Result<Vec<Vec<String>>> {
    let questions_file = texts.path.with_file_name("questions.json");
    fs::write(&questions_file, serde_json::to_vec(questions)?)?;
    let output = python
        .script("bm25s_hits.py")
        .args([&texts.path, &questions_file])
        .arg(FIRST_HITS.to_string())
        .output()
        .context("starting Python")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "bm25s has failed: {said}");
    let all: Vec<Vec<String>> = serde_json::from_slice(&output.stdout)?;
    ensure!(all.len() == questions.len(), "bm25s has not answered every question");
    Ok(all)
}

fn mean_ndcg(case: &Case, all: &[Vec<String>]) -> f64 {
    let sum: f64 =
        case.questions.iter().zip(all).map(|(question, hits)| ndcg(&question.right, hits)).sum();
    sum / case.questions.len() as f64
}

/// With one right document the best order has a gain of 1.
fn ndcg(right: &str, hits: &[String]) -> f64 {
    let rank = hits.iter().take(FIRST_HITS).position(|hit| hit == right);
    rank.map_or(0.0, |rank| 1.0 / (rank as f64 + 2.0).log2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_hit_counts_less() {
        let hits = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(ndcg("a", &hits), 1.0);
        assert_eq!(ndcg("c", &hits), 0.5);
        assert_eq!(ndcg("x", &hits), 0.0);
    }

    #[test]
    fn a_question_has_few_words_of_its_verse() {
        let text = (0..20).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let verses = vec![
            Verse { id: 1, chapter: 1, verse: 1, text },
            Verse { id: 2, chapter: 1, verse: 2, text: "a short one".to_owned() },
        ];
        let case = quran(verses, 10);
        assert!(case.texts[0].text.ends_with("w9") && case.texts[1].text == "a short one");
        assert_eq!(case.questions.len(), 1);
        assert!(
            case.questions[0].text.starts_with("w6 w7 w8 w9 w10 ")
                && case.questions[0].right == "1"
        );
    }
}
