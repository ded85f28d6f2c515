//! Guesses where the embedding is in an answer that does not match `response`.

use serde_json::Value;

use crate::placement::{Path, Step};

/// Answers nest a few levels at most.
const MAX_DEPTH: usize = 6;

/// Returns the path to the first array of numbers, outer ones first. Only the first item of an
/// array is searched: the others are alike.
pub(crate) fn likely_embedding(value: &Value) -> Option<Path> {
    (0..=MAX_DEPTH).find_map(|depth| at_depth(value, depth))
}

fn at_depth(value: &Value, depth: usize) -> Option<Path> {
    if depth == 0 {
        return is_embedding(value).then(Path::new);
    }
    let inner = |step: Step, value: &Value| {
        let mut path = at_depth(value, depth - 1)?;
        path.insert(0, step);
        Some(path)
    };
    match value {
        Value::Object(members) => {
            members.iter().find_map(|(name, member)| inner(Step::Member(name.clone()), member))
        }
        Value::Array(items) => inner(Step::Item(0), items.first()?),
        _ => None,
    }
}

fn is_embedding(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_number),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::placement::display_path;

    #[test]
    fn the_outermost_array_of_numbers_is_found() {
        for (answer, expected) in [
            (json!({"embedding": [1, 0.5]}), Some("response.embedding")),
            (
                json!({"usage": {"tokens": 3}, "data": [{"v": [1]}, {"v": [2]}]}),
                Some("response.data[0].v"),
            ),
            (json!([[1, 2], [3, 4]]), Some("response[0]")),
            (json!({"a": {"b": [1]}, "c": [2]}), Some("response.c")),
            (json!({"error": "no", "list": [], "words": ["a"]}), None),
        ] {
            let found = likely_embedding(&answer).map(|path| display_path("response", &path));
            assert_eq!(found.as_deref(), expected, "{answer}");
        }
    }
}
