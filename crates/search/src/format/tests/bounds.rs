//! The size of what is formatted, and how much of a text is looked at for it.

use serde_json::json;

use super::super::TooLongError;
use super::{case, text};

#[test]
fn tags_that_make_a_text_too_long_are_not_written() {
    let case = text(&"word ".repeat(100)).query("word").highlight(&["t"]);
    let case = case.request(|request| request.pre_tag = "<".repeat(1000));
    // The text, and tags around each match.
    let length = 500 + 100 * (1000 + 5);
    assert!(case.run_within(length).is_ok());
    assert_eq!(case.run_within(length - 1), Err(TooLongError));
}

#[test]
fn all_texts_of_a_hit_count_together() {
    let texts: Vec<String> = (0..10).map(|_| "word ".repeat(10)).collect();
    let case = case(json!({ "t": texts })).query("word").highlight(&["t"]);
    let length = 10 * (50 + 10 * 9);
    assert!(case.run_within(length).is_ok());
    assert_eq!(case.run_within(length - 1), Err(TooLongError));
}

#[test]
fn places_of_matches_count_too() {
    let case = text(&"word ".repeat(100)).query("word");
    let case = case.request(|request| request.show_matches_position = true);
    assert!(case.run_within(100 * 24).is_ok());
    assert_eq!(case.run_within(100 * 24 - 1), Err(TooLongError));
}

#[test]
fn only_the_first_mebibyte_of_a_text_is_looked_at() {
    let long = format!("word {}é word", "x".repeat(1 << 20));
    let case = text(&long).query("word").highlight(&["t"]);
    let case = case.request(|request| request.show_matches_position = true);
    let (formatted, positions) = case.run();
    assert_eq!(positions, Some(json!({ "t": [{ "start": 0, "length": 4 }] })));
    let shown = formatted.unwrap()["t"].as_str().unwrap().to_owned();
    assert_eq!(shown, long.replacen("word", "<em>word</em>", 1));
}

#[test]
fn words_beyond_the_last_indexed_position_are_not_matched() {
    let long = format!("word {}word word", "x ".repeat((1 << 16) - 2));
    let case = text(&long).query("word");
    let case = case.request(|request| request.show_matches_position = true);
    let last = 5 + 2 * ((1 << 16) - 2);
    let places = json!({ "t": [{ "start": 0, "length": 4 }, { "start": last, "length": 4 }] });
    assert_eq!(case.run().1, Some(places));
}
