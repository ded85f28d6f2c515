//! tantivy's nearest equivalent of a search while typing: every word fuzzy, the last one also as
//! the beginning of a word, all required; the best twenty, a count, and the stored documents.

use std::fs;
use std::path::Path;
use std::time::Instant;

use ::tantivy::collector::{Count, TopDocs};
use ::tantivy::query::{BooleanQuery, FuzzyTermQuery, Occur, Query, TermQuery};
use ::tantivy::schema::{Field, IndexRecordOption, Value};
use ::tantivy::{Index, Searcher, TantivyDocument, Term};
use anyhow::{Context, Result, bail};

use crate::mix::QUESTION_HITS;
use crate::queries::TypedQuery;
use crate::searching::{self, Asked, LIMIT};

/// The child's side of [`super::search_with_tantivy`].
pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, queries, rounds] = arguments else { bail!("the peer takes three arguments") };
    let queries: Vec<TypedQuery> = serde_json::from_slice(&fs::read(queries)?)?;
    let index = Index::open_in_dir(Path::new(folder))?;
    let schema = index.schema();
    let (text, json) = (schema.get_field("text")?, schema.get_field("json")?);
    let searcher = index.reader()?.searcher();
    let pid = std::process::id();
    let searching = searching::ask_all(pid, &queries, rounds.parse()?, |query| {
        ask(&searcher, text, json, query)
    })?;
    println!("{}", serde_json::to_string(&searching)?);
    Ok(())
}

pub(super) fn ask(
    searcher: &Searcher,
    text: Field,
    json: Field,
    query: &TypedQuery,
) -> Result<Asked> {
    let begin = Instant::now();
    let query = all_words(text, query);
    let (best, count) =
        searcher.search(&query, &(TopDocs::with_limit(LIMIT).order_by_score(), Count))?;
    let mut answer = String::new();
    for (_, address) in best {
        let document: TantivyDocument = searcher.doc(address)?;
        let stored = document.get_first(json).and_then(|value| value.as_str());
        answer.push_str(stored.context("a hit without its document")?);
    }
    std::hint::black_box(&answer);
    Ok(Asked { time: begin.elapsed(), matches: count as u64 })
}

/// The best documents by BM25, whichever of the words they have; no count, and no documents read.
pub(super) fn ask_by_score(searcher: &Searcher, text: Field, query: &TypedQuery) -> Result<Asked> {
    let begin = Instant::now();
    let words = query.words.iter().map(|word| -> (Occur, Box<dyn Query>) {
        let term = Term::from_field_text(text, word);
        (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)))
    });
    let query = BooleanQuery::new(words.collect());
    let best = searcher.search(&query, &TopDocs::with_limit(QUESTION_HITS).order_by_score())?;
    Ok(Asked { time: begin.elapsed(), matches: best.len() as u64 })
}

fn all_words(text: Field, query: &TypedQuery) -> BooleanQuery {
    let last = query.words.len() - 1;
    let words = query.words.iter().enumerate().map(|(place, word)| -> Box<dyn Query> {
        let term = Term::from_field_text(text, word);
        let typos = typos_forgiven(word);
        Box::new(if place == last && query.unfinished {
            FuzzyTermQuery::new_prefix(term, typos, true)
        } else {
            FuzzyTermQuery::new(term, typos, true)
        })
    });
    BooleanQuery::intersection(words.collect())
}

/// The server's default rule.
fn typos_forgiven(word: &str) -> u8 {
    match word.chars().count() {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    }
}
