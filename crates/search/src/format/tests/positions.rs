//! Tests of match positions.

use serde_json::{Value, json};

use super::{Case, case, text};

#[track_caller]
fn at(document: &str, words: &str, expected: Value) {
    let expected = if expected == json!([]) { json!({}) } else { json!({ "t": expected }) };
    text(document).query(words).matches_at(expected);
}

#[test]
fn places_are_in_bytes() {
    at("ééé tea ñandú tea", "tea*", json!([{"start": 7, "length": 3}, {"start": 19, "length": 3}]));
    at("😀 happy cafe 😀", "caf*", json!([{"start": 11, "length": 3}]));
    at("Crème BRÛLÉE", "brulee", json!([{"start": 7, "length": 8}]));
    at("école", "éco", json!([]));
    at("الولد", "zzz", json!([]));
    at("Tea", "", json!([]));
}

#[test]
fn positions_of_prefixes_and_phrases() {
    at("Œuvrier", "oeu*", json!([{"start": 0, "length": 3}]));
    at("naïveté", "naivet*", json!([{"start": 0, "length": 7}]));
    at("مُحَمَّد", "محم*", json!([{"start": 0, "length": 10}]));
    at("Great cinnamon  rolls", "[cinnamon rolls]", json!([{"start": 6, "length": 15}]));
}

fn places() -> Case {
    case(json!({
        "id": "kiosk-1",
        "n": 8001,
        "flag": true,
        "info": { "label": "Tea «thé»", "deep": { "x": "tea" } },
        "tags": ["чай", "green tea", ["black", "tea"]],
        "reviews": [{ "text": "a tea" }, { "text": "coffee" }, { "text": "tea, tea" }],
    }))
}

#[test]
fn positions_cover_every_displayed_value() {
    let expected = json!({
        "info.deep.x": [{ "start": 0, "length": 3 }],
        "info.label": [{ "start": 0, "length": 3 }],
        "reviews.text": [
            { "start": 0, "length": 3, "indices": [2] },
            { "start": 5, "length": 3, "indices": [2] },
        ],
        "tags": [{ "start": 0, "length": 3, "indices": [2, 1] }],
    });
    let tea = places().query("tea*");
    tea.clone().matches_at(expected.clone());
    tea.clone().retrieve(&[]).matches_at(expected.clone());
    tea.clone().retrieve(&["id"]).highlight(&["info"]).matches_at(expected.clone());
    tea.clone().highlight(&["missing"]).matches_at(expected).has_no_formatted();
    let label = json!({ "info.label": [{ "start": 0, "length": 3 }] });
    tea.clone().displayed(&["id", "info.label"]).matches_at(label);
    tea.displayed(&[]).matches_at(json!({}));
}

#[test]
fn last_matching_value_of_an_array_is_reported() {
    let tags = case(json!({ "tags": ["calm sea", "blue", "x"] })).query("blue calm");
    tags.matches_at(json!({ "tags": [{ "start": 0, "length": 4, "indices": [1] }] }));
}

#[test]
fn numbers_are_texts_and_booleans_are_none() {
    places().query("8001*").matches_at(json!({ "n": [{ "start": 0, "length": 4 }] }));
    places().query("true*").matches_at(json!({}));
    let rating = case(json!({ "r": 4.5 })).query("4 5*");
    rating.matches_at(json!({ "r": [{ "start": 0, "length": 1 }, { "start": 2, "length": 1 }] }));
}

#[test]
fn they_are_absent_unless_asked_for_and_no_work_is_done_then() {
    let (formatted, positions) = places().query("tea").highlight(&["tags"]).run();
    assert!(formatted.is_some() && positions.is_none());
    assert_eq!(places().query("tea").run(), (None, None));
}

#[test]
fn a_crop_does_not_move_them() {
    let old = text("Sourdough from an old mill").query("old*").crop(&["t:2"]);
    old.matches_at(json!({ "t": [{ "start": 18, "length": 3 }] }))
        .gives(json!({ "t": "…an old…" }));
}
