//! The cut documents do not depend on how the bytes arrive, and cutting can resume at a position.

use std::io::{BufReader, Cursor};

use super::*;
use crate::import::source::SourceReader;

fn text(bytes: &str, at: FilePosition, buffer: usize) -> SourceReader {
    let rest = bytes.as_bytes()[at.offset as usize..].to_vec();
    SourceReader::new(Box::new(BufReader::with_capacity(buffer, Cursor::new(rest))), at)
}

fn cutter(kind: &str, bytes: &str, at: FilePosition, buffer: usize) -> Box<dyn Cutter> {
    match kind {
        "json" if at == FilePosition::START => Box::new(JsonCutter::new(text(bytes, at, buffer))),
        "json" => Box::new(JsonCutter::resume(text(bytes, at, buffer))),
        "ndjson" => Box::new(LineCutter::new(text(bytes, at, buffer))),
        _ => {
            let begin = CsvCutter::new(text(bytes, FilePosition::START, buffer), b',').unwrap();
            if at == FilePosition::START {
                Box::new(begin)
            } else {
                Box::new(begin.resume(text(bytes, at, buffer)))
            }
        }
    }
}

/// Line, text and fault of a document.
type Found = (u64, String, Option<String>);

/// Every document, where each ended, and what ended them all before their time.
fn all(cutter: &mut dyn Cutter) -> (Vec<Found>, Vec<FilePosition>, Option<String>) {
    let (mut found, mut points) = (Vec::new(), Vec::new());
    loop {
        let mut out = Vec::new();
        match cutter.next(&mut out) {
            Ok(Some(cut)) => {
                found.push((cut.line, String::from_utf8(out).unwrap(), cut.error));
                points.push(cutter.point());
            }
            Ok(None) => return (found, points, None),
            Err(CutError::At { line, reason }) => {
                return (found, points, Some(format!("{line}: {reason}")));
            }
            Err(CutError::Read(error)) => panic!("{error}"),
        }
    }
}

fn check(kind: &str, bytes: &str, expected: &[(u64, &str, Option<&str>)], lost: Option<&str>) {
    for buffer in [1, 2, 3, 7, 8192] {
        let (found, points, end) = all(&mut *cutter(kind, bytes, FilePosition::START, buffer));
        let shown: Vec<_> = found
            .iter()
            .map(|(line, text, fault)| (*line, text.as_str(), fault.as_deref()))
            .collect();
        assert_eq!(shown, expected, "{bytes:?} by {buffer}");
        assert_eq!(end.as_deref(), lost, "{bytes:?} by {buffer}");
        for (place, point) in points.iter().enumerate() {
            let (rest, _, end) = all(&mut *cutter(kind, bytes, *point, buffer));
            assert_eq!(rest, found[place + 1..], "{bytes:?} from {point:?}");
            assert_eq!(end.as_deref(), lost);
        }
    }
}

#[test]
fn arrays_are_cut_at_their_commas() {
    check("json", "", &[], None);
    check("json", " [ ] \n", &[], None);
    check(
        "json",
        "[\n {\"a\": \"}]\\\"\\\\\"},\r\n{\n\"b\": [1, {}]\n}\n,{}]\n",
        &[(2, "{\"a\": \"}]\\\"\\\\\"}", None), (3, "{\n\"b\": [1, {}]\n}", None), (6, "{}", None)],
        None,
    );
    check(
        "json",
        "{\"a\":1}\n{\"a\":2}{}",
        &[(1, "{\"a\":1}", None), (2, "{\"a\":2}", None), (2, "{}", None)],
        None,
    );
}

#[test]
fn values_that_are_not_objects_are_reported() {
    check(
        "json",
        "[{}, 12, \"a,]\", [1,2], null,\n{}]",
        &[
            (1, "{}", None),
            (1, "12", Some("expected an object, found a bare value")),
            (1, "\"a,]\"", Some("expected an object, found a string")),
            (1, "[1,2]", Some("expected an object, found an array")),
            (1, "null", Some("expected an object, found a bare value")),
            (2, "{}", None),
        ],
        None,
    );
}

#[test]
fn a_broken_array_says_where() {
    check("json", "[{},\n]", &[(1, "{}", None)], Some("2: expected a document, found `]`"));
    check("json", "[{}\n{}]", &[(1, "{}", None)], Some("2: expected `,` or `]` behind a document"));
    check("json", "[{}\n", &[(1, "{}", None)], Some("2: the file ends before its array does"));
    check("json", "[{}]\nx", &[(1, "{}", None)], Some("2: expected nothing behind the array"));
    check(
        "json",
        "[{},\n{\"a\": \"b}]",
        &[(1, "{}", None)],
        Some("2: the document that starts here is incomplete"),
    );
}

#[test]
fn lines_are_documents() {
    check(
        "ndjson",
        "\n{\"a\":1}\r\n\n  {}\nnot json",
        &[(2, "{\"a\":1}", None), (4, "{}", None), (5, "not json", None)],
        None,
    );
}

#[test]
fn records_have_the_fields_of_the_header() {
    check(
        "csv",
        "id,name\r\n1,\"a\nb,\"\r\n\r\n2,c\n3\n4,d,e\n5,f",
        &[
            (2, "1,\"a\nb,\"\n", None),
            (5, "2,c\n", None),
            (6, "3\n", Some("expected 2 fields, found 1")),
            (7, "4,d,e\n", Some("expected 2 fields, found 3")),
            (8, "5,f\n", None),
        ],
        None,
    );
    let unclosed = "a quote is not closed, up to the end of the file";
    check("csv", "id,name\n1,\"a\n2,b\n", &[(2, "1,\"a\n2,b\n", Some(unclosed))], None);
    check("csv", "id,name\n1,5\" disk", &[(2, "1,5\" disk\n", None)], None);
    check(
        "csv",
        "a,b\n\"1\n2,b\n",
        &[(
            2,
            "\"1\n2,b\n",
            Some(
                "expected 2 fields, found 1 (the record goes on to line 3; is a quote not closed?)",
            ),
        )],
        None,
    );
}

#[test]
fn ids_of_records_are_seen_where_that_is_enough() {
    let good = |bytes: &str, key: &str| {
        let mut cutter = cutter("csv", bytes, FilePosition::START, 8192);
        cutter.next(&mut Vec::new()).unwrap().unwrap();
        cutter.is_surely_good(&PrimaryKey::new(key))
    };
    assert!(good("id,name\n1,a\n", "id"));
    assert!(good("name,id\na,\"x-1\"\n", "id"));
    assert!(!good("id,name\n1,a\n", "sku"));
    assert!(!good("id,name\na b,a\n", "id"));
    assert!(!good("id,name\n,a\n", "id"));
    assert!(good("id:number,name:number,sold:boolean\n 1 , 1e3, true\n", "id"));
    assert!(good("id,name:number,sold:boolean\n1,,\n", "id"));
    for wrong in ["1,a,true", "1,1e999,true", "1,inf,true", "1,1,yes"] {
        assert!(!good(&format!("id,name:number,sold:boolean\n{wrong}\n"), "id"), "{wrong}");
    }
    assert!(!good("id:number\n1.5\n", "id"));
    assert!(good("id:other\n1\n", "id:other"));
}
