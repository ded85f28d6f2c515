//! Tests of the lengths of attributes.

use ::model::Cancel;

use super::*;

/// 200 documents with a short, a long and a rare attribute.
fn model() -> Model {
    let mut model = Model::default();
    for doc_id in 0..200_u32 {
        let title = "word ".repeat(1 + doc_id as usize % 7);
        let text = "long . _ text ".repeat(doc_id as usize % 90);
        let mut leaves = vec![("title", title.as_str()), ("text", text.as_str())];
        let rare = "a ".repeat(doc_id as usize % 5);
        if doc_id % 11 == 0 {
            leaves.extend([("rare", rare.as_str()), ("three", "a b c")]);
        }
        model.add(5 + 3 * doc_id, &leaves);
    }
    model
}

fn check(reader: &TextReader) {
    let mut near = 0;
    for doc_id in reader.doc_ids() {
        let place = reader.place(doc_id, &mut near).unwrap();
        let tokens = reader.tokens().seek(doc_id).unwrap().unwrap();
        for field in 0..reader.fields().len() as u16 {
            let lengths = reader.lengths(field).unwrap().unwrap();
            if let Some(tokens) = tokens.fields().find(|one| one.field() == field) {
                assert_eq!(lengths.get(place) as usize, tokens.len(), "{doc_id} {field}");
            }
        }
    }
    assert_eq!(reader.verify(), []);
}

#[test]
fn lengths_are_those_of_the_streams() {
    let directory = memory();
    let reader = model().write(&directory, "x");
    check(&reader);
    let text = reader.fields().iter().position(|name| name == "text").unwrap();
    assert_eq!(reader.lengths(text as u16).unwrap().unwrap().get(1000), 0);

    let live: RoaringBitmap = (100..400).collect();
    let input = TextMergeInput { reader: &reader, live: &live };
    merge(&[input], &directory, "merged", &Cancel::default()).unwrap();
    check(&TextReader::open(&directory, "merged").unwrap());
}

#[test]
fn a_few_documents_have_none() {
    let mut model = Model::default();
    model.add(1, &[("x", "a b")]);
    assert!(model.write(&memory(), "x").lengths(0).unwrap().is_none());
}
