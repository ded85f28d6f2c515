//! Tests of the effect of separators, stop words and further leaves on positions.

use ::model::Cancel;

use super::*;

/// Returns the tokens of the only document, attribute by attribute, as text.
fn streams(leaves: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut model = Model::default();
    model.add(7, leaves);
    let reader = model.write(&memory(), "x");
    model.check(&reader);
    let mut cursor = reader.tokens();
    let tokens = cursor.seek(7).unwrap().unwrap();
    let shown = tokens.fields().map(|field| {
        let shown: Vec<String> = field
            .iter()
            .map(|token| match token {
                GAP => ".".to_owned(),
                SKIP => "_".to_owned(),
                word => String::from_utf8(reader.word(word - FIRST_WORD).unwrap()).unwrap(),
            })
            .collect();
        (reader.fields()[usize::from(field.field())].clone(), shown.join(" "))
    });
    shown.collect()
}

fn stream(leaves: &[&str]) -> String {
    let leaves: Vec<(&str, &str)> = leaves.iter().map(|leaf| ("a", *leaf)).collect();
    let mut streams = streams(&leaves);
    streams.pop().map(|(_, stream)| stream).unwrap_or_default()
}

#[test]
fn separators_count_between_words_only() {
    assert_eq!(stream(&["a b"]), "a b");
    assert_eq!(stream(&[". . a . . b ."]), "a . b");
    assert_eq!(stream(&["_ a _ b _"]), "_ a _ b");
    assert_eq!(stream(&["_ . a . _ ."]), "_ . a");
    assert_eq!(stream(&["a . _ b"]), "a . _ b");
    assert_eq!(stream(&["a _ . b"]), "a _ . b");
    assert_eq!(stream(&[""]), "");
}

#[test]
fn a_further_leaf_starts_after_a_gap() {
    assert_eq!(stream(&["a", "b"]), "a . b");
    assert_eq!(stream(&["a _ . _", "b"]), "a . b");
    assert_eq!(stream(&["a", "_ b"]), "a . _ b");
    assert_eq!(stream(&["a", ". b"]), "a . b");
    assert_eq!(stream(&["_ . _", "a", ".", "_", "b"]), "a . b");
}

#[test]
fn leaves_of_an_attribute_are_brought_together() {
    let leaves = [("b", "1 _"), ("a", "2"), ("b", "_ 3"), ("c", "_"), ("a", "4"), ("b", "5")];
    let expected = [("a", "2 . 4"), ("b", "1 . _ 3 . 5")];
    assert_eq!(
        streams(&leaves),
        expected.map(|(field, words)| (field.to_owned(), words.to_owned()))
    );
}

#[test]
fn words_are_long_or_far_away() {
    let longest = "é".repeat(125);
    let too_long = format!("{longest}x");
    assert_eq!(stream(&[&format!("a {longest} {too_long} b")]), format!("a {longest} _ b"));
    assert_eq!(stream(&[&too_long]), "");

    // The last position that counts is 65,535.
    let many = "w ".repeat(65_534);
    assert!(stream(&[&format!("{many} x y z")]).ends_with("w x y"));
    assert!(stream(&[&many, "z"]).ends_with("w w"));
    let scattered = [("a", format!("{many} x")), ("b", "1".to_owned()), ("a", "z".to_owned())];
    let scattered: Vec<(&str, &str)> =
        scattered.iter().map(|(field, leaf)| (*field, leaf.as_str())).collect();
    assert!(streams(&scattered)[0].1.ends_with("w x"));
    // A word whose first use is cut off is still one of the document's.
    let gaps = ". q ".repeat(8_192);
    let leaves = [("a", format!("{gaps} . late late")), ("b", "late".to_owned())];
    let leaves: Vec<(&str, &str)> =
        leaves.iter().map(|(field, leaf)| (*field, leaf.as_str())).collect();
    let streams = streams(&leaves);
    assert!(streams[0].1.ends_with(". q"));
    assert_eq!(streams[1].1, "late");
}

#[test]
fn words_outside_a_document_are_ignored() {
    let mut buffer = TextBuffer::new();
    let field = buffer.field("a").unwrap();
    buffer.word("lost");
    buffer.gap();
    buffer.leaf(field);
    buffer.word("lost");
    buffer.document(1);
    buffer.word("lost");
    buffer.skip();
    buffer.leaf(field);
    buffer.word("");
    buffer.word("found");
    let directory = memory();
    finish(vec![buffer], &directory, "x", &Cancel::default()).unwrap();
    let mut model = Model::default();
    model.add(1, &[("a", "found")]);
    model.check(&TextReader::open(&directory, "x").unwrap());
}
