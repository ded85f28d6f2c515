//! Few words, most of which resemble another one.

use testkit::Random;

const FAMILIES: [&[&str]; 12] = [
    &["sun", "sunflower", "sunflowers", "sunflwoer", "flower", "flowers", "flow", "sunny"],
    &["moon", "light", "moonlight", "moonlights", "moonlit", "moo", "nlight", "lights"],
    &["harvester", "harvestor", "havrester", "harvesturs", "garvester", "garvestor", "harvest"],
    &["new", "york", "newyork", "nyc", "yorker", "big", "apple", "pineapple"],
    &["star", "start", "stars", "starling", "stair", "tar", "art", "starlings"],
    &["20245", "20246", "x20245", "2024", "45", "3.14", "1,000", "2025"],
    &["a", "b", "ab", "ba", "aa", "aab", "c"],
    &["Café", "cafe", "CAFE", "cafes", "café-bar", "bar"],
    &["of", "the", "in", "The", "on"],
    &["red", "read", "reed", "rad", "lamp", "lamps", "clamp", "redlamp"],
    &["car", "cart", "carpet", "pet", "rpet", "ca", "carpets", "carepts"],
    &["photograph", "photographs", "photo", "graph", "photogarph", "fotograph", "phto"],
];

pub fn random_vocabulary(random: &mut Random) -> Vec<String> {
    let mut words = Vec::new();
    let families = random.between(1, 4);
    for family in random.some(&FAMILIES, families) {
        let count = random.between(2, family.len());
        words.extend(random.some(family, count).into_iter().map(str::to_owned));
    }
    for _ in 0..random.below(3) {
        let word = random.one_of(&words).as_str().to_owned();
        words.push(with_typo(random, &word));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// One edit, which may also be a cut or a letter that was there before.
pub fn with_typo(random: &mut Random, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let place = random.below(letters.len());
    let letter = random.pick(&['a', 'e', 'o', 'r', 's', 't', 'x', '1']);
    match random.below(5) {
        0 if letters.len() > 1 => drop(letters.remove(place)),
        1 => letters.insert(place, letter),
        2 if place > 0 => letters.swap(place - 1, place),
        3 => letters.truncate(place.max(1)),
        _ => letters[place] = letter,
    }
    letters.into_iter().collect()
}
