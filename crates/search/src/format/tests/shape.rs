//! The content and the form of `_formatted`.

use serde_json::json;

use super::{Case, case};

fn kiosk() -> Case {
    case(json!({
        "id": "kiosk-1",
        "name": "Café Zürich",
        "rating": 4.0,
        "open": true,
        "address": { "street": "Limmatquai 12", "zip": 8001, "notes": ["ring twice", null, 2] },
        "reviews": [
            { "by": "Ann", "text": "Great espresso, slow service" },
            { "by": "Olu", "text": "Cinnamon rolls sell out early" },
        ],
    }))
    .query("espresso*")
}

#[test]
fn numbers_become_strings_and_the_rest_keeps_its_shape() {
    kiosk().highlight(&["*"]).gives(json!({
        "id": "kiosk-1",
        "name": "Café Zürich",
        "rating": "4.0",
        "open": true,
        "address": { "street": "Limmatquai 12", "zip": "8001", "notes": ["ring twice", null, "2"] },
        "reviews": [
            { "by": "Ann", "text": "Great <em>espresso</em>, slow service" },
            { "by": "Olu", "text": "Cinnamon rolls sell out early" },
        ],
    }));
}

#[test]
fn formatted_has_retrieved_and_named_fields_in_document_order() {
    let case = kiosk().retrieve(&["rating", "name"]).highlight(&["reviews.text"]);
    let (formatted, _) = case.run();
    let text = serde_json::to_string(&formatted).unwrap();
    assert_eq!(
        text,
        "{\"name\":\"Café Zürich\",\"rating\":\"4.0\",\"reviews\":[{\"text\":\"Great \
         <em>espresso</em>, slow service\"},{\"text\":\"Cinnamon rolls sell out early\"}]}"
    );
    let zip = json!({ "address": { "zip": "8001" } });
    kiosk().retrieve(&[]).crop(&["address.zip:1"]).gives(zip);
    let all = kiosk().retrieve(&["*"]).highlight(&["name"]).run().0.unwrap();
    assert_eq!(all.as_object().unwrap().len(), 6);
    let all = kiosk().highlight(&["name"]).run().0.unwrap();
    assert_eq!(all.as_object().unwrap().len(), 6);
}

#[test]
fn formatted_is_absent_without_valid_names() {
    kiosk().has_no_formatted();
    kiosk().highlight(&[]).has_no_formatted();
    kiosk().highlight(&["nope"]).crop(&["Name", "nope:3"]).has_no_formatted();
    kiosk().highlight(&["na*"]).has_no_formatted();
    kiosk().retrieve(&["id"]).highlight(&["nope", "open"]).gives(json!({
        "id": "kiosk-1", "open": true,
    }));
    // Another document has it.
    kiosk().knows("nope").retrieve(&["id"]).highlight(&["nope"]).gives(json!({ "id": "kiosk-1" }));
}

#[test]
fn only_displayed_attributes_are_in_it() {
    let case = kiosk().displayed(&["id", "reviews.text", "unknown"]);
    case.clone().retrieve(&["id", "name"]).highlight(&["name", "reviews.text"]).gives(json!({
        "id": "kiosk-1",
        "reviews": [
            { "text": "Great <em>espresso</em>, slow service" },
            { "text": "Cinnamon rolls sell out early" },
        ],
    }));
    case.clone().highlight(&["name"]).has_no_formatted();
    case.clone().highlight(&["reviews"]).has_no_formatted();
    case.crop(&["*:1"]).gives(json!({
        "id": "kiosk…",
        "reviews": [{ "text": "…espresso…" }, { "text": "Cinnamon…" }],
    }));
    kiosk().displayed(&[]).highlight(&["*"]).has_no_formatted();
    kiosk().displayed(&["unknown"]).crop(&["*"]).has_no_formatted();
}

