//! Documents whose searches can be foretold. Every searched word has four letters, so that no
//! typos, joined words or splits come into play; numbers, groups and tags are there to filter and
//! sort by, and a vector to be near to.

use serde_json::{Value, json};
use testkit::Random;

pub const EMBEDDER: &str = "given";
pub const DIMENSIONS: usize = 12;
pub const GROUPS: u64 = 12;
pub const NUMBERS: u64 = 500;
const IDS: u64 = 2500;
const WORDS: u64 = 300;
const TAGS: u64 = 6;

/// A word of four letters, different for every number below 2000.
pub fn word(number: u64) -> String {
    const CONSONANTS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
    const VOWELS: &[u8; 5] = b"aeiou";
    let letters = [
        CONSONANTS[(number % 20) as usize],
        VOWELS[(number / 20 % 5) as usize],
        CONSONANTS[(number / 100 % 20) as usize],
        VOWELS[(number * 7 % 5) as usize],
    ];
    letters.iter().map(|letter| char::from(*letter)).collect()
}

pub fn random_word(random: &mut Random) -> String {
    word(random.below(WORDS))
}

/// No document has it.
pub fn synonym_key(random: &mut Random) -> String {
    format!("qy{}y", char::from(b'a' + random.below(4) as u8))
}

pub fn group(number: u64) -> String {
    format!("g{number}")
}

pub fn id(random: &mut Random) -> u64 {
    random.below(IDS)
}

pub fn vector(random: &mut Random) -> Vec<f64> {
    let mut vector: Vec<f64> =
        (0..DIMENSIONS).map(|_| random.below(33) as f64 / 8.0 - 2.0).collect();
    // Nothing is near to a vector without a direction.
    vector[random.below(DIMENSIONS as u64) as usize] += 4.25;
    vector
}

pub fn whole(random: &mut Random, id: u64) -> Value {
    // Some say that they have no vector.
    let vector = (random.below(10) > 0).then(|| vector(random));
    let tags: Vec<String> =
        (0..random.below(3)).map(|_| format!("t{}", random.below(TAGS))).collect();
    json!({
        "id": id,
        "title": text(random, 4),
        "text": text(random, 14),
        "group": group(random.below(GROUPS)),
        "number": random.below(NUMBERS),
        "tags": tags,
        "_vectors": {EMBEDDER: vector},
    })
}

/// Some fields of a document that is there.
pub fn part(random: &mut Random, id: u64) -> Value {
    match random.below(4) {
        0 => json!({"id": id, "number": random.below(NUMBERS)}),
        1 => json!({"id": id, "title": text(random, 4), "group": group(random.below(GROUPS))}),
        2 => json!({"id": id, "_vectors": {EMBEDDER: vector(random)}}),
        _ => json!({"id": id, "text": text(random, 8), "tags": ["t0"]}),
    }
}

fn text(random: &mut Random, most: u64) -> String {
    let words: Vec<String> = (0..1 + random.below(most)).map(|_| random_word(random)).collect();
    words.join(" ")
}

#[test]
fn words_differ_and_have_four_letters() {
    let words: std::collections::BTreeSet<String> = (0..WORDS).map(word).collect();
    assert_eq!(words.len() as u64, WORDS);
    assert!(words.iter().all(|word| word.len() == 4));
}
