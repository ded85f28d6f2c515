use super::*;

const CSV: Format = Format::Csv { delimiter: b',' };

fn refusal_of(format: Format, payload: impl AsRef<[u8]>) -> String {
    check(format, payload.as_ref()).unwrap_err().to_string()
}

fn malformed(format: Format, payload: &str, text: &str) {
    let name = format.name();
    assert_eq!(
        refusal_of(format, payload),
        format!(
            "The `{name}` payload provided is malformed. `Couldn't serialize document value: {text}`."
        ),
        "{payload}"
    );
}

fn documents(format: Format, payload: &str) -> Vec<String> {
    let count = check(format, payload.as_bytes()).unwrap();
    let mut found = Vec::new();
    for_each::<PayloadError>(format, payload.as_bytes(), |document| {
        found.push(document.to_json());
        Ok(())
    })
    .unwrap();
    assert_eq!(found.len() as u64, count);
    found
}

#[test]
fn json_is_an_array_of_objects_or_one_object() {
    assert_eq!(
        documents(Format::Json, r#" [{"id": 1}, {"id":2, "a":[1, 2]}] "#),
        [r#"{"id":1}"#, r#"{"id":2,"a":[1,2]}"#]
    );
    assert_eq!(documents(Format::Json, " {\"id\":1}\n"), [r#"{"id":1}"#]);
    assert_eq!(documents(Format::Json, "[]"), [""; 0]);
    assert_eq!(documents(Format::Json, "[{}]"), ["{}"]);
}

#[test]
fn ndjson_is_objects_with_any_whitespace_between() {
    let expected = [r#"{"id":1}"#, r#"{"id":2}"#];
    for payload in
        ["{\"id\":1}\n{\"id\":2}\n", "{\"id\":1}{\"id\": 2}", " \r\n{\n\"id\":1}\t{\"id\":2}"]
    {
        assert_eq!(documents(Format::Ndjson, payload), expected);
    }
    assert_eq!(documents(Format::Ndjson, "\n\n"), [""; 0]);
}

#[test]
fn numbers_keep_their_text() {
    let json = r#"{"a":9007199254740993,"b":123456789012345678901234567890,"c":-0.0,"d":1e2,"e":1.0,"f":5e-324}"#;
    assert_eq!(documents(Format::Json, json), [json]);
}

#[test]
fn an_empty_payload_is_missing() {
    assert_eq!(refusal_of(Format::Json, ""), "A json payload is missing.");
    assert_eq!(refusal_of(Format::Ndjson, ""), "A ndjson payload is missing.");
    assert_eq!(refusal_of(CSV, ""), "A csv payload is missing.");
}

#[test]
fn bad_json_is_refused_in_the_words_of_the_parser() {
    for (payload, text) in [
        (r#"[{"id":1}"#, "EOF while parsing a list at line 1 column 9"),
        (r#"{"id":1"#, "EOF while parsing an object at line 1 column 7"),
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("[[", "EOF while parsing a list at line 1 column 2"),
        ("   \n ", "EOF while parsing a value at line 2 column 1"),
        (r#"[{"id":1},]"#, "trailing comma at line 1 column 11"),
        (r#"{"id":1,}"#, "trailing comma at line 1 column 9"),
        ("{'id':1}", "key must be a string at line 1 column 2"),
        (r#"[{"id":01}]"#, "invalid number at line 1 column 9"),
        (r#"[{"id":1} {"id":2}]"#, "expected `,` or `]` at line 1 column 11"),
        (r#"{"id":1}{"id":2}"#, "trailing characters at line 1 column 9"),
        (r#"[{"id":1}] trailing"#, "trailing characters at line 1 column 12"),
        (
            "[{\"id\":\"a\nb\"}]",
            "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 9",
        ),
        (r#"[{"id":"\x"}]"#, "invalid escape at line 1 column 10"),
        (r#"{"id":NaN}"#, "expected value at line 1 column 7"),
        ("hello", "expected value at line 1 column 1"),
        ("\u{feff}[]", "expected value at line 1 column 1"),
    ] {
        malformed(Format::Json, payload, text);
    }
    for (payload, text) in [
        ("{\"id\":9}\n{\"id\":10", "EOF while parsing an object at line 2 column 8"),
        ("{\"id\":9}\n{id:10}\n", "key must be a string at line 2 column 2"),
        ("{\"id\":9}\n,", "expected value at line 2 column 1"),
        ("{\"id\":9} trailing", "expected ident at line 1 column 12"),
        ("\u{feff}{\"id\":9}", "expected value at line 1 column 1"),
    ] {
        malformed(Format::Ndjson, payload, text);
    }
}

#[test]
fn only_objects_are_documents() {
    for scalar in ["\"just text\"", "42", "null", "true"] {
        malformed(Format::Json, scalar, "data are neither an object nor a list of objects");
    }
    malformed(Format::Json, "[{},5]", "expected document 2 to be an object, but found a number");
    malformed(Format::Json, "[[{}]]", "expected document 1 to be an object, but found an array");
    malformed(Format::Ndjson, "{} null", "expected document 2 to be an object, but found null");
    malformed(Format::Ndjson, "[{}]", "expected document 1 to be an object, but found an array");
}

#[test]
fn values_that_cannot_be_stored_are_refused_at_any_level() {
    malformed(Format::Json, r#"{"id":3,"a":1e400}"#, "number out of range at line 1 column 17");
    malformed(Format::Json, r#"{"id":3,"a":-1e400}"#, "number out of range at line 1 column 18");
    malformed(Format::Json, r#"[{"a":[[1e400]]}]"#, "number out of range at line 1 column 13");
    malformed(Format::Ndjson, "{}\n{\"a\":1e400}", "number out of range at line 2 column 10");
    let lone = "unexpected end of hex escape at line 1 column 14";
    malformed(Format::Json, r#"[{"a":"\ud800"}]"#, lone);
    assert!(refusal_of(Format::Ndjson, r#"{"a":{"\udc00":1}}"#).contains("lone leading surrogate"));
    assert!(refusal_of(Format::Json, b"[{\"a\":\"\xff\"}]").contains("invalid unicode code point"));
}

#[test]
fn nesting_is_limited_and_deep_payloads_do_no_harm() {
    let nested =
        |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    for format in [Format::Json, Format::Ndjson] {
        assert_eq!(check(format, nested(127).as_bytes()), Ok(1));
        assert!(refusal_of(format, nested(128)).contains("recursion limit exceeded at line 1"));
        assert!(refusal_of(format, nested(200_000)).contains("recursion limit exceeded at line 1"));
    }
    let in_array = |levels| format!("[{}]", nested(levels));
    assert_eq!(check(Format::Json, in_array(127).as_bytes()), Ok(1));
    assert!(refusal_of(Format::Json, in_array(128)).contains("recursion limit exceeded at line 1"));
    assert!(refusal_of(Format::Json, "[".repeat(1_000_000)).contains("EOF while parsing a list"));
}

#[test]
fn csv_columns_are_typed_by_their_header() {
    let payload = "id:number,name:string,price:number,instock:boolean,note\n\
                   1,Lamp,19.90,true,\n2,\" Shade \", 7 , false ,\"a, b\"\n3,,,,\n";
    assert_eq!(
        documents(CSV, payload),
        [
            r#"{"id":1,"name":"Lamp","price":19.9,"instock":true,"note":null}"#,
            r#"{"id":2,"name":" Shade ","price":7,"instock":false,"note":"a, b"}"#,
            r#"{"id":3,"name":null,"price":null,"instock":null,"note":null}"#,
        ]
    );
    assert_eq!(
        documents(CSV, "a:text,b:Number,c:d:number,e:\n1,2,3,4\n"),
        [r#"{"a:text":"1","b:Number":"2","c:d":3,"e:":"4"}"#]
    );
}

#[test]
fn csv_numbers_are_integers_of_64_bits_or_floats() {
    for (cell, json) in [
        ("9007199254740993", "9007199254740993"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709551615", "1.8446744073709552e+19"),
        ("1e3", "1000.0"),
        ("-0.5", "-0.5"),
        ("1.0", "1.0"),
        ("+4", "4"),
        ("007", "7"),
        (".5", "0.5"),
        ("NaN", "null"),
    ] {
        assert_eq!(documents(CSV, &format!("n:number\n{cell}\n")), [format!("{{\"n\":{json}}}")]);
    }
}

#[test]
fn csv_quoting_blank_lines_and_byte_order_marks() {
    let payload =
        "\u{feff}id,text\n\n1,\"He said \"\"hi\"\"\"\n2,\"two\nlines\"\r\n3,a \"b\" c\n4,\"open\n";
    assert_eq!(
        documents(CSV, payload),
        [
            r#"{"id":"1","text":"He said \"hi\""}"#,
            r#"{"id":"2","text":"two\nlines"}"#,
            r#"{"id":"3","text":"a \"b\" c"}"#,
            r#"{"id":"4","text":"open\n"}"#,
        ]
    );
    assert_eq!(
        documents(Format::Csv { delimiter: b'\t' }, "id\tt\n9\tx,y\n"),
        [r#"{"id":"9","t":"x,y"}"#]
    );
    for empty in ["id,name\n", "id", "\n"] {
        assert_eq!(documents(CSV, empty), [""; 0]);
    }
}

#[test]
fn the_last_of_equal_columns_counts() {
    assert_eq!(
        documents(CSV, "id,a:number,a:string,\n2,3,4,5\n"),
        [r#"{"id":"2","a":"4","":"5"}"#]
    );
}

#[test]
fn bad_csv_is_refused_with_its_place() {
    for (payload, reason) in [
        (
            "f:boolean\nTRUE\n",
            "Error parsing boolean \"TRUE\" at line 1: provided string was not `true` or `false`",
        ),
        (
            "id,n:number\nf,1\ng,1\nh,\nk,x y\n",
            "Error parsing number \"x y\" at line 4: invalid float literal",
        ),
        ("n:number\n1e400\n", "Error parsing number \"1e400\" at line 1: number out of range"),
        (
            "id,a\n1,2,3\n",
            "CSV error: record 1 (line: 2, byte: 5): found record with 3 fields, but the previous record has 2 fields",
        ),
        (
            "id,a\n1,2\n3\n",
            "CSV error: record 2 (line: 3, byte: 9): found record with 1 fields, but the previous record has 2 fields",
        ),
    ] {
        assert_eq!(
            refusal_of(CSV, payload),
            format!("The `csv` payload provided is malformed: `{reason}`.")
        );
    }
    assert!(refusal_of(CSV, b"id\n\xff\n").contains("invalid utf-8"));
    assert!(refusal_of(CSV, b"\xff\nx\n").contains("invalid utf-8"));
}

#[test]
fn the_view_of_a_waiting_payload() {
    let view = |format, payload: &str| {
        let mut out = Vec::new();
        write_ndjson(format, payload.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        view(Format::Json, r#"[{"id": 1, "genres": ["novel", "sea"]}, {"id": 2}]"#),
        r#"{"id":1,"genres":["novel", "sea"]}{"id":2}"#
    );
    assert_eq!(view(Format::Json, r#"{"id": 9}"#), r#"{"id":9}"#);
    assert_eq!(view(Format::Json, "[]"), "");
    let ndjson = "{\"sku\": \"A1\"}\n\n{\"sku\":\"A2\"}\n";
    assert_eq!(view(Format::Ndjson, ndjson), ndjson);
    assert_eq!(
        view(CSV, "id,name,pop:number\n1,Faro,64560\n2,\"Tavira, old\",\n"),
        r#"{"id":"1","name":"Faro","pop":64560}{"id":"2","name":"Tavira, old","pop":null}"#
    );
}

#[test]
fn the_caller_can_stop_reading() {
    let mut seen = 0;
    let result = for_each(Format::Ndjson, b"{}{}{}", |_| {
        seen += 1;
        if seen == 2 { Err(PayloadError::Missing { format: "test" }) } else { Ok(()) }
    });
    assert_eq!((result.is_err(), seen), (true, 2));
}
