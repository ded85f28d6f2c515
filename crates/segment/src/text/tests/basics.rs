//! Tests of writing and reading one file.

use ::model::Cancel;

use super::*;
use crate::frame::{Frame, FrameWriter};
use crate::inspect;
use crate::text::token_writer::TokenWriter;

#[test]
fn words_documents_and_streams_come_back() {
    let model = Model::sample(5, 700);
    let reader = model.write(&memory(), "1.text.1");
    model.check(&reader);
    let mut cursor = reader.tokens();
    assert!(cursor.seek(4).unwrap().is_none());
    assert!(cursor.seek(705).unwrap().is_none());
    // In any order.
    for doc_id in [704, 5, 300, 299, 704] {
        assert!(cursor.seek(doc_id).unwrap().is_some());
    }
}

#[test]
fn a_file_without_documents_or_without_words_is_one() {
    let empty = Model::default();
    let reader = empty.write(&memory(), "x");
    empty.check(&reader);
    assert_eq!(reader.documents_of_range(0..0).unwrap(), RoaringBitmap::new());
    assert!(finish(Vec::new(), &memory(), "x", &Cancel::default()).is_ok());

    let mut wordless = Model::default();
    wordless.add(3, &[("a", "_")]);
    wordless.add(4, &[]);
    let reader = wordless.write(&memory(), "x");
    wordless.check(&reader);
    assert_eq!(reader.tokens().seek(3).unwrap().unwrap().fields().count(), 0);
}

#[test]
fn small_files_are_small() {
    let mut model = Model::default();
    model.add(1_000_000, &[("id", "1000000"), ("title", "one document with a few words")]);
    let reader = model.write(&memory(), "x");
    assert!(reader.file_bytes() < 900, "{} bytes", reader.file_bytes());
}

#[test]
fn it_does_not_matter_how_documents_are_spread_over_buffers() {
    let model = Model::sample(0, 300);
    let directory = memory();
    model.write(&directory, "one");
    let mut buffers: Vec<TextBuffer> = (0..4).map(|_| TextBuffer::new()).collect();
    for (&doc_id, leaves) in model.documents.iter().rev() {
        add_to(&mut buffers[(doc_id / 10 % 3) as usize], doc_id, leaves);
    }
    finish(buffers, &directory, "many", &Cancel::default()).unwrap();
    assert_eq!(directory.open("one").unwrap(), directory.open("many").unwrap());
}

#[test]
fn a_document_may_come_once() {
    let model = Model::sample(0, 10);
    let error = finish(vec![model.buffer(), model.buffer()], &memory(), "x", &Cancel::default())
        .unwrap_err();
    assert!(matches!(error, SegmentError::Inconsistent(_)), "{error}");
}

#[test]
fn unions_are_kept_for_prefixes_that_many_documents_match() {
    let mut model = Model::default();
    for doc_id in 0..400 {
        let words: String = (0..90)
            .filter(|number| (number * 7 + doc_id) % 5 != 0)
            .map(|number| format!(" common{number} été{}", number / 2))
            .collect();
        model.add(doc_id * 3, &[("a", &words), ("b", &format!("rare{doc_id} able"))]);
    }
    let reader = model.write(&memory(), "x");
    // `été` has few words, `rare` few documents.
    assert_eq!(reader.union_count(), 1);
    model.check(&reader);
    let common = reader.prefix_range(b"common");
    let wider = common.start - 1..common.end + 2;
    let mut expected = RoaringBitmap::new();
    for ordinal in wider.clone() {
        expected |= reader.documents_of(ordinal).unwrap();
    }
    assert_eq!(reader.documents_of_range(wider).unwrap(), expected);
}

