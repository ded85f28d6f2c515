use super::*;

const STORED: &str = r#"{"id":1,"title":"The Kite","price":10,"tags":["a"],"in":{"x":1},"big":18446744073709551615}"#;

fn edit_with(source: &str, context: Option<&str>) -> Result<Edit, ServiceError> {
    let context: Option<Map<String, Value>> =
        context.map(|json| serde_json::from_str(json).unwrap());
    let function = EditFunction::compile(source, context.as_ref())?;
    function.apply(&PrimaryKey::new("id"), STORED)
}

fn edit(source: &str) -> Result<Edit, ServiceError> {
    edit_with(source, None)
}

fn replaced(from: &str, to: &str) -> Result<Edit, ServiceError> {
    assert!(STORED.contains(from));
    Ok(Edit::Replaced(STORED.replace(from, to)))
}

fn fails(source: &str, code: Code, message: &str) {
    assert_eq!(edit(source), Err(ServiceError::new(code, message)), "{source}");
}

fn fails_at_runtime(source: &str, text: &str) {
    let message =
        format!("Document edition runtime error encountered while running the function: {text}");
    fails(source, Code::EditDocumentsByFunctionError, &message);
}

#[test]
fn a_script_changes_the_document_in_place() {
    assert_eq!(edit("doc.title = doc.title.to_upper()"), replaced("The Kite", "THE KITE"));
    assert_eq!(edit("doc.price = doc.price * 2.0"), replaced("10", "20.0"));
    assert_eq!(edit(r#"doc.tags.push("new")"#), replaced(r#"["a"]"#, r#"["a","new"]"#));
    assert_eq!(
        edit(r#"doc["in"].y = [1, 2.5, true, ()]"#),
        replaced(r#"{"x":1}"#, r#"{"x":1,"y":[1,2.5,true,null]}"#)
    );
    assert_eq!(edit(r#"doc.remove("price")"#), replaced(r#""price":10,"#, ""));
    assert_eq!(edit("doc.z = 'c'; doc.a = 1"), replaced("551615}", r#"551615,"a":1,"z":"c"}"#));
    assert_eq!(edit(r#"doc.id = "1""#), replaced(r#""id":1"#, r#""id":"1""#));
}

#[test]
fn a_script_deletes_or_leaves_a_document() {
    assert_eq!(edit("doc = ()"), Ok(Edit::Deleted));
    for source in
        ["", "let x = 1;", "doc.price = 10", "doc.price * 2", "if doc.id == 2 { doc = () }"]
    {
        assert_eq!(edit(source), Ok(Edit::Unchanged), "{source}");
    }
}

#[test]
fn the_context_is_a_constant() {
    let context = Some(r#"{"text":"été","n":41}"#);
    assert_eq!(
        edit_with("doc.title = context.text; doc.price = context.n + 1", context),
        Ok(Edit::Replaced(STORED.replace("The Kite", "été").replace("10", "42")))
    );
    let error = edit_with("context.a = 1", Some(r#"{"a":0}"#)).unwrap_err();
    assert!(
        error.message.ends_with("function: Cannot modify constant context (line 1, position 1)"),
        "{error}"
    );
}

#[test]
fn a_script_that_does_not_compile_is_a_bad_request() {
    fails("doc.x = ", Code::BadRequest, "Script is incomplete (line 1, position 9)");
    fails("if {", Code::BadRequest, "Expecting a boolean expression (line 1, position 4)");
    fails("doc.in.y = 1", Code::BadRequest, "Expecting name of a property (line 1, position 5)");
}

#[test]
fn a_document_stays_an_object_with_its_id() {
    let code = Code::EditDocumentsByFunctionError;
    fails("doc.id = 99", code, "Document editions cannot modify a document's primary key");
    fails("doc.id = 1.5", code, "Document editions cannot modify a document's primary key");
    fails("doc = 5", code, "Document editions must keep documents as objects");
    fails("doc = [1]", code, "Document editions must keep documents as objects");
    fails(
        r#"doc.remove("id"); doc.remove("big")"#,
        Code::MissingDocumentId,
        r#"Document doesn't have a `id` attribute: `{"in":{"x":1},"price":10,"tags":["a"],"title":"The Kite"}`."#,
    );
}

#[test]
fn runtime_errors_are_told_in_the_words_of_the_language() {
    fails_at_runtime("doc.x = nothing", "Variable not found: nothing (line 1, position 9)");
    fails_at_runtime(
        "doc.x = doc.title - 3",
        "Function not found: - (&str | ImmutableString | String, i64) (line 1, position 19)",
    );
    fails_at_runtime(
        "doc.x = missing_fn(1)",
        "Function not found: missing_fn (i64) (line 1, position 9)",
    );
    fails_at_runtime("throw \"stop\"", "Runtime error: stop (line 1, position 1)");
    fails_at_runtime("doc.x = context.y", "Variable not found: context (line 1, position 9)");
    fails_at_runtime(
        "doc.x = doc.tags[5]",
        "Array index 5 out of bounds: only 1 element in array (line 1, position 18)",
    );
    fails_at_runtime("doc.x = 1 / 0", "Division by zero: 1 / 0");
}

#[test]
fn everything_a_script_can_grow_is_limited() {
    fails_at_runtime("loop { }", "Too many operations (line 1, position 6)");
    fails_at_runtime(
        "let a = []; while true { a.push(1) }",
        "Size of array/BLOB too large (line 1, position 28)",
    );
    fails_at_runtime("fn f(n) { f(n + 1) } f(0)", "Stack overflow (line 1, position 22)");
    for (source, words) in [
        ("let s = \"x\"; loop { s += s }", "Length of string too large"),
        ("\"x\".pad(1000000000, \"y\")", "Length of string too large"),
        ("let a = []; a.pad(100000, 0)", "Size of array/BLOB too large"),
        ("blob(100000)", "Size of array/BLOB too large"),
        ("let m = #{}; loop { m[`${m.len()}`] = 1 }", "Size of object map too large"),
    ] {
        let error = edit(source).unwrap_err();
        assert!(error.message.contains(words), "{source}: {error}");
    }
    let long = " ".repeat(2 << 20);
    fails(&long, Code::BadRequest, "The function is longer than 1 MiB");
}

#[test]
fn a_script_cannot_leave_its_sandbox() {
    for source in [
        "import \"file\" as f",
        "sleep(1)",
        "sleep(0.5)",
        "timestamp()",
        "eval(\"1\")",
        "open(\"/etc/passwd\")",
        "read_file(\"/etc/passwd\")",
        "env(\"HOME\")",
        "rand()",
    ] {
        assert!(edit(source).is_err(), "{source}");
    }
    assert_eq!(edit("print(doc); debug(doc)"), Ok(Edit::Unchanged));
}

/// An overflow would end the whole test run, and in production the server.
#[test]
fn deep_scripts_and_values_do_not_overflow_the_stack() {
    let nested = |open: &str, close: &str, depth: usize| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        format!("fn f(n) {{ if n > 0 {{ return {open} f(n - 1) {close}; }} 0 }} f(998)")
    };
    for (open, close, depth) in [
        ("(1 + ", ")", 90),
        ("[", "].len()", 40),
        ("`${", "}`", 40),
        ("if true {", "}", 40),
        ("switch n { _ => {", "} }", 40),
    ] {
        assert_eq!(edit(&nested(open, close, depth)), Ok(Edit::Unchanged), "{open}");
        let error = edit(&nested(open, close, 100_000)).unwrap_err();
        assert_eq!(error.code, Code::BadRequest, "{open}");
    }
    for source in [
        "let a = 1; for i in 0..1000 { a = [take(a)]; } doc.x = a",
        "let a = #{}; for i in 0..1000 { a = #{n: take(a)}; } doc.x = a",
    ] {
        assert_eq!(
            edit(source).unwrap_err().message,
            "Document editions cannot nest documents deeper than 127 levels"
        );
    }
    let error = edit("let s = \"[\"; s.pad(1000000, \"[\"); doc.x = parse_json(s)").unwrap_err();
    assert!(error.message.contains("Expression exceeds maximum complexity"), "{error}");
}

#[test]
fn closures_and_shared_values_work() {
    assert_eq!(
        edit("let suffix = \"!\"; doc.tags = doc.tags.map(|t| t + suffix)"),
        replaced(r#"["a"]"#, r#"["a!"]"#)
    );
    assert_eq!(
        edit("let f = || doc.tags; doc.tags = f.call() + [1]"),
        replaced(r#"["a"]"#, r#"["a",1]"#)
    );
    let error = edit("let a = []; let f = || a; a.push(f)").unwrap_err();
    assert!(error.message.contains("Data race detected"), "{error}");
}

#[test]
fn many_documents_share_one_stack() {
    let function = EditFunction::compile("doc.n += 1", None).unwrap();
    let primary_key = PrimaryKey::new("id");
    let edits: Vec<Edit> = with_deep_stack(|| {
        (0..1000)
            .map(|n| function.apply(&primary_key, &format!(r#"{{"id":{n},"n":{n}}}"#)).unwrap())
            .collect()
    })
    .unwrap();
    assert_eq!(edits[7], Edit::Replaced(r#"{"id":7,"n":8}"#.to_owned()));
}
