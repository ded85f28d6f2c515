//! Tests of documents by the attributes that have their words, against the streams.

use super::*;

/// Returns the documents that have a word of the range in the attribute, by their streams.
fn naive(reader: &TextReader, range: &std::ops::Range<u32>, wanted: u16) -> RoaringBitmap {
    let is_in = |doc_id: &DocId| {
        let tokens = reader.tokens().seek(*doc_id).unwrap().unwrap();
        tokens.fields().any(|field| {
            field.field() == wanted
                && field.iter().any(|token| {
                    token.checked_sub(FIRST_WORD).is_some_and(|ordinal| range.contains(&ordinal))
                })
        })
    };
    reader.doc_ids().iter().filter(is_in).collect()
}

fn check(model: &Model) {
    let reader = model.write(&memory(), "x");
    let words = reader.word_count();
    for range in [0..words, 0..1, 0..20.min(words), words / 2..words] {
        for wanted in 0..reader.fields().len() as u16 {
            let expected = naive(&reader, &range, wanted);
            let counts = |field| field == wanted;
            let by_word = reader.documents_in_fields(range.clone(), counts).unwrap();
            assert_eq!(by_word, expected, "{range:?} {wanted}");
            let at_once = reader.documents_of_range_in_fields(range.clone(), counts).unwrap();
            assert_eq!(at_once, expected, "{range:?} {wanted}");
        }
    }
}

#[test]
fn documents_are_those_that_have_the_words_there() {
    // Few words are in both attributes.
    let mut model = Model::default();
    for doc_id in 0..400_u32 {
        let title = format!("w{} w{}", doc_id % 90, doc_id % 7);
        let tag = if doc_id % 50 == 0 { "w3 other" } else { "tag" };
        model.add(doc_id, &[("title", &title), ("tag", tag)]);
    }
    check(&model);
    // All words are in both, and many.
    let mut model = Model::default();
    for doc_id in 0..700_u32 {
        let (title, text) = (format!("w{doc_id}"), format!("w{}", (doc_id * 7) % 700));
        model.add(doc_id, &[("title", &title), ("text", &text)]);
    }
    check(&model);
    // A few words that many documents have there.
    let mut model = Model::default();
    for doc_id in 0..3000_u32 {
        let tag = if doc_id % 2 == 0 { "the" } else { "a" };
        model.add(doc_id, &[("title", "the cat"), ("tag", tag)]);
    }
    check(&model);
}
