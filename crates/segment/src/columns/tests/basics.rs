//! Tests of reading back what was written to one file.

use super::*;

fn column(items: impl IntoIterator<Item = (DocId, Item)>) -> (ColumnsReader, ModelColumn) {
    let mut model = Model::default();
    for (doc_id, item) in items {
        model.documents.entry(doc_id).or_default().push(("a".to_owned(), item));
    }
    let reader = model.write(&memory(), "x");
    model.check(&reader);
    (reader, model.columns().remove("a").unwrap_or_default())
}

#[test]
fn a_file_without_columns() {
    Model::default().check(&Model::default().write(&memory(), "x"));
    let mut buffer = ColumnsBuffer::new();
    buffer.document(1);
    buffer.column("never used");
    assert!(buffer.is_empty());
    finish(vec![buffer, ColumnsBuffer::new()], &fold, &memory(), "x").unwrap();
}

#[test]
fn numbers_come_before_strings() {
    let (reader, _) = column([
        (1, text("b")),
        (2, Item::Number(-3.5)),
        (3, text("1")),
        (4, Item::Number(1e300)),
        (5, Item::Number(0.0)),
        (6, Item::Number(-0.0)),
        (7, text("")),
    ]);
    let column = reader.column("a").unwrap().unwrap();
    assert_eq!((column.number_count(), column.value_count()), (3, 6));
    let numbers: Vec<f64> = (0..3).map(|ordinal| column.number(ordinal).unwrap()).collect();
    assert_eq!(numbers, [-3.5, 0.0, 1e300]);
    let strings: Vec<String> = (3..6).map(|ordinal| column.string(ordinal).unwrap()).collect();
    assert_eq!(strings, ["", "1", "b"]);
    assert_eq!(column.documents_of(1).unwrap(), RoaringBitmap::from_iter([5, 6]));
    assert_eq!(column.documents_of(3).unwrap(), RoaringBitmap::from_iter([7]));
    assert!(column.string(2).is_err() && column.number(3).is_err());
}

#[test]
fn null_and_empty_attributes_exist_without_a_value() {
    let (reader, _) = column([
        (3, Item::Null),
        (4, Item::Empty),
        (4, Item::Null),
        (5, Item::Exists),
        (9, Item::Number(1.0)),
    ]);
    let column = reader.column("a").unwrap().unwrap();
    assert_eq!(*column.exists(), RoaringBitmap::from_iter([3, 4, 5, 9]));
    assert_eq!(*column.null(), RoaringBitmap::from_iter([3, 4]));
    assert_eq!(*column.empty(), RoaringBitmap::from_iter([4]));
    assert_eq!(*column.valued(), RoaringBitmap::from_iter([9]));

    // Not a single value.
    let mut model = Model::default();
    model.add(3, [("a", Item::Null)]);
    let reader = model.write(&memory(), "x");
    model.check(&reader);
    let column = reader.column("a").unwrap().unwrap();
    assert_eq!((column.value_count(), column.valued().len()), (0, 0));
    assert!(column.dictionary().is_none() && column.folded().is_none());
}

#[test]
fn a_value_counts_once_a_document() {
    let (reader, _) = column([
        (1, text("b")),
        (1, text("a")),
        (1, text("B")),
        (1, Item::Number(2.0)),
        (1, Item::Number(2.0)),
        (2, text("b")),
    ]);
    let column = reader.column("a").unwrap().unwrap();
    assert!(column.is_multi());
    assert_eq!(column.values().seek(1).unwrap().collect::<Vec<u32>>(), [0, 1, 2]);
    assert_eq!(column.document_count(2).unwrap(), 2);
}

#[test]
fn spellings_are_kept_where_they_agree() {
    let long = "X".repeat(468);
    let longer = "Y".repeat(469);
    let (reader, model) = column([
        (1, text("normal")),
        (2, text("Same")),
        (3, text("Same")),
        (6, text(" ")),
        (7, text(&long)),
        (8, text(&longer)),
        (9, text("ÉTÉ")),
    ]);
    model.check_spellings(reader.column("a").unwrap().unwrap());

    let (reader, _) = column([
        (1, text("two")),
        (2, text("Two")),
        (3, text("Three")),
        (4, text("three")),
        (5, text("Four")),
        (6, text("FOUR")),
        (7, text("Four")),
    ]);
    let column = reader.column("a").unwrap().unwrap();
    for ordinal in 0..3 {
        assert_eq!(column.spelling(ordinal).unwrap(), Spelling::Varies, "{ordinal}");
    }
    assert!(column.spelling(3).is_err());
}

