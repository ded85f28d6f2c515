//! Distributions: the attributes, the values, their spelling and their order.

use serde_json::{Value, json};

use super::{NOT_CANCELLED, Shelf};
use crate::facets::distribution;

fn books() -> Shelf {
    let attributes = json!(["genre", "price", "inStock", "tags", "publisher", "ghost"]);
    let shelf = Shelf::new(&json!({ "filterableAttributes": attributes }));
    shelf.write(&[
        json!({ "id": 1, "genre": "Adventure", "price": 12.5, "inStock": true,
            "tags": ["desert", "travel"], "publisher": { "name": "Northgate", "city": "Bergen" } }),
        json!({ "id": 2, "genre": "Poetry", "price": 8, "inStock": false, "tags": ["sea"],
            "publisher": { "name": "Tidewater" } }),
    ]);
    shelf.write(&[
        json!({ "id": 3, "genre": "poetry", "price": 8.0, "inStock": true, "tags": [],
            "publisher": [{ "name": "Tidewater" }, { "name": "Northgate" }] }),
        json!({ "id": 4, "genre": ["Manual", "Nature"], "price": 0, "tags": null, "publisher": null }),
        json!({ "id": 5, "genre": "", "price": null, "inStock": null, "publisher": {} }),
    ]);
    shelf
}

#[test]
fn values_of_every_kind_are_counted() {
    let shelf = books();
    assert_eq!(shelf.values("genre"), "Adventure=1, Manual=1, Nature=1, Poetry=2");
    assert_eq!(shelf.values("price"), "0=1, 12.5=1, 8=2");
    assert_eq!(shelf.values("inStock"), "false=1, true=2");
    assert_eq!(shelf.values("tags"), "desert=1, sea=1, travel=1");
    assert_eq!(shelf.values("publisher"), "");
    assert_eq!(shelf.values("publisher.name"), "Northgate=2, Tidewater=2");
    assert_eq!(shelf.values("ghost"), "absent");

    let some = shelf.candidates([3, 4, 5]);
    assert_eq!(shelf.values_of("genre", &some), "Manual=1, Nature=1, poetry=1");
    assert_eq!(shelf.values_of("genre", &shelf.candidates([])), "");
}

#[test]
fn stats_are_of_the_counted_numbers() {
    let shelf = books();
    let snapshot = shelf.snapshot();
    let stats = |ids: &[u32]| {
        let candidates = shelf.candidates(ids.iter().copied());
        distribution(&snapshot, &candidates, &["*".to_owned()], &NOT_CANCELLED).unwrap().stats
    };
    assert_eq!(stats(&[1, 2, 3, 4, 5]), [("price".to_owned(), (0.0, 12.5))]);
    assert_eq!(stats(&[1, 2]), [("price".to_owned(), (8.0, 12.5))]);
    assert_eq!(stats(&[5]), []);
}

#[test]
fn patterns_choose_among_the_names_that_documents_had() {
    let shelf = books();
    for (patterns, expected) in [
        (&["*"][..], "genre inStock price publisher publisher.city publisher.name tags"),
        (&["**"], "genre inStock price publisher publisher.city publisher.name tags"),
        (&["p*"], "price publisher publisher.city publisher.name"),
        (&["publisher.*"], "publisher.city publisher.name"),
        (&["publisher"], "publisher publisher.city publisher.name"),
        (&["publisher.name", "publisher.name"], "publisher.name"),
        (&["publisher.country"], ""),
        (&["*e"], "genre price publisher.name"),
        (&["*i*"], "inStock price publisher publisher.city publisher.name"),
        (&["ghost*"], ""),
        (&["tags", "genre"], "genre tags"),
    ] {
        assert_eq!(shelf.names(patterns), expected, "{patterns:?}");
    }
    shelf.delete([1, 2, 3, 4, 5]);
    assert_eq!(shelf.names(&["tags"]), "tags");
    assert_eq!(shelf.values("tags"), "");
}

#[test]
fn rules_decide_about_every_name_alone() {
    let off = json!({ "filter": { "equality": false, "comparison": false } });
    let shelf = Shelf::new(&json!({ "filterableAttributes": [
        { "attributePatterns": ["secret_*"], "features": off },
        { "attributePatterns": ["*_price"] },
        { "attributePatterns": ["meta.*"] },
        "owner",
    ] }));
    shelf.write(&[json!({ "id": 1, "secret_price": 5, "low_price": 10, "other": 1,
        "meta": { "a": "x", "b": { "c": 3 } }, "owner": { "name": "Ana" } })]);
    assert_eq!(shelf.names(&["*"]), "low_price meta.a meta.b meta.b.c owner owner.name");
    assert_eq!(shelf.names(&["meta"]), "");
    assert_eq!(shelf.names(&["meta.b"]), "meta.b meta.b.c");
    assert_eq!(shelf.names(&["owner"]), "owner owner.name");
    shelf.set(&json!({ "filterableAttributes": ["*"] }));
    assert_eq!(shelf.names(&["*"]), "");
}

