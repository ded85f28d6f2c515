//! An answer that a page shows against the one that came.

use serde_json::Value;

/// Members that differ from run to run; they must be there and of the same kind.
const VARYING: &[&str] = &[
    "processingTimeMs",
    "requestUid",
    "queryUid",
    "duration",
    "enqueuedAt",
    "startedAt",
    "finishedAt",
    "createdAt",
    "updatedAt",
    "lastUpdate",
    "lastUpdatedAt",
    "batchUid",
    "taskUid",
    "dumpUid",
    "databaseSize",
    "usedDatabaseSize",
    "rawDocumentDbSize",
    "avgDocumentSize",
    "version",
    "commitSha",
    "commitDate",
    "pkgVersion",
    "uuid",
];

const ANYTHING: &str = "…";

/// Lists what the page shows but the answer lacks. Of several answers the last counts.
pub fn compare(shown: &Value, printed: &str) -> Vec<String> {
    let answers = serde_json::Deserializer::from_str(printed).into_iter::<Value>();
    match answers.last() {
        Some(Ok(answer)) => differences(shown, &answer, ""),
        Some(Err(error)) => vec![format!("what came is no JSON: {error}")],
        None => vec!["nothing came".to_owned()],
    }
}

fn differences(shown: &Value, came: &Value, at: &str) -> Vec<String> {
    match (shown, came) {
        (Value::Object(members), Value::Object(there)) => members
            .iter()
            .filter(|(name, _)| *name != ANYTHING)
            .flat_map(|(name, member)| {
                let at = format!("{at}.{name}");
                match there.get(name) {
                    None => vec![format!("{at} is not there")],
                    Some(value) if VARYING.contains(&name.as_str()) => {
                        same_kind(member, value, &at)
                    }
                    Some(value) => differences(member, value, &at),
                }
            })
            .collect(),
        (Value::Array(items), Value::Array(there)) => {
            let (items, is_open) = match items.split_last() {
                Some((Value::String(last), before)) if last == ANYTHING => (before, true),
                _ => (items.as_slice(), false),
            };
            if items.len() > there.len() || (!is_open && items.len() != there.len()) {
                return vec![format!("{at} has {} items", there.len())];
            }
            let pairs = items.iter().zip(there).enumerate();
            pairs
                .flat_map(|(i, (item, came))| differences(item, came, &format!("{at}[{i}]")))
                .collect()
        }
        (Value::String(text), came) if text.contains(ANYTHING) => match came {
            Value::String(came) => fits(text, came, at),
            _ if text == ANYTHING => Vec::new(),
            _ => vec![format!("{at} is {came}")],
        },
        (Value::Number(shown), Value::Number(came)) => {
            // Shown with fewer digits.
            let (shown, came) = (shown.as_f64().unwrap_or(0.0), came.as_f64().unwrap_or(1.0));
            told((shown - came).abs() < 0.0005, at, &came.to_string())
        }
        (shown, came) => told(shown == came, at, &came.to_string()),
    }
}

fn told(is_same: bool, at: &str, came: &str) -> Vec<String> {
    if is_same { Vec::new() } else { vec![format!("{at} is {came}")] }
}

fn same_kind(shown: &Value, came: &Value, at: &str) -> Vec<String> {
    let kind = std::mem::discriminant::<Value>;
    told(kind(shown) == kind(came), at, &came.to_string())
}

/// The parts around what is left out stand in the text, in their order.
fn fits(shown: &str, came: &str, at: &str) -> Vec<String> {
    let mut rest = came;
    for (place, part) in shown.split(ANYTHING).enumerate() {
        let found = match place {
            0 => rest.strip_prefix(part),
            _ => rest.find(part).and_then(|start| rest.get(start + part.len()..)),
        };
        let Some(after) = found else { return vec![format!("{at} is {came:?}")] };
        rest = after;
    }
    Vec::new()
}

/// The same of text: what stands around `…` comes, in its order. Ends of lines may be blank.
pub fn compare_text(shown: &str, printed: &str) -> Vec<String> {
    let lines = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let printed = lines(printed);
    let mut rest = printed.as_str();
    for part in lines(shown).split(ANYTHING) {
        let Some(start) = rest.find(part) else {
            return vec![format!("`{part}` does not come, or not there")];
        };
        rest = &rest[start + part.len()..];
    }
    Vec::new()
}

#[test]
fn parts_of_a_text_come_in_their_order() {
    let printed = "id  title  \n 1  Harbour\n\n2 hits, found in 3 ms\n";
    let good = |shown: &str| compare_text(shown, printed).is_empty();
    assert!(good("id  title\n 1  Harbour\n…\n2 hits, found in … ms\n"));
    assert!(!good("id  title\n…\n3 hits"));
    assert!(!good(" 1  Harbour\n…\nid  title"));
}

#[test]
fn shown_answers_must_match_except_for_times() {
    let came =
        r#"{"taskUid": 7} {"a": [1, 2], "b": "Bearer a-1", "processingTimeMs": 3, "c": 0.98765}"#;
    let good = |shown: Value| compare(&shown, came).is_empty();
    assert!(good(serde_json::json!({"a": [1, 2], "processingTimeMs": 0})));
    assert!(good(serde_json::json!({"a": [1, "…"], "b": "Bearer …", "c": 0.9877})));
    assert!(!good(serde_json::json!({"a": [1]})));
    assert!(!good(serde_json::json!({"b": "Basic …"})));
    assert!(!good(serde_json::json!({"processingTimeMs": "3"})));
    assert!(!good(serde_json::json!({"taskUid": 7})));
}
