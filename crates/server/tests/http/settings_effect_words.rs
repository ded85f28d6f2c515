//! The settings that decide which words there are and which of them match.

use serde_json::{Value, json};

use super::settings_effect::{Effect, check_all};

fn notes() -> Value {
    json!([
        {"id": 1, "title": "The Wandering gardens", "code": "lantern", "year": 20240115},
        {"id": 2, "title": "Lanterns at dusk", "code": "garden", "year": 19991231},
        {"id": 3, "title": "part@north", "code": "alpha|beta"},
        {"id": 4, "title": "Edgar J. R. Smith", "code": "red&sep;green"},
        {"id": 5, "title": "brown bread with thick cold butter"},
        {"id": 6, "title": "bread butter"},
        {"id": 7, "title": "Kaffeemaschine", "name_de": "Regenschirm", "name_en": "Regenschirm"},
    ])
}

#[rustfmt::skip]
pub fn effects() -> Vec<Effect> {
    let finds = |setting: &'static str, value: Value, q: &str, [before, after]: [Vec<u64>; 2]| {
        Effect::of(setting, value).on(json!({"q": q})).changes(json!(before), json!(after))
    };
    let typos = |value: Value, q: &str, found: [Vec<u64>; 2]| finds("typoTolerance", value, q, found);
    let sizes = |one: u8, two: u8| json!({"minWordSizeForTypos": {"oneTypo": one, "twoTypos": two}});
    let german = |pattern: &str| json!([{"attributePatterns": [pattern], "locales": ["de"]}]);
    vec![
        finds("stopWords", json!(["with"]), "with", [vec![5], vec![]]),
        // Case counts, in documents too.
        finds("stopWords", json!(["the"]), "the", [vec![1], vec![1]]),
        finds("stopWords", json!(["The"]), "the", [vec![1], vec![]]),
        // That of the words of a language does not.
        finds("stopWords", json!({"languages": ["en"]}), "the", [vec![1], vec![]]),
        finds("stopWords", json!({"languages": ["en"]}), "THE", [vec![1], vec![]]),
        finds("stopWords", json!({"languages": ["de"]}), "with", [vec![5], vec![5]]),
        finds("stopWords", json!({"languages": ["fra"], "words": ["with"]}), "with", [vec![5], vec![]]),
        finds("nonSeparatorTokens", json!(["@"]), "north", [vec![3], vec![]]),
        finds("separatorTokens", json!(["|"]), "beta", [vec![], vec![3]]),
        finds("separatorTokens", json!(["&sep;"]), "green", [vec![4], vec![4]]),
        finds("dictionary", json!(["J. R."]), "edgar r", [vec![4], vec![4]]),
        finds("dictionary", json!(["J. R."]), "\"r. smith\"", [vec![4], vec![]]),
        finds("synonyms", json!({"illumination": ["lanterns"]}), "illumination", [vec![], vec![2]]),
        finds("synonyms", json!({"evening light": ["dusk"]}), "evening light", [vec![], vec![2]]),
        // One way only.
        finds("synonyms", json!({"lanterns": ["illumination"]}), "illumination", [vec![], vec![]]),
        finds("proximityPrecision", json!("byAttribute"), "\"bread butter\"", [vec![6], vec![6, 5]]),
        typos(json!({"enabled": false}), "gardn", [vec![2, 1], vec![]]),
        typos(sizes(7, 9), "gardn", [vec![2, 1], vec![]]),
        typos(sizes(2, 9), "dsk", [vec![], vec![2]]),
        typos(sizes(2, 4), "duuzk", [vec![], vec![2]]),
        typos(json!({"disableOnAttributes": ["code"]}), "gardem", [vec![2, 1], vec![1]]),
        typos(json!({"disableOnWords": ["Lantrens"]}), "lantrens", [vec![2], vec![]]),
        typos(json!({"disableOnNumbers": true}), "20240116", [vec![1], vec![]]),
        finds("localizedAttributes", german("title"), "maschine ", [vec![], vec![7]]),
        finds("localizedAttributes", german("*_de"), "schirm ", [vec![], vec![7]]),
        Effect::of("localizedAttributes", german("*_de")).on(json!({"q": "schirm ", "attributesToSearchOn": ["name_en"]}))
            .changes(json!([]), json!([])),
        finds("stemming", json!({"languages": ["en"]}), "wanders ", [vec![], vec![1]]),
        finds("stemming", json!({"languages": ["en"], "attributes": ["code"]}), "wanders ", [vec![], vec![]]),
        finds("prefixSearch", json!("disabled"), "wand", [vec![1], vec![]]),
        finds("prefixSearch", json!("disabled"), "wandering", [vec![1], vec![1]]),
    ]
}

#[test]
fn which_words_there_are_and_which_match() {
    check_all("effects-words", notes(), &effects());
}
