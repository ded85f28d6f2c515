//! Measures operations on a million documents:
//! `cargo test --release -p segment columns::tests::speed -- --ignored --nocapture`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ::model::Cancel;

use super::*;

const DOCUMENTS: u32 = 1_000_000;

/// Prints the quickest of several runs.
fn time<T>(what: &str, mut work: impl FnMut() -> T) {
    let mut best = Duration::MAX;
    for _ in 0..9 {
        let start = Instant::now();
        black_box(work());
        best = best.min(start.elapsed());
    }
    eprintln!("{what:60} {best:>12.2?}");
}

fn noise(number: u32) -> u32 {
    (number.wrapping_mul(2_654_435_761) ^ number >> 3).wrapping_mul(0x9e37_79b1) >> 3
}

/// Name, number of values, percentage of documents that have one, and values per document.
const COLUMNS: [(&str, u32, u32, u32); 7] = [
    ("genre: 20 strings", 20, 100, 1),
    ("year: 120 numbers", 120, 100, 1),
    ("brand: 5,000 strings, 80 %", 5_000, 80, 1),
    ("price: 100,000 numbers", 100_000, 100, 1),
    ("id: unique strings", u32::MAX, 100, 1),
    ("tags: 300 strings, 4 each", 300, 100, 4),
    ("note: 300 strings, 30 %", 300, 30, 1),
];

fn fill(buffer: &mut ColumnsBuffer, (name, values, share, each): (&str, u32, u32, u32)) {
    let column = buffer.column(name);
    let mut string = String::new();
    for doc_id in 0..DOCUMENTS {
        buffer.document(doc_id);
        if noise(doc_id + 77) % 100 >= share {
            continue;
        }
        buffer.exists(column);
        for more in 0..each {
            let value = noise(doc_id * each + more) % values;
            if name.contains("numbers") {
                buffer.number(column, f64::from(value));
            } else {
                string.clear();
                let _ = std::fmt::Write::write_fmt(&mut string, format_args!("value {value:08x}"));
                buffer.string(column, &string, &string);
            }
        }
    }
}

#[test]
#[ignore = "measures"]
fn a_million_documents() {
    let half: RoaringBitmap = (0..DOCUMENTS).filter(|&it| noise(it).is_multiple_of(2)).collect();
    let most: RoaringBitmap = (0..DOCUMENTS).filter(|&it| !noise(it).is_multiple_of(50)).collect();
    let few: RoaringBitmap = (0..DOCUMENTS).filter(|&it| noise(it).is_multiple_of(100)).collect();
    for shape in COLUMNS {
        eprintln!("{}", shape.0);
        let start = Instant::now();
        let mut buffer = ColumnsBuffer::new();
        fill(&mut buffer, shape);
        eprintln!("{:60} {:>12.2?}, {} bytes", "buffer", start.elapsed(), buffer.memory_used());
        let directory = memory();
        let start = Instant::now();
        let length = finish(vec![buffer], &fold, &directory, "x").unwrap();
        eprintln!("{:60} {:>12.2?}, {length} bytes", "finish", start.elapsed());
        let reader = ColumnsReader::open(&directory, "x").unwrap();
        let bytes = directory.open("x").unwrap();
        time("open", || ColumnsReader::from_bytes("x", bytes.clone()).unwrap());
        time("open and read the column", || {
            let reader = ColumnsReader::from_bytes("x", bytes.clone()).unwrap();
            reader.column(shape.0).unwrap().unwrap().value_count()
        });
        let column = reader.column(shape.0).unwrap().unwrap();
        let values = column.value_count();
        let mut counts = vec![0; values as usize];
        for (name, set) in [("half", &half), ("98 %", &most), ("1 %", &few)] {
            time(&format!("count values of {name} of the documents"), || {
                column.count_values(set, &mut counts).unwrap();
            });
        }
        for (name, range) in [
            ("a third", values / 3..values / 3 * 2),
            ("most", 1..values),
            ("one", values / 2..values / 2 + 1),
        ] {
            time(&format!("documents of {name} of the values"), || {
                column.documents_of_range(range.clone()).unwrap().len()
            });
        }
        let some: Vec<u32> = (0..values).step_by(7).collect();
        time("documents of every seventh value", || column.documents_of_many(&some).unwrap().len());
        time("values of every document", || {
            let mut cursor = column.values();
            (0..DOCUMENTS)
                .map(|it| cursor.seek(it).unwrap().map(u64::from).sum::<u64>())
                .sum::<u64>()
        });
        let live = &half;
        let inputs = [ColumnsMergeInput { readers: vec![&reader], live }];
        let start = Instant::now();
        merge(&inputs, &|_| true, &fold, &directory, "merged", &Cancel::default()).unwrap();
        eprintln!("{:60} {:>12.2?}", "merge half of it", start.elapsed());
    }
}
