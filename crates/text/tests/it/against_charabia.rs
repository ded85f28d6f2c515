//! Every token and every event equals what charabia alone gives, for random text over a tricky
//! alphabet, for every character, and for real text in many scripts.

mod reference;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use reference::{Pair, events, forget_broken_maps, seen, seen_events};
use text::{Language, WordLists};

fn check(text: &str, pair: &Pair, languages: &[Language]) {
    let mut expected = pair.expected(text, languages);
    let mut seen = seen(text, &pair.tokenizer, languages);
    if languages.contains(&Language::Swe) {
        forget_broken_maps(&mut expected, &mut seen);
    }
    if seen != expected {
        let differs = seen.iter().zip(&expected).find(|(seen, expected)| seen != expected);
        panic!("{languages:?} {text:?}\n{differs:?}");
    }
    let seen = seen_events(text, &pair.tokenizer, languages);
    assert_eq!(seen, events(&expected), "{languages:?} {text:?}");
}

fn list(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Letters that fold in every way, separators of both kinds, controls, marks, other scripts.
/// Kana are left out: they are cut by this crate.
const ALPHABET: &[&str] = &[
    "a",
    "b",
    "A",
    "Z",
    "the",
    "The",
    "0",
    "7",
    "42",
    " ",
    " ",
    ".",
    ",",
    ". ",
    ", ",
    "-",
    "_",
    "'",
    "\"",
    "!",
    "?",
    ";",
    ":",
    "/",
    "&",
    "#",
    "@",
    "$",
    "=",
    "|",
    "~",
    "\0",
    "\u{1}",
    "\t",
    "\n",
    "\u{b}",
    "\u{c}",
    "\u{1f}",
    "\u{7f}",
    "\u{85}",
    "\u{90}",
    "\u{a0}",
    "\u{ad}",
    "é",
    "É",
    "ñ",
    "ü",
    "Å",
    "å",
    "ä",
    "Ö",
    "ß",
    "ø",
    "Ł",
    "æ",
    "Œ",
    "đ",
    "Ð",
    "ð",
    "ı",
    "İ",
    "ǅ",
    "ﬁ",
    "²",
    "½",
    "ª",
    "№",
    "™",
    "ſ",
    "ẞ",
    "ạ",
    "’",
    "‘",
    "“",
    "–",
    "—",
    "…",
    "‥",
    "″",
    "≠",
    "≤",
    "«",
    "»",
    "·",
    "×",
    "¿",
    "§",
    "´",
    "¨",
    "\u{301}",
    "\u{308}",
    "\u{30a}",
    "\u{345}",
    "\u{200b}",
    "\u{200c}",
    "\u{200d}",
    "\u{feff}",
    "\u{2028}",
    "\u{2029}",
    "\u{202f}",
    "\u{3000}",
    "❤\u{fe0f}",
    "🚀",
    "👍🏽",
    "Я",
    "ж",
    "Ё",
    "й",
    "и\u{306}",
    "Ї",
    "Σ",
    "σ",
    "ς",
    "ά",
    "Ω",
    "ϲ",
    "ᾈ",
    "ὰ",
    "ა",
    "Ⴒ",
    "Თ",
    "Ա",
    "ա",
    "և",
    "՞",
    "։",
    "ﬓ",
    "ש",
    "שׁ",
    "ָ",
    "־",
    "ا",
    "ل",
    "أ",
    "ي",
    "ك",
    "ة",
    "ـ",
    "َ",
    "،",
    "؟",
    "۱",
    "١",
    "ﷲ",
    "پ",
    "ں",
    "ก",
    "า",
    "้",
    "ไทย",
    "ខ",
    "្",
    "ញ",
    "។",
    "។ល។",
    "北",
    "京",
    "大学",
    "裏",
    "爲",
    "〇",
    "。",
    "，",
    "（",
    "３",
    "Ａ",
    "ａ",
    "＿",
    "！",
    "㎏",
    "①",
    "Ⓐ",
    "ⅻ",
    "한",
    "국",
    "ᄒ",
    "ह",
    "ि",
    "।",
    "ত",
    "1D2B",
    "ᴫ",
    "ᵸ",
    "𝒜",
    "𝟙",
    "𠀀",
    "\u{e000}",
    "|sep|",
    "sep",
    "S.C",
    "j. r. r.",
    "::",
];

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(ALPHABET), 0..24).prop_map(|parts| parts.concat())
}

fn stop_words() -> BTreeSet<String> {
    list(&["the", "a", "é", "e\u{301}", "Å", "A\u{30a}", "ä", "ال", "大学", "ς", "Я", "fi", "2"])
}

