//! Queries as people type them: one to four consecutive words of a document, the last one often
//! unfinished, a typo here and there. Drawn from the documents, the same every time.

use std::collections::HashSet;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::{Documents, Set};
use crate::random::Random;
use crate::searching::Query;

pub const QUERIES: usize = 300;
const UNFINISHED_PERCENT: usize = 70;
pub const TYPO_PERCENT: usize = 25;
const MOST_WORDS: usize = 4;
/// Where both sides begin to forgive a typo.
pub const SHORTEST_WITH_TYPO: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TypedQuery {
    /// In lower case.
    pub words: Vec<String>,
    /// The last word is the beginning of one.
    pub unfinished: bool,
    pub typo: bool,
}

impl Query for TypedQuery {
    /// What stands in the search box. A blank follows a word that is finished: nothing else tells
    /// that no more letters come.
    fn text(&self) -> String {
        let blank = if self.unfinished { "" } else { " " };
        format!("{}{blank}", self.words.join(" "))
    }

    fn has_typo(&self) -> bool {
        self.typo
    }
}

/// [`QUERIES`] different queries for `documents`.
pub fn typed(set: Set, documents: &Documents) -> Result<Vec<TypedQuery>> {
    let lines = documents.sample(QUERIES * 10)?;
    let mut random = Random::named(set.name());
    let mut seen = HashSet::new();
    let mut queries = Vec::new();
    while queries.len() < QUERIES {
        // What a query is to be comes first and documents are tried until one allows it, or
        // queries of short words would never have a typo.
        let unfinished = random.percent(UNFINISHED_PERCENT);
        let typo = random.percent(TYPO_PERCENT);
        let mut tries = 0..1_000;
        let query = tries.find_map(|_| {
            let document: Value = serde_json::from_str(random.one_of(&lines).as_str()).ok()?;
            let text = text_of(set, &document, &mut random);
            let query = draw(&text, unfinished, typo, &mut random)?;
            seen.insert(query.clone()).then_some(query)
        });
        queries.push(query.with_context(|| format!("{}: too few queries", set.name()))?);
    }
    Ok(queries)
}

/// What someone looking for this document would type from: a name, or its text.
pub(crate) fn text_of(set: Set, document: &Value, random: &mut Random) -> String {
    let field = |name: &str| document[name].as_str().unwrap_or_default().to_owned();
    let any_of = |name: &str, random: &mut Random| match document[name].as_array() {
        Some(values) if !values.is_empty() => {
            random.one_of(values).as_str().unwrap_or_default().to_owned()
        }
        _ => String::new(),
    };
    match set {
        Set::Npm => field("words"),
        Set::Cities if random.percent(50) => any_of("alternate_names", random),
        Set::Cities => field("name"),
        Set::Imdb | Set::Imdb8 => field("text").replace("<br />", " "),
        Set::Wordnet => any_of("words", random),
        Set::Quran => field("text"),
        Set::Debian if random.percent(50) => field("description"),
        Set::Debian => field("summary"),
    }
}

/// `None` where the words that came up are too short for what is wanted.
pub(crate) fn draw(
    text: &str,
    unfinished: bool,
    typo: bool,
    random: &mut Random,
) -> Option<TypedQuery> {
    let all: Vec<_> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    if all.is_empty() {
        return None;
    }
    let count = (1 + random.below(MOST_WORDS)).min(all.len());
    let first = random.below(all.len() - count + 1);
    let mut words: Vec<_> = all[first..first + count].iter().map(|w| w.to_lowercase()).collect();
    if unfinished {
        let last = words.last_mut()?;
        let letters: Vec<_> = last.char_indices().map(|(place, _)| place).collect();
        // At least one letter stands, at least one is missing.
        if letters.len() < 2 {
            return None;
        }
        last.truncate(letters[1 + random.below(letters.len() - 1)]);
    }
    if typo {
        let long = words.iter_mut().filter(|word| word.chars().count() >= SHORTEST_WITH_TYPO);
        let mut long: Vec<_> = long.collect();
        if long.is_empty() {
            return None;
        }
        let place = random.below(long.len());
        *long[place] = misspelt(long[place], random);
    }
    Some(TypedQuery { words, unfinished, typo })
}

/// One letter too many, missing, wrong, or swapped with the next; never the first one. The word
/// has three letters or more.
pub fn misspelt(word: &str, random: &mut Random) -> String {
    loop {
        let wrong = edited(word, random);
        if wrong != word {
            return wrong;
        }
    }
}

fn edited(word: &str, random: &mut Random) -> String {
    let mut letters: Vec<_> = word.chars().collect();
    let place = 1 + random.below(letters.len() - 2);
    let other = if word.is_ascii() {
        char::from(b'a' + random.below(26) as u8)
    } else {
        *random.one_of(&letters)
    };
    match random.below(4) {
        0 => letters.insert(place, other),
        1 => drop(letters.remove(place)),
        2 => letters[place] = other,
        _ => letters.swap(place, place + 1),
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_what_is_wanted_the_same_every_time() {
        let path = std::env::temp_dir().join(format!("sonde-bench-q-{}", std::process::id()));
        let texts: Vec<_> = (0..500)
            .map(|n| serde_json::json!({ "words": format!("one Two, number{n}-four FIVE") }))
            .collect();
        let documents = Documents::write(path.clone(), &texts).unwrap();
        let queries = typed(Set::Npm, &documents).unwrap();
        assert_eq!(queries, typed(Set::Npm, &documents).unwrap());
        std::fs::remove_file(path).unwrap();

        assert_eq!(queries.len(), QUERIES);
        for query in &queries {
            assert!((1..=MOST_WORDS).contains(&query.words.len()));
            assert_eq!(query.text().ends_with(' '), !query.unfinished);
            assert_eq!(query.text(), query.text().to_lowercase());
        }
        let percent = |wanted: fn(&TypedQuery) -> bool| {
            queries.iter().filter(|query| wanted(query)).count() * 100 / QUERIES
        };
        assert!((63..77).contains(&percent(|query| query.unfinished)));
        assert!((18..32).contains(&percent(|query| query.typo)));
    }

    #[test]
    fn words_are_consecutive_and_the_last_one_is_cut() {
        let mut random = Random::named("test");
        for _ in 0..200 {
            let query = draw("one two three", true, false, &mut random).unwrap();
            assert!("one two three".contains(&query.text()));
            assert!(!["one", "two", "three"].contains(&query.words.last().unwrap().as_str()));
        }
        assert_eq!(draw("a", true, false, &mut random), None);
        assert_eq!(draw("four", false, true, &mut random), None);
    }

    #[test]
    fn a_typo_is_one_edit_and_spares_the_first_letter() {
        let mut random = Random::named("typo");
        for _ in 0..200 {
            let wrong = misspelt("abcdef", &mut random);
            assert!(wrong.starts_with('a') && wrong != "abcdef");
            assert!((5..=7).contains(&wrong.len()));
        }
    }
}
