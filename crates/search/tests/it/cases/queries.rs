//! Random queries about the words of an index: as they are, mistyped, cut, joined, quoted, ruled
//! out, and sometimes too many of them.

use serde_json::Value;
use testkit::Random;

use super::Ask;
use super::documents::{ATTRIBUTES, random_text};
use super::vocabulary::with_typo;

pub fn random_ask(
    random: &mut Random,
    vocabulary: &[String],
    settings: &Value,
    documents: &[(u64, Value)],
) -> Ask {
    let text = match random.below(100) {
        0 => random.pick(&["", " ", "!", "-", "\"", "\"\"", "- -", "\" \" \""]).to_string(),
        1..15 => {
            let words = random.between(1, 5);
            random_text(random, vocabulary, words)
        }
        15..20 if !documents.is_empty() => whole_text(random, documents),
        _ => random_query(random, vocabulary),
    };
    let strategy = random.pick(&["last", "last", "last", "all", "frequency", "frequency"]);
    let attributes = random.percent(12).then(|| random_attributes(random, settings));
    let strategy = strategy.to_owned();
    Ask { text, strategy, attributes, sort: Vec::new(), distinct: None }
}

/// The text of a document, as it is or as one phrase.
fn whole_text(random: &mut Random, documents: &[(u64, Value)]) -> String {
    let attribute = random.pick(&["title", "body"]);
    let texts: Vec<&str> =
        documents.iter().filter_map(|(_, document)| document[attribute].as_str()).collect();
    if texts.is_empty() {
        return String::new();
    }
    let longest = texts.iter().max_by_key(|text| text.len()).copied().unwrap_or_default();
    let text = if random.percent(50) { longest } else { random.pick(&texts) };
    match random.below(3) {
        0 => text.to_owned(),
        1 => format!("\"{}\"", text.replace(|c| "\".,!;?".contains(c), "")),
        _ => format!("\"{text}\" "),
    }
}

fn random_query(random: &mut Random, vocabulary: &[String]) -> String {
    let terms = match random.below(20) {
        0 => random.between(6, 13),
        1..4 => random.between(4, 6),
        _ => random.between(1, 4),
    };
    let mut query = String::new();
    if random.percent(4) {
        query.push_str(random.pick(&["! ", "!; ", "- ", "\"", ". "]));
    }
    for i in 0..terms {
        if i > 0 {
            query.push_str(separator(random));
        }
        query.push_str(&random_term(random, vocabulary));
    }
    if random.percent(50) {
        query.push_str(random.pick(&[" ", " ", " ", ".", "!", "\""]));
    }
    query
}

fn separator(random: &mut Random) -> &'static str {
    if random.percent(90) { " " } else { random.pick(&[", ", "! ", "-", " ! ; ", "  "]) }
}

fn random_term(random: &mut Random, vocabulary: &[String]) -> String {
    let word = random.one_of(vocabulary).as_str().to_owned();
    match random.below(100) {
        0..18 => with_typo(random, &word),
        18..21 => {
            let once = with_typo(random, &word);
            with_typo(random, &once)
        }
        21..26 => word + random.one_of(vocabulary).as_str(),
        26..31 => cut_in_two(random, &word),
        31..35 => format!("-{word}"),
        35..46 => format!("\"{}\"", some_words(random, vocabulary, 4)),
        46..48 => format!("\"{}", some_words(random, vocabulary, 3)),
        48..50 => format!("-\"{}\"", some_words(random, vocabulary, 3)),
        50..52 => word.to_uppercase(),
        _ => word,
    }
}

fn cut_in_two(random: &mut Random, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let place = random.below(letters.len());
    letters.insert(place, ' ');
    letters.into_iter().collect()
}

fn some_words(random: &mut Random, vocabulary: &[String], most: usize) -> String {
    let mut text = String::new();
    for i in 0..random.between(1, most) {
        if i > 0 {
            text.push_str(separator(random));
        }
        text.push_str(random.one_of(vocabulary).as_str());
    }
    text
}

/// Only names that are searchable: others are an error.
fn random_attributes(random: &mut Random, settings: &Value) -> Vec<String> {
    let entries = settings["searchableAttributes"].as_array();
    let names: Vec<String> = match entries {
        Some(entries) => entries.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => ATTRIBUTES.map(str::to_owned).to_vec(),
    };
    let count = random.between(0, 2);
    let mut chosen = random.some(&names, count);
    for name in &mut chosen {
        let cut = random.between(1, name.len());
        match random.below(8) {
            0 => *name = format!("{}*", &name[..cut]),
            1 => *name = format!("*{}", &name[cut - 1..]),
            2 => *name = format!("*{}*", &name[..cut]),
            _ => {}
        }
    }
    chosen
}
