//! No bytes make the reading of payloads panic, and reading agrees with checking and with a
//! parser we did not write.

use document::{Document, Format, PayloadError, check, for_each, write_ndjson};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value};

const JSON_FORMATS: [Format; 2] = [Format::Json, Format::Ndjson];

/// Reads a payload in every way; returns what it holds, if it is good.
fn read(format: Format, payload: &[u8]) -> Option<Vec<String>> {
    let checked = check(format, payload);
    let mut documents = Vec::new();
    let read = for_each::<PayloadError>(format, payload, |document| {
        documents.push(document.to_json());
        Ok(())
    });
    match (&checked, &read) {
        (Ok(count), Ok(())) => {
            assert_eq!(*count, documents.len() as u64);
            write_ndjson(format, payload, &mut Vec::new()).unwrap();
            Some(documents)
        }
        // Both refuse, in the same words.
        _ => {
            assert_eq!(checked.unwrap_err(), read.unwrap_err());
            None
        }
    }
}

/// Parses a JSON payload with a full parser.
fn parsed(format: Format, payload: &[u8]) -> Option<Vec<Map<String, Value>>> {
    if payload.is_empty() {
        return None;
    }
    if format == Format::Ndjson {
        let values = serde_json::Deserializer::from_slice(payload).into_iter();
        return values.collect::<Result<_, _>>().ok();
    }
    match serde_json::from_slice(payload).ok()? {
        Value::Object(object) => Some(vec![object]),
        value => serde_json::from_value(value).ok(),
    }
}

fn agrees_with_a_parser(payload: &[u8]) {
    for format in JSON_FORMATS {
        let ours = read(format, payload).map(|documents| {
            let parse = |json: &String| serde_json::from_str::<Map<String, Value>>(json).unwrap();
            documents.iter().map(parse).collect::<Vec<_>>()
        });
        assert_eq!(ours, parsed(format, payload), "{:?}", String::from_utf8_lossy(payload));
    }
}

/// JSON text with all its freedoms: spacing, escapes, numbers of every form, repeated names.
fn json_value() -> impl Strategy<Value = String> {
    let space = || prop::sample::select(vec!["", "", "", " ", "\n", "\t\r\n "]);
    let string = || {
        prop::collection::vec(
            prop::sample::select(vec![
                "a",
                "id",
                "é",
                "🍰",
                " ",
                "\\n",
                "\\\"",
                "\\\\",
                "\\u00e9",
                "\\ud83c\\udf70",
                "{",
                "]",
                "0123456789",
            ]),
            0..6,
        )
        .prop_map(|parts| format!("\"{}\"", parts.concat()))
    };
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?",
        string(),
    ];
    scalar.prop_recursive(5, 40, 6, move |inner| {
        let element =
            (space(), inner.clone(), space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let member = (space(), string(), space(), space(), inner, space())
            .prop_map(|(a, name, b, c, value, d)| format!("{a}{name}{b}:{c}{value}{d}"));
        prop_oneof![
            prop::collection::vec(element, 0..6)
                .prop_map(|elements| format!("[{}]", elements.join(","))),
            prop::collection::vec(member, 0..6)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

/// One change to a text: a byte replaced, removed or put in, or the end cut off.
fn damaged(mut payload: Vec<u8>, place: prop::sample::Index, byte: u8, kind: u8) -> Vec<u8> {
    if payload.is_empty() {
        return payload;
    }
    let place = place.index(payload.len());
    match kind % 4 {
        0 => payload[place] = byte,
        1 => drop(payload.remove(place)),
        2 => payload.insert(place, byte),
        _ => payload.truncate(place),
    }
    payload
}

fn interesting_byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        any::<u8>(),
        prop::sample::select(b"{}[]\",:\\0eE.-+ utrnf\n\r\t\x00\x80\xff".to_vec())
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::with_cases(400)
    })]

    #[test]
    fn random_bytes(payload in prop::collection::vec(interesting_byte(), 0..60), delimiter in 0u8..128) {
        agrees_with_a_parser(&payload);
        read(Format::Csv { delimiter }, &payload);
    }

    #[test]
    fn well_formed_json(value in json_value()) {
        agrees_with_a_parser(value.as_bytes());
    }

    #[test]
    fn damaged_json(
        value in json_value(),
        place in any::<prop::sample::Index>(),
        byte in interesting_byte(),
        kind in any::<u8>(),
    ) {
        agrees_with_a_parser(&damaged(value.into_bytes(), place, byte, kind));
    }

    #[test]
    fn a_document_read_twice_is_the_same(value in json_value()) {
        if let Ok(document) = Document::parse(&value) {
            let json = document.to_json();
            prop_assert_eq!(Document::parse(&json).unwrap().to_json(), &json[..]);
            let parsed: Value = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(parsed, serde_json::from_str::<Value>(&value).unwrap());
        }
    }

    #[test]
    fn an_update_lays_the_newer_over_the_older(older in json_value(), newer in json_value()) {
        if let (Ok(older), Ok(newer)) = (Document::parse(&older), Document::parse(&newer)) {
            let merged: Map<String, Value> = serde_json::from_str(&newer.merge_into(&older).to_json()).unwrap();
            let mut expected: Map<String, Value> = serde_json::from_str(&older.to_json()).unwrap();
            expected.extend(serde_json::from_str::<Map<String, Value>>(&newer.to_json()).unwrap());
            prop_assert_eq!(merged, expected);
        }
    }

    #[test]
    fn csv_of_any_delimiter(
        cells in prop::collection::vec(prop::collection::vec("[ -~é\n\"]{0,8}", 3), 1..5),
        delimiter in 0u8..128,
    ) {
        let separator = char::from(delimiter).to_string();
        let lines: Vec<String> = cells.iter().map(|line| line.join(&separator)).collect();
        read(Format::Csv { delimiter }, lines.join("\n").as_bytes());
    }
}