#[test]
fn strings_are_found_by_their_form_without_accents() {
    let (reader, _) =
        column([(1, text("été")), (2, text("eté")), (3, text("ete")), (4, text("über"))]);
    let folded = reader.column("a").unwrap().unwrap().folded().unwrap();
    let group = folded.dictionary().get("ete").unwrap().value();
    // `ete` is its own form and found as such.
    assert_eq!(folded.ordinals(group).unwrap(), [1, 2]);
    assert!(folded.dictionary().get("uber").is_some());
}

#[test]
fn several_buffers_make_one_file() {
    let mut model = Model::default();
    let mut buffers: Vec<ColumnsBuffer> = (0..3).map(|_| ColumnsBuffer::new()).collect();
    for doc_id in 0..1000 {
        let noise = doc_id * 7919 % 257;
        model.add(
            doc_id,
            [
                ("year", Item::Number(f64::from(noise))),
                ("tag", text(&format!("T{}", noise % 11))),
                ("tag", text(&format!("É{}", noise % 13))),
            ],
        );
        if doc_id % 3 == 0 {
            model.add(doc_id, [("rare", Item::Null), ("tag", Item::Number(1.0))]);
        }
        // Blocks of documents, as threads take them; one buffer has them in another order.
        let buffer = &mut buffers[doc_id as usize / 64 % 3];
        add_to(buffer, doc_id, &model.documents[&doc_id]);
    }
    let directory = memory();
    buffers.rotate_left(1);
    finish(buffers, &fold, &directory, "several").unwrap();
    model.check(&ColumnsReader::open(&directory, "several").unwrap());
    model.write(&directory, "one");
    assert_eq!(directory.open("one").unwrap(), directory.open("several").unwrap());
}

#[test]
fn documents_may_come_in_any_order() {
    let mut model = Model::default();
    let mut buffer = ColumnsBuffer::new();
    for number in 0..300 {
        let doc_id = number * 7919 % 1000;
        model.add(doc_id, [("a", Item::Number(f64::from(number % 5))), ("a", text("x"))]);
        add_to(&mut buffer, doc_id, &model.documents[&doc_id]);
    }
    let directory = memory();
    finish(vec![buffer], &fold, &directory, "x").unwrap();
    model.check(&ColumnsReader::open(&directory, "x").unwrap());
}

#[test]
fn nan_is_skipped() {
    let mut buffer = ColumnsBuffer::new();
    let column = buffer.column("a");
    buffer.document(1);
    buffer.exists(column);
    buffer.number(column, f64::NAN);
    let directory = memory();
    finish(vec![buffer], &fold, &directory, "x").unwrap();
    let reader = ColumnsReader::open(&directory, "x").unwrap();
    assert_eq!(reader.column("a").unwrap().unwrap().value_count(), 0);
    assert_eq!(reader.verify(), []);
}

#[test]
fn a_column_of_few_documents_costs_few_bytes() {
    let size = |columns: u32| {
        let mut buffer = ColumnsBuffer::new();
        for number in 0..columns {
            buffer.document(number * 100);
            let column = buffer.column(&format!("name{number:06}"));
            buffer.exists(column);
            buffer.string(column, "a value", "a value");
        }
        finish(vec![buffer], &fold, &memory(), "x").unwrap()
    };
    let each = (size(1100) - size(100)) / 1000;
    assert!(each < 110, "{each} bytes");
}

#[test]
fn an_inspection_lists_the_columns() {
    let mut model = Model::default();
    model.add(1, [("year", Item::Number(2000.0)), ("tags", text("A")), ("tags", text("b"))]);
    model.add(2, [("year", Item::Null)]);
    let directory = memory();
    model.write(&directory, "3.columns.1");
    let shown = crate::inspect(&directory.open("3.columns.1").unwrap(), "3.columns.1");
    assert!(shown.contains("kind: COLS, version 2"), "{shown}");
    assert!(
        shown.contains("year: 2 documents, 1 null, 0 empty; 1 numbers, 0 strings, one a document"),
        "{shown}"
    );
    assert!(shown.contains("0 numbers, 2 strings, several a document"), "{shown}");
    assert!(!shown.contains("problem"), "{shown}");
}