static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let default = WordLists::default;
    let lists = [
        default(),
        WordLists { stop_words: stop_words(), ..default() },
        WordLists { stop_words: list(&["the", ",", "!", "", "…", "..."]), ..default() },
        WordLists { separators: list(&["|", "|sep|", "é", "", "大"]), ..default() },
        WordLists { non_separators: list(&["-", ".", "'", "&", "，", " ", "."]), ..default() },
        WordLists {
            dictionary: list(&["j. r. r.", "S.C", "a b", "", "大学", "É", "::"]),
            ..default()
        },
        WordLists {
            stop_words: stop_words(),
            stop_languages: BTreeSet::new(),
            separators: list(&["sep", "$", "="]),
            non_separators: list(&["_", ", ", "。"]),
            dictionary: list(&["42", "the-a", "北京"]),
        },
    ];
    lists.into_iter().map(Pair::new).collect()
});

fn language_lists() -> Vec<Vec<Language>> {
    use Language::{Ara, Cmn, Deu, Eng, Fra, Jpn, Pes, Rus, Swe, Tha, Zho};
    vec![
        vec![],
        vec![Eng],
        vec![Deu],
        vec![Swe],
        vec![Pes],
        vec![Ara],
        vec![Jpn],
        vec![Zho],
        vec![Deu, Eng],
        vec![Swe, Fra, Rus],
        vec![Cmn, Ara, Tha],
    ]
}

/// As many as `PROPTEST_CASES` says.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(800)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text(
        text in texts(),
        lists in 0..PAIRS.len(),
        languages in prop::sample::select(language_lists()),
    ) {
        check(&text, &PAIRS[lists], &languages);
    }

    #[test]
    fn random_text_without_lists(text in texts()) {
        check(&text, &PAIRS[0], &[]);
    }
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

/// Every character of these planes, except kana, alone and within words of three scripts.
fn check_chars(chars: impl Iterator<Item = char>) {
    let mut text = String::new();
    for c in chars.filter(|c| !is_kana(*c)) {
        for (before, after) in [("", ""), ("Ab", "Cd"), ("Жя", "Д"), ("Σ", "Σς"), ("שּ", "ש")]
        {
            text.clear();
            text.extend([before, c.encode_utf8(&mut [0; 4]), after]);
            check(&text, &PAIRS[0], &[]);
        }
    }
}

#[test]
fn characters_of_the_common_scripts() {
    check_chars(('\0'..='\u{5ff}').chain('\u{1e00}'..='\u{22ff}'));
}

#[test]
#[ignore = "takes a minute"]
fn every_character() {
    check_chars('\0'..=char::MAX);
}

#[test]
fn names_in_many_scripts() {
    let stop_words = list(&["de", "la", "San", "на"]);
    let stopped = Pair::new(WordLists { stop_words, ..WordLists::default() });
    let non_separators = list(&["-", "'"]);
    let changed = Pair::new(WordLists { non_separators, ..WordLists::default() });
    for line in include_str!("data/place-names.txt").lines() {
        if !line.contains(is_kana) {
            check(line, &PAIRS[0], &[]);
            check(line, &stopped, &[]);
            check(line, &changed, &[]);
        }
    }
}

#[test]
fn recorded_texts_in_several_languages() {
    for line in include_str!("data/tokens.tsv").lines() {
        for languages in language_lists() {
            check(line, &PAIRS[0], &languages);
        }
    }
}

/// Runs over files of JSON, whole or by lines, named in `TEXT_CORPUS` and separated by `:`.
#[test]
#[ignore = "needs files that are not part of the project"]
fn strings_of_a_corpus() {
    fn strings(value: &serde_json::Value, each: &mut impl FnMut(&str)) {
        match value {
            serde_json::Value::String(text) => each(text),
            serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, each)),
            serde_json::Value::Object(fields) => fields.values().for_each(|v| strings(v, each)),
            _ => {}
        }
    }
    for path in std::env::var("TEXT_CORPUS").unwrap_or_default().split_terminator(':') {
        let (mut texts, mut bytes, mut kana) = (0, 0, 0);
        let file = std::fs::read_to_string(path).unwrap();
        let values = serde_json::Deserializer::from_str(&file).into_iter::<serde_json::Value>();
        for value in values {
            strings(&value.unwrap(), &mut |text| {
                if text.contains(is_kana) {
                    kana += 1;
                } else {
                    texts += 1;
                    bytes += text.len();
                    check(text, &PAIRS[0], &[]);
                }
            });
        }
        eprintln!("{path}: {texts} texts, {bytes} bytes equal; {kana} with kana left out");
    }
}