#[test]
fn spellings_of_one_value_are_grouped_under_the_first() {
    let shelf = Shelf::new(&json!({ "filterableAttributes": ["v"] }));
    let texts = ["Red", "red", " RED ", "réd", "re\u{301}d", "ﬁsh", "fish", "ＦＩＳＨ", "   "];
    let documents: Vec<Value> =
        (1..).zip(texts).map(|(id, text)| json!({ "id": id, "v": text })).collect();
    for part in documents.chunks(4) {
        shelf.write(part);
    }
    assert_eq!(shelf.values("v"), "   =1, ﬁsh=3, Red=3, réd=2");
    assert_eq!(
        shelf.values_of("v", &shelf.candidates([2, 3, 5, 8])),
        "ＦＩＳＨ=1, red=2, re\u{301}d=1"
    );
    shelf.delete([1]);
    assert_eq!(shelf.values("v"), "   =1, ﬁsh=3, red=2, réd=2");
    // The first document that has it, though it came last.
    shelf.write(&[json!({ "id": 2, "v": ["x", "Fish"] })]);
    assert_eq!(shelf.values("v"), "   =1, Fish=4,  RED =1, réd=2, x=1");
}

#[test]
fn long_values_are_shown_in_full() {
    let shelf = Shelf::new(&json!({ "filterableAttributes": ["v"] }));
    let long = "Long ".repeat(200);
    shelf.write(&[json!({ "id": 1, "v": [{ "w": [[&long]] }] })]);
    assert_eq!(shelf.values("v.w"), format!("{long}=1"));
}

#[test]
fn a_text_like_a_number_takes_its_place() {
    let shelf = Shelf::new(&json!({ "filterableAttributes": ["v"] }));
    shelf.write(&[
        json!({ "id": 1, "v": 2 }),
        json!({ "id": 2, "v": 2.0 }),
        json!({ "id": 3, "v": "2" }),
        json!({ "id": 4, "v": ["2.0", 10] }),
    ]);
    assert_eq!(shelf.values("v"), "10=1, 2=1, 2.0=1");
}

#[test]
fn numbers_are_written_without_exponents() {
    let shelf = Shelf::new(&json!({ "filterableAttributes": ["n"] }));
    let numbers = [json!(1e21), json!(-1e-7), json!(-0.0), json!(0.1), json!(9007199254740993_u64)];
    shelf.write(&[json!({ "id": 1, "n": numbers })]);
    assert_eq!(
        shelf.values("n"),
        "-0.0000001=1, 0=1, 0.1=1, 1000000000000000000000=1, 9007199254740992=1"
    );
}

#[test]
fn order_and_maximum_are_settings() {
    let fruits = ["pear", "pear", "apple", "quince", "Quince", "quince", "fig", "medlar", "medlar"];
    let numbers = [10, 9, 100, 2, 2, 30, 1, 200, 9];
    let document = |(id, (fruit, n))| json!({ "id": id, "fruit": fruit, "n": n });
    let documents: Vec<Value> = (0..).zip(fruits.iter().zip(numbers)).map(document).collect();
    for segments in [1, 3] {
        let shelf = Shelf::new(&json!({}));
        for part in documents.chunks(documents.len() / segments) {
            shelf.write(part);
        }
        let shown = |faceting: Value| {
            let attributes = json!(["fruit", "n"]);
            shelf.set(&json!({ "filterableAttributes": attributes, "faceting": faceting }));
            (shelf.values("fruit"), shelf.values("n"))
        };
        let (fruit, n) = shown(json!({ "maxValuesPerFacet": 3 }));
        assert_eq!((&*fruit, &*n), ("apple=1, fig=1, medlar=2", "1=1, 10=1, 100=1"));
        let by_count = json!({ "sortFacetValuesBy": { "*": "count" }, "maxValuesPerFacet": 4 });
        let (fruit, n) = shown(by_count);
        assert_eq!((&*fruit, &*n), ("quince=3, pear=2, medlar=2, fig=1", "9=2, 2=2, 200=1, 100=1"));
        let (fruit, n) = shown(json!({ "sortFacetValuesBy": { "n": "count", "*": "alpha" } }));
        assert_eq!(fruit, "apple=1, fig=1, medlar=2, pear=2, quince=3");
        assert_eq!(n, "9=2, 2=2, 200=1, 100=1, 30=1, 10=1, 1=1");
        for order in ["alpha", "count"] {
            let none = json!({ "sortFacetValuesBy": { "*": order }, "maxValuesPerFacet": 0 });
            assert_eq!(shown(none), (String::new(), String::new()));
        }
    }
}