#[test]
fn options_apply_to_parents_and_children() {
    let case = kiosk().retrieve(&[]);
    let reviews = json!({ "reviews": [
        { "by": "Ann", "text": "Great <em>espresso</em>…" },
        { "by": "Olu", "text": "Cinnamon rolls…" },
    ] });
    case.clone().highlight(&["reviews"]).crop(&["reviews:2"]).gives(reviews.clone());
    case.clone().highlight(&["reviews"]).crop(&["reviews.text:2"]).gives(reviews.clone());
    case.clone().highlight(&["reviews.text"]).crop(&["reviews:2"]).gives(reviews.clone());
    // Of two lengths the outer one counts.
    case.clone().highlight(&["reviews"]).crop(&["reviews.text:1", "reviews:2"]).gives(reviews);
    let texts = case.highlight(&["*"]).crop(&["*:2", "reviews.text:1", "name:1"]).run().0.unwrap();
    assert_eq!(texts["reviews"][0]["text"], "Great <em>espresso</em>…");
    assert_eq!(texts["name"], "Café…");

    // Here the child is not in the document, but its name is known.
    let flat = kiosk().knows("name.first").query("cafe").retrieve(&[]).highlight(&["name.first"]);
    flat.gives(json!({ "name": "<em>Café</em> Zürich" }));
}

#[test]
fn dotted_name_is_a_field_unless_only_its_parent_is_known() {
    let both = case(json!({ "id": 1, "a.b": "quartz", "a": { "b": "quartz", "c": 2 } }));
    let both = both.query("quartz");
    let named = json!({ "a.b": "<em>quartz</em>", "a": { "b": "<em>quartz</em>" } });
    both.clone().retrieve(&[]).highlight(&["a.b"]).gives(named);
    let all = json!({
        "id": "1", "a.b": "<em>quartz</em>", "a": { "b": "<em>quartz</em>", "c": "2" },
    });
    both.clone().highlight(&["*"]).gives(all.clone());
    both.clone().retrieve(&["*"]).highlight(&["a"]).gives(all);
    let parent = json!({ "a": { "b": "<em>quartz</em>", "c": "2" } });
    both.clone().retrieve(&[]).highlight(&["a"]).gives(parent);
    // Another document has `a`, this one has not.
    let flat = case(json!({ "id": 2, "a.b": "quartz" })).knows("a").query("quartz");
    flat.highlight(&["*"]).gives(json!({ "id": "2" }));
    both.matches_at(json!({ "a.b": [{ "start": 0, "length": 6 }] }));
    let alone = case(json!({ "a.b": "quartz" })).query("quartz").highlight(&["*"]);
    alone.gives(json!({ "a.b": "<em>quartz</em>" }));
}

#[test]
fn parents_of_a_name_stay_where_the_document_lacks_it() {
    let case = case(json!({ "a": { "c": 1 }, "l": [{ "x": 1 }, 5, {}] })).retrieve(&[]);
    let case = case.knows("a.b").knows("l.y");
    case.highlight(&["a.b", "l.y"]).gives(json!({ "a": {}, "l": [{}, "5", {}] }));
}

#[test]
fn vectors_are_never_in_it() {
    let case = case(json!({ "id": 1, "_vectors": { "e": [1, 2] }, "a": { "_vectors": 3 } }));
    let case = case.query("1*").highlight(&["*"]);
    case.gives(json!({ "id": "<em>1</em>", "a": { "_vectors": "3" } }))
        .matches_at(json!({ "id": [{ "start": 0, "length": 1 }] }));
}

#[test]
fn empty_names_are_names() {
    let odd = case(json!({ "": { "x": "tea" }, "b": { "": "tea" } })).query("tea");
    odd.clone().highlight(&["*"]).gives(json!({
        "": { "x": "<em>tea</em>" }, "b": { "": "<em>tea</em>" },
    }));
    odd.matches_at(json!({
        ".x": [{ "start": 0, "length": 3 }], "b.": [{ "start": 0, "length": 3 }],
    }));
}
