//! wordnet: the sets of synonyms of WordNet 3.0, each with its definition and its examples.
//!
//! Short English texts and single words. The format of the source is wndb(5WN).

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::{Ndjson, debian};

pub const DOCS: usize = 117_659;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Synset {
    pub id: String,
    pub words: Vec<String>,
    pub pos: String,
    pub definition: String,
    pub examples: Vec<String>,
}

pub fn convert(packs: &Path, out: &mut Ndjson) -> Result<usize> {
    let files = debian::read_folder(packs, "wordnet-base", "usr/share/wordnet")?;
    for name in ["data.noun", "data.verb", "data.adj", "data.adv"] {
        let file = files.get(name).with_context(|| format!("wordnet-base holds no {name}"))?;
        // The licence stands first, in lines that begin with two blanks.
        for line in std::str::from_utf8(file)?.lines().filter(|line| !line.starts_with("  ")) {
            out.push(&synset(line).with_context(|| format!("{name}: line {line:?}"))?)?;
        }
    }
    Ok(DOCS)
}

/// `offset file type word-count word lex-id [word lex-id …] pointers … | gloss`.
fn synset(line: &str) -> Result<Synset> {
    let (head, gloss) = line.split_once(" | ").context("no gloss")?;
    let mut columns = head.split(' ');
    let offset = columns.next().context("no offset")?;
    let (letter, pos) = match columns.nth(1) {
        Some("n") => ('n', "noun"),
        Some("v") => ('v', "verb"),
        Some("a" | "s") => ('a', "adjective"),
        Some("r") => ('r', "adverb"),
        other => anyhow::bail!("unknown part of speech {other:?}"),
    };
    let count = usize::from_str_radix(columns.next().context("no number of words")?, 16)?;
    let words: Vec<_> = columns.step_by(2).take(count).map(word).collect();
    let (definition, examples) = take_apart(gloss);
    Ok(Synset { id: format!("{letter}{offset}"), words, pos: pos.to_owned(), definition, examples })
}

/// Blanks are written as `_`; an adjective may end with its place in a sentence, as in `awake(p)`.
fn word(column: &str) -> String {
    column.split('(').next().unwrap_or_default().replace('_', " ")
}

/// A gloss is the definition and then the examples, each in quotes; the last quote may be missing
/// and a source may follow it.
fn take_apart(gloss: &str) -> (String, Vec<String>) {
    let mut parts = gloss.trim().split("; \"");
    let definition = parts.next().unwrap_or_default();
    let examples = parts.map(|part| part.rsplit_once('"').map_or(part, |(example, _)| example));
    let examples = examples.map(|example| example.trim().to_owned());
    (definition.to_owned(), examples.filter(|example| !example.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_line() {
        let line = "00006885 00 s 02 take_in(p) 0 absorbing 0 001 & 00006336 a 0000 | taking in; \
                    in a solution; \"an absorbing layer\"- me; \"it is absorbing  ";
        let expected = Synset {
            id: "a00006885".to_owned(),
            words: vec!["take in".to_owned(), "absorbing".to_owned()],
            pos: "adjective".to_owned(),
            definition: "taking in; in a solution".to_owned(),
            examples: vec!["an absorbing layer".to_owned(), "it is absorbing".to_owned()],
        };
        assert_eq!(synset(line).unwrap(), expected);
    }
}
