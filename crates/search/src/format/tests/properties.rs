//! Properties that hold for every text and every query.

use proptest::prelude::*;
use serde_json::{Value, json};
use text::{Tokenizer, WordLists};

use super::{Case, text};
use crate::{MatchingTerm, MatchingWord, MatchingWords};

/// Tags and markers that no generated text contains.
const PRE: &str = "\u{e000}";
const POST: &str = "\u{e001}";
const MARKER: &str = "\u{e002}";

/// Few letters, so that words match; some that change their length when normalised.
const PIECES: &[&str] = &[
    "a",
    "b",
    "ab",
    "œ",
    "ﬁ",
    "é",
    "e\u{301}",
    "İ",
    "ß",
    "日本",
    "เพื่อน",
    "😀",
    " ",
    " ",
    " ",
    ". ",
    "-",
    "'",
    "\n",
    "½",
    "مُ",
    "\u{0}",
    "x²",
];

fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..40);
    prop_oneof![4 => pieces.prop_map(|pieces| pieces.concat()), 1 => "\\PC{0,60}"]
}

fn any_term(position: u16) -> impl Strategy<Value = MatchingTerm> {
    let word = || {
        prop::collection::vec(prop::sample::select(PIECES), 1..4).prop_map(|pieces| {
            let tokenizer = Tokenizer::new(WordLists::default());
            let text = pieces.concat();
            let tokens = tokenizer.tokens(&text, &[]);
            let word = tokens.iter().find(|token| token.is_word());
            word.map_or_else(String::new, |word| word.lemma.to_string())
        })
    };
    let phrase = prop::collection::vec(prop::option::weighted(0.9, word()), 0..3);
    let phrases = prop::collection::vec(phrase, 0..2);
    (word(), prop::collection::vec(word(), 0..3), any::<bool>(), phrases).prop_map(
        move |(original, variants, is_prefix, phrases)| MatchingTerm {
            first: position,
            last: position + u16::from(phrases.is_empty()),
            is_prefix,
            words: std::iter::once(&original)
                .chain(&variants)
                .map(|text| MatchingWord { text: text.clone() })
                .collect(),
            original,
            phrases,
        },
    )
}

fn any_words() -> impl Strategy<Value = MatchingWords> {
    (any_term(0), any_term(1), any_term(2), 0..4usize).prop_map(|(a, b, c, count)| {
        let mut terms = vec![a, b, c];
        terms.truncate(count);
        MatchingWords { terms }
    })
}

fn asked(of: &str, words: MatchingWords) -> Case {
    let mut case = text(of).highlight(&["t"]);
    case.words = words;
    case.request.pre_tag = PRE.to_owned();
    case.request.post_tag = POST.to_owned();
    case.request.crop_marker = MARKER.to_owned();
    case.request.show_matches_position = true;
    case
}

fn run(case: &Case) -> (String, Vec<(usize, usize)>) {
    let (formatted, positions) = case.run();
    let formatted = formatted.unwrap();
    let positions = positions.unwrap();
    let entries = positions.get("t").and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |entry: &Value, name: &str| entry[name].as_u64().unwrap() as usize;
    let entries = entries.iter().map(|entry| (number(entry, "start"), number(entry, "length")));
    (formatted["t"].as_str().unwrap().to_owned(), entries.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn tags_stand_where_the_positions_say_and_nothing_else_changes(
        of in any_text(),
        words in any_words(),
    ) {
        let (formatted, positions) = run(&asked(&of, words));
        let mut expected = String::new();
        let mut written = 0;
        for (start, length) in positions {
            prop_assert!(start >= written && length > 0);
            expected += &of[written..start];
            written = start + length;
            expected += &format!("{PRE}{}{POST}", &of[start..written]);
        }
        expected += &of[written..];
        prop_assert_eq!(formatted, expected);
    }

    #[test]
    fn cropped_text_is_a_part_within_the_word_limit(
        of in any_text(),
        words in any_words(),
        length in 1..12usize,
    ) {
        let case = asked(&of, words).crop(&["t"]).crop_length(length);
        let (cropped, positions) = run(&case);
        let inner = cropped.replace(PRE, "").replace(POST, "");
        let is_cut_before = inner.starts_with(MARKER);
        let is_cut_after = inner.ends_with(MARKER);
        let inner = inner.trim_start_matches(MARKER).trim_end_matches(MARKER);

        let tokens = Tokenizer::new(WordLists::default());
        let tokens = tokens.tokens(&of, &[]);
        let ends_fit = |start: usize| {
            let end = start + inner.len();
            let words = tokens
                .iter()
                .filter(|token| !token.is_separator())
                .filter(|token| token.byte_start >= start && token.byte_end <= end);
            let is_full = words.count() == length;
            let is_whole = start == 0 && end == of.len();
            is_cut_before == (start > 0) && is_cut_after == (end < of.len()) && (is_full || is_whole)
                || is_whole && !is_cut_before && !is_cut_after
        };
        let mut places = of.match_indices(inner).map(|(at, _)| at);
        prop_assert!(places.any(ends_fit), "{:?} of {:?} at {}", cropped, of, length);
        // What matches is shown.
        prop_assert!(positions.is_empty() || cropped.contains(PRE), "{:?} of {:?}", cropped, of);
    }

    #[test]
    fn words_of_no_query_are_never_tagged(of in any_text()) {
        let (formatted, positions) = run(&asked(&of, MatchingWords::default()));
        prop_assert_eq!((formatted, positions.len()), (of, 0));
    }
}

#[test]
fn long_texts_with_many_matches_take_no_long_time() {
    let words = super::query("a b*");
    let of = "a b x ".repeat(20_000);
    let case = asked(&of, words).crop(&["t"]).crop_length(20_000);
    let limit = std::time::Duration::from_secs(20);
    let (cropped, positions) = testkit::takes_at_most(limit, || run(&case));
    assert_eq!(positions.len(), 40_000);
    assert!(cropped.starts_with("\u{e000}a"), "{}", json!(&cropped[..20]));
}