/// Tokens of every width, at even and odd places.
#[test]
fn tokens_of_every_width_come_back() {
    for (words, high_bits) in [(1000, 0), (70_000, 4), (2_000_000, 8), (20_000_000, 16)] {
        let directory = memory();
        let mut frame = FrameWriter::create(&directory, "x", KIND, 1).unwrap();
        let mut writer = TokenWriter::new(&mut frame, words).unwrap();
        let tokens: Vec<u32> =
            (0..97_u32).map(|number| number.wrapping_mul(2_654_435_761) % (words + 2)).collect();
        let heads = [(0, 1), (3, 30), (11, 31), (12, 3), (300, 32)];
        writer.add(9, &heads, &tokens).unwrap();
        writer.finish().unwrap();
        frame.finish().unwrap();

        let frame = Frame::read("x", directory.open("x").unwrap()).unwrap();
        let bytes = frame.section(format::TOKENS).unwrap();
        let document = DocumentTokens::parse(&bytes, high_bits).unwrap();
        assert_eq!(document.token_count(), 97);
        let mut rest = &tokens[..];
        let mut seen = Vec::new();
        for field in document.fields() {
            let (expected, others) = rest.split_at(field.len());
            rest = others;
            seen.push((field.field(), field.len() as u32));
            assert_eq!(field.iter().collect::<Vec<_>>(), expected);
            assert_eq!(field.iter().len(), expected.len());
            let mut by_next = Vec::new();
            for token in field.iter() {
                by_next.push(token);
            }
            assert_eq!(by_next, expected);
            let mut partly = field.iter();
            partly.next();
            assert_eq!(partly.collect::<Vec<_>>(), expected[1..]);
            let places: Vec<u32> = (0..field.len()).map(|place| field.get(place)).collect();
            assert_eq!(places, expected);
            let mut decoded = vec![1];
            field.decode_into(&mut decoded);
            assert_eq!(decoded[1..], *expected);
        }
        assert_eq!(seen, heads);
        for length in 0..bytes.len() {
            assert!(DocumentTokens::parse(&bytes[..length], high_bits).is_none());
        }
    }
}

#[test]
fn more_words_than_sixteen_bits_can_tell() {
    let mut model = Model::default();
    for doc_id in 0..70 {
        let words: String = (0..1000).map(|number| format!(" {doc_id}w{number}")).collect();
        model.add(doc_id, &[("a", "first"), ("b", &words)]);
    }
    let reader = model.write(&memory(), "x");
    assert_eq!(reader.word_count(), 70_001);
    assert_eq!(read_positions(&reader).unwrap(), model.positions());
    assert_eq!(reader.verify(), []);
}

#[test]
fn memory_grows_with_what_is_held() {
    let mut buffer = TextBuffer::new();
    assert!(buffer.is_empty());
    let model = Model::sample(0, 2000);
    model.fill(&mut buffer);
    assert!(!buffer.is_empty());
    let held = buffer.memory_used();
    assert!(held > 100_000 && held < 600_000, "{held}");
}

#[test]
fn a_file_is_explained_to_people() {
    let directory = memory();
    Model::sample(10, 100).write(&directory, "7.text.1");
    let bytes = directory.open("7.text.1").unwrap();
    let text = inspect(&bytes, "7.text.1");
    for part in [
        "kind: TEXT, version 4",
        "documents: 100, DocIds 10 to 109",
        "attributes: body, title, year",
        "unions over prefixes: 0, ",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let half = bytes.slice(0..bytes.len() / 2).unwrap();
    assert!(inspect(&half, "7.text.1").contains("problem: 7.text.1 is damaged"));
}

#[test]
fn readers_are_shared_between_threads() {
    let model = Model::sample(0, 300);
    let reader = model.write(&memory(), "x");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(read_positions(&reader).unwrap(), model.positions()));
        }
    });
}

#[test]
fn a_pair_is_found_behind_bytes_that_look_like_it() {
    let mut model = Model::default();
    let words: Vec<String> = (0..600).map(|number| format!("w{number:03}")).collect();
    model.add(1, &[("t", &words.join(" "))]);
    // As bytes: 05 01, 02 00, 01 02, 00 01. The pair is 01 02, 00 01, also from the second byte on.
    let tokens = [0x0105, 0x0002, 0x0201, 0x0100];
    let text: Vec<&str> = tokens.iter().map(|token| &*words[token - FIRST_WORD as usize]).collect();
    model.add(2, &[("t", &text.join(" "))]);
    let reader = model.write(&memory(), "x");
    let [left, right] = [0x0201, 0x0100].map(|token| token - FIRST_WORD);
    assert_eq!(reader.documents_of_pair(left, right).unwrap(), RoaringBitmap::from([2]));
    assert_eq!(reader.documents_of_pair(right, left).unwrap(), RoaringBitmap::new());
    assert_eq!(reader.documents_of_pair(4, 5).unwrap(), RoaringBitmap::from([1]));
}

#[test]
fn readers_of_the_same_file_are_told_apart() {
    let directory = memory();
    let reader = Model::sample(0, 10).write(&directory, "x");
    let again = TextReader::open(&directory, "x").unwrap();
    assert_eq!(reader.instance_id(), reader.instance_id());
    assert_ne!(reader.instance_id(), again.instance_id());
}
