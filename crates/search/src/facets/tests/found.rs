//! Searches for facet values.

use serde_json::{Value, json};

use super::Shelf;

fn shelf(values: &[&str]) -> Shelf {
    let shelf = Shelf::new(&json!({ "filterableAttributes": ["v"] }));
    let documents: Vec<Value> =
        (0..).zip(values).map(|(id, value)| json!({ "id": id, "v": value })).collect();
    for part in documents.chunks(5) {
        shelf.write(part);
    }
    shelf
}

fn authors() -> Shelf {
    let shelf = shelf(&[
        "Mira Olsen",
        "Mirabel Stone",
        "Ömer Faruk",
        "Omera Lind",
        "mira olsen",
        "Jon Pell",
        "Jonas Pelland",
        "Élodie Marchand",
        "Elodea Park",
        "Anne-Marie Vogt",
    ]);
    shelf.write(&[
        json!({ "id": 10, "v": ["Jon Pell", "Sabine Roth"] }),
        json!({ "id": 11, "v": null }),
        json!({ "id": 12, "v": 42 }),
    ]);
    shelf
}

#[test]
fn values_are_found_by_their_beginning() {
    let shelf = authors();
    for (text, expected) in [
        ("mira", "Mira Olsen=2, Mirabel Stone=1"),
        ("MIRA", "Mira Olsen=2, Mirabel Stone=1"),
        ("jon ", "Jon Pell=2"),
        ("mira olsen", "Mira Olsen=2"),
        ("olsen", ""),
        ("omer", "Ömer Faruk=1, Omera Lind=1"),
        ("ömer", "Ömer Faruk=1, Omera Lind=1"),
        ("elod", "Elodea Park=1, Élodie Marchand=1"),
        ("jom", ""),
        ("jonaz", "Jonas Pelland=1"),
        ("marabel", "Mirabel Stone=1"),
        ("annem", "Anne-Marie Vogt=1"),
        ("jon pel", "Jon Pell=2"),
        ("42", ""),
        (" ", ""),
        (" mira", ""),
    ] {
        assert_eq!(shelf.find("v", Some(text)), expected, "{text}");
    }
    assert_eq!(shelf.find("v.w", Some("m")), "");
    let some = shelf.candidates([4, 5, 9]);
    assert_eq!(shelf.find_among("v", Some("mi"), &some), "Mira Olsen=1");
}

#[test]
fn everything_is_listed_without_a_query() {
    let shelf = authors();
    assert_eq!(
        shelf.find("v", None),
        "Anne-Marie Vogt=1, Elodea Park=1, Élodie Marchand=1, Jon Pell=2, Jonas Pelland=1, \
         Mira Olsen=2, Mirabel Stone=1, Omera Lind=1, Ömer Faruk=1, Sabine Roth=1"
    );
    // An empty query compares without accents.
    assert_eq!(
        shelf.find("v", Some("")),
        "Anne-Marie Vogt=1, Elodea Park=1, Élodie Marchand=1, Jon Pell=2, Jonas Pelland=1, \
         Mira Olsen=2, Mirabel Stone=1, Ömer Faruk=1, Omera Lind=1, Sabine Roth=1"
    );
}

fn cities(typos: &Value, faceting: &Value) -> Shelf {
    let shelf = shelf(&[
        "Stockholm",
        "Stockholm",
        "Stockport",
        "Stockbridge",
        "stockholm",
        "Stuttgart",
        "Stuttgart",
        "Porto",
        "Port Louis",
        "Portland",
        "Porto Alegre",
        "Oslo",
        "Osaka",
        "Ostrava",
        "Ostrava",
    ]);
    let attributes = json!(["v"]);
    shelf.set(&json!({ "filterableAttributes": attributes, "typoTolerance": typos,
        "faceting": faceting }));
    shelf
}

#[test]
fn typos_are_allowed_by_length() {
    let shelf = cities(&json!({}), &json!({}));
    for (text, expected) in [
        ("stok", ""),
        ("stockhom", "Stockholm=3"),
        ("tockholm", "Stockholm=3"),
        ("porto", "Port Louis=1, Portland=1, Porto=1, Porto Alegre=1"),
        ("potro", "Porto=1, Porto Alegre=1"),
        ("stuttgrat", "Stuttgart=2"),
        ("stutgrat", ""),
    ] {
        assert_eq!(shelf.find("v", Some(text)), expected, "{text}");
    }
}

#[test]
fn typos_can_be_switched_off() {
    let off = cities(&json!({ "enabled": false }), &json!({}));
    assert_eq!(off.find("v", Some("stockhom")), "");
    assert_eq!(off.find("v", Some("stockho")), "Stockholm=3");
    let attribute = cities(&json!({ "disableOnAttributes": ["v"] }), &json!({}));
    assert_eq!(attribute.find("v", Some("stockhom")), "");
    assert_eq!(attribute.find("v", Some("stockho")), "Stockholm=3");
    let word = cities(&json!({ "disableOnWords": ["porto"] }), &json!({}));
    assert_eq!(word.find("v", Some("porto")), "Porto=1");
    assert_eq!(word.find("v", Some("potro")), "Porto=1, Porto Alegre=1");
}

#[test]
fn order_and_maximum_are_those_of_the_facet() {
    let faceting = json!({ "maxValuesPerFacet": 2, "sortFacetValuesBy": { "v": "count" } });
    let shelf = cities(&json!({}), &faceting);
    assert_eq!(shelf.find("v", None), "Stockholm=3, Stuttgart=2");
    assert_eq!(shelf.find("v", Some("")), "Stockholm=3, Stuttgart=2");
    assert_eq!(shelf.find("v", Some("o")), "Ostrava=2, Oslo=1");
    let shelf = cities(&json!({}), &json!({ "maxValuesPerFacet": 2 }));
    assert_eq!(shelf.find("v", Some("o")), "Osaka=1, Oslo=1");
    for order in ["alpha", "count"] {
        let none = json!({ "maxValuesPerFacet": 0, "sortFacetValuesBy": { "*": order } });
        let shelf = cities(&json!({}), &none);
        assert_eq!(shelf.find("v", None), "");
        assert_eq!(shelf.find("v", Some("o")), "");
    }
}

#[test]
fn the_spelling_is_that_of_the_first_document_counted_or_not() {
    let shelf = shelf(&["Night", "x", "x", "x", "x", "night", "night"]);
    let last = shelf.candidates([5, 6]);
    assert_eq!(shelf.find_among("v", None, &last), "Night=2");
    assert_eq!(shelf.find_among("v", Some("n"), &last), "Night=2");
    shelf.delete([0]);
    assert_eq!(shelf.find_among("v", None, &last), "night=2");
    shelf.write(&[json!({ "id": 1, "v": "NIGHT" }), json!({ "id": 2, "v": "Night" })]);
    assert_eq!(shelf.find_among("v", Some("ni"), &last), "NIGHT=2");
}
