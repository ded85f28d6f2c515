//! The scanner accepts and refuses the texts that `serde_json` does, and reads the same values.

use json::{ScanError, Scanner};
use proptest::prelude::*;
use serde_json::Value;

/// Builds a value with the scanner.
fn read(scanner: &mut Scanner<'_>, level: u32) -> Result<Value, ScanError> {
    match scanner.peek() {
        Some(b'{') => {
            let mut members = serde_json::Map::new();
            scanner.object(level, |scanner, name| {
                members.insert(name.decode().into_owned(), read(scanner, level + 1)?);
                Ok::<_, ScanError>(())
            })?;
            Ok(members.into())
        }
        Some(b'[') => {
            let mut items = Vec::new();
            scanner.array(level, |scanner| {
                items.push(read(scanner, level + 1)?);
                Ok::<_, ScanError>(())
            })?;
            Ok(items.into())
        }
        Some(b'"') => Ok(scanner.string()?.decode().into()),
        _ => serde_json::from_str(scanner.value(level)?.raw).map_err(|_| ScanError),
    }
}

fn agrees_with_serde(text: &str) {
    let expected = serde_json::from_str::<Value>(text).ok();

    let mut scanner = Scanner::new(text);
    let built = read(&mut scanner, 0).and_then(|value| scanner.expect_end().map(|()| value));
    assert_eq!(built.ok(), expected, "{text:?}");

    let mut scanner = Scanner::new(text);
    let skipped = scanner.value(0).and_then(|value| scanner.expect_end().map(|()| value));
    assert_eq!(skipped.is_ok(), expected.is_some(), "{text:?}");
    if let Ok(value) = skipped {
        let compact = value.compact();
        assert_eq!(serde_json::from_str::<Value>(&compact).ok(), expected, "{text:?}");
        assert!(!Scanner::new(&compact).value(0).unwrap().has_whitespace, "{text:?}");
        assert!(value.has_whitespace || value.raw == compact, "{text:?}");
    }
}

/// Tokens, and parts of tokens.
const PIECES: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    " ",
    "\n",
    "\t",
    "\r",
    "\u{1}",
    "true",
    "false",
    "null",
    "nul",
    "\"a\"",
    "\"b\\n\"",
    "\"é\"",
    "a long text without escapes",
    "\\u00e9",
    "\\u12",
    "\\ud83d",
    "\\ude00",
    "\\/",
    "\\x",
    "0",
    "-",
    "-0",
    "12",
    "01",
    ".5",
    "1.",
    "e",
    "E+2",
    "e-3",
    "1e308",
    "1e400",
    "18446744073709551616",
    "NaN",
    "\u{c}",
    "\u{feff}",
    "\"k\":",
];

fn near_json() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..24)
        .prop_map(|pieces| pieces.concat())
}

/// Valid JSON with spacing, escapes, numbers of every form and repeated names.
fn valid_json() -> impl Strategy<Value = String> {
    let space = || prop::sample::select(vec!["", "", "", " ", "\n", "\t\r\n "]);
    let string = || {
        let plain = ".{0,20}".prop_map(|text| Value::from(text).to_string());
        let escaped = prop::sample::select(vec![
            r#""\u00e9\ud83c\udf70""#,
            r#""\"\\\/\b\f\n\r\t\u0000""#,
            r#""\u0041""#,
            r#""a""#,
        ]);
        prop_oneof![plain, escaped.prop_map(str::to_owned)]
    };
    let number = "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?";
    let leaf = prop_oneof![
        prop::sample::select(vec!["null", "true", "false"]).prop_map(str::to_owned),
        number.prop_map(String::from),
        string(),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        let item = || (space(), inner.clone(), space()).prop_map(|(a, b, c)| format!("{a}{b}{c}"));
        let member = (space(), string(), space(), item());
        let member = member.prop_map(|(a, name, b, value)| format!("{a}{name}{b}:{value}"));
        prop_oneof![
            prop::collection::vec(item(), 1..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 1..6)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
            space().prop_map(|space| format!("[{space}]")),
            space().prop_map(|space| format!("{{{space}}}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn on_valid_json(text in valid_json()) {
        agrees_with_serde(&text);
    }

    #[test]
    fn on_pieces_of_json(text in near_json()) {
        agrees_with_serde(&text);
    }

    #[test]
    fn on_damaged_json(text in valid_json(), at in any::<prop::sample::Index>(), piece in near_json()) {
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        let place = places[at.index(places.len())];
        agrees_with_serde(&text[..place]);
        agrees_with_serde(&format!("{}{piece}{}", &text[..place], &text[place..]));
    }
}

#[test]
fn on_every_depth_around_the_limit() {
    for levels in 125..131 {
        agrees_with_serde(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
        agrees_with_serde(&format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels)));
    }
}
