//! Filters of searches that a conversation makes for its caller.

use serde_json::Value;

/// Combines the filter of the caller's rights with the requested one.
pub(super) fn narrowed(access: Value, wanted: Option<String>) -> Value {
    let Some(wanted) = wanted else { return access };
    // An array is a conjunction, an array inside it a disjunction.
    let mut all = match access {
        Value::Array(all) => all,
        one => vec![one],
    };
    all.push(Value::String(wanted));
    Value::Array(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_rights_and_the_requested_filter_must_both_hold() {
        let wanted = || Some("a = 1 OR b = 2".to_owned());
        for (access, expected) in [
            (json!("t = 1"), json!(["t = 1", "a = 1 OR b = 2"])),
            (
                json!(["t = 1", ["u = 1", "u = 2"]]),
                json!(["t = 1", ["u = 1", "u = 2"], "a = 1 OR b = 2"]),
            ),
        ] {
            assert_eq!(narrowed(access.clone(), wanted()), expected);
            assert_eq!(narrowed(access.clone(), None), access);
        }
    }
}
