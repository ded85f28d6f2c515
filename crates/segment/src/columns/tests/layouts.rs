//! Tests of every layout of columns: few and many values, single and multiple per document, in
//! consecutive and in sparse documents. Large enough for sets, scans and all widths.

use super::*;

/// `count` documents with values, `step / 2` apart; `values` different ones.
fn check(first: DocId, count: u32, step: u32, values: u32, several: bool) {
    let mut model = Model::default();
    for number in 0..count {
        let noise = number.wrapping_mul(2_654_435_761) >> 4;
        let value = |noise: u32| match noise % values {
            even if even % 2 == 0 => Item::Number(f64::from(even)),
            odd => Item::Text(format!("Value {odd}")),
        };
        let mut items = vec![("a", value(noise))];
        if several && number % 4 > 0 {
            items.extend((0..number % 4).map(|more| ("a", value(noise / 3 + more * 77))));
        }
        if number % 50 == 48 {
            items = vec![("a", Item::Null)];
        }
        model.add(first + number * step / 2, items);
    }
    let reader = model.write(&memory(), "x");
    model.check(&reader);
    let column = reader.column("a").unwrap().unwrap();
    assert_eq!(column.description.first.is_some(), step < 8, "{step}");
}

#[test]
fn one_byte_an_ordinal() {
    for (first, step) in [(0, 2), (1000, 2), (70_003, 3), (5, 8), (9, 1400)] {
        check(first, 2000, step, 200, false);
        check(first, 2000, step, 200, true);
    }
    // The number after the last ordinal takes the last byte there is, then one too many.
    for values in [254, 255, 256, 257] {
        check(10, 2000, 2, values, false);
    }
}

#[test]
fn two_bytes_an_ordinal() {
    check(64, 3000, 2, 1500, false);
    check(3, 3000, 3, 1500, true);
    check(3, 3000, 10, 1500, true);
}

#[test]
fn three_bytes_an_ordinal() {
    check(100, 70_000, 2, 1 << 24, false);
    check(100, 40_000, 8, 1 << 24, true);
}

/// Documents with more values than there are bits in a word.
#[test]
fn many_values_a_document() {
    let mut model = Model::default();
    for doc_id in 0..60 {
        let items = (0..doc_id * 7).map(|number| ("a", Item::Number(f64::from(number * 3 % 500))));
        model.add(doc_id, items.chain([("a", Item::Exists)]));
    }
    model.check(&model.write(&memory(), "x"));
}

#[test]
fn at_the_end_of_all_documents() {
    check(DocId::MAX - 1999, 2000, 2, 20, false);
    check(DocId::MAX - 1999, 2000, 2, 20, true);
}

#[test]
fn opening_a_file_of_many_columns_reads_none_of_them() {
    let mut buffer = ColumnsBuffer::new();
    buffer.document(0);
    for number in 0..10_000 {
        let column = buffer.column(&format!("column {number}"));
        buffer.exists(column);
        buffer.number(column, f64::from(number));
    }
    let directory = memory();
    finish(vec![buffer], &fold, &directory, "x").unwrap();
    let reader = ColumnsReader::open(&directory, "x").unwrap();
    assert_eq!(reader.names().len(), 10_000);
    assert!(reader.names().is_sorted());
    for number in [0, 1, 77, 9_999] {
        let column = reader.column(&format!("column {number}")).unwrap().unwrap();
        assert_eq!(column.number(0).unwrap(), f64::from(number));
    }
    assert_eq!(reader.verify(), []);
}
