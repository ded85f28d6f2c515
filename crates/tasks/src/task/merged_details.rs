//! Merges the details of tasks into those of their batch. Numbers are added, settings overlaid,
//! swaps appended, filters joined; of anything else the first value counts.

use serde_json::{Map, Value};

use super::details::Details;

pub(crate) fn merge<'a>(all: impl IntoIterator<Item = &'a Details>) -> Map<String, Value> {
    merge_objects(all.into_iter().filter_map(|details| Some((details, details.to_json()?))))
}

/// Like `merge`, for a finished batch: unknown values are not shown. A setting that is null was
/// reset, which is known.
pub(crate) fn merge_finished<'a>(all: impl IntoIterator<Item = &'a Details>) -> Map<String, Value> {
    merge_objects(all.into_iter().filter_map(|details| {
        let mut object = details.to_json()?;
        if !matches!(details, Details::SettingsUpdate { .. }) {
            object.retain(|_, value| !value.is_null());
        }
        Some((details, object))
    }))
}

fn merge_objects<'a>(
    all: impl Iterator<Item = (&'a Details, Map<String, Value>)>,
) -> Map<String, Value> {
    let mut merged = Map::new();
    for (details, object) in all {
        let overlay = matches!(details, Details::SettingsUpdate { .. });
        for (name, value) in object {
            match merged.get_mut(&name) {
                None => {
                    merged.insert(name, value);
                }
                Some(known) if overlay => overlay_setting(&name, known, value),
                Some(known) => add(&name, known, value),
            }
        }
    }
    merged
}

fn overlay_setting(name: &str, known: &mut Value, newer: Value) {
    match (known, newer) {
        // Embedders and rerankers are set one by one.
        (Value::Object(known), Value::Object(newer))
            if name == "embedders" || name == "rerankers" =>
        {
            known.extend(newer);
        }
        (known, newer) => *known = newer,
    }
}

fn add(name: &str, known: &mut Value, more: Value) {
    match (known, more) {
        (known @ Value::Null, more) => *known = more,
        (Value::Number(known), Value::Number(more)) => {
            let sum = known.as_u64().unwrap_or(0).saturating_add(more.as_u64().unwrap_or(0));
            *known = sum.into();
        }
        (Value::Array(known), Value::Array(more)) if name == "swaps" => known.extend(more),
        (Value::String(known), Value::String(more)) if name == "originalFilter" => {
            known.push('&');
            known.push_str(&more);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::content::Swap;
    use serde_json::json;

    fn settings(value: Value) -> Details {
        let Value::Object(settings) = value else { panic!("an object") };
        Details::SettingsUpdate { settings }
    }

    fn deletion(provided_ids: u64, deleted: Option<u64>, filter: Option<&str>) -> Details {
        Details::DocumentDeletion {
            provided_ids,
            deleted_documents: deleted,
            original_filter: filter.map(str::to_owned),
        }
    }

    #[test]
    fn numbers_are_added_and_filters_joined() {
        let details = [
            deletion(0, None, Some("\"pages = 4\"")),
            deletion(0, None, Some("\"pages = 96\"")),
            deletion(1, None, None),
            Details::DocumentAdditionOrUpdate { received_documents: 1, indexed_documents: None },
            Details::ClearAll { deleted_documents: Some(5) },
        ];
        let merged = merge(&details);
        assert_eq!(merged["indexedDocuments"], Value::Null);
        assert_eq!(
            Value::Object(merge_finished(&details)),
            json!({
                "receivedDocuments": 1, "providedIds": 1, "deletedDocuments": 5,
                "originalFilter": "\"pages = 4\"&\"pages = 96\"",
            })
        );
    }

    #[test]
    fn settings_are_laid_over_each_other() {
        let details = [
            settings(json!({ "stopWords": ["a"], "searchCutoffMs": 5, "embedders": { "x": 1 } })),
            settings(json!({ "stopWords": ["b"], "searchCutoffMs": 7, "embedders": { "y": 2 } })),
            settings(json!({ "synonyms": null })),
        ];
        assert_eq!(
            Value::Object(merge_finished(&details)),
            json!({
                "stopWords": ["b"], "searchCutoffMs": 7, "embedders": { "x": 1, "y": 2 },
                "synonyms": null,
            })
        );
    }

    #[test]
    fn swaps_are_appended_and_other_values_are_the_first() {
        let swap = |a: &str, b: &str| Details::IndexSwap {
            swaps: vec![Swap { indexes: (a.into(), b.into()), rename: false }],
        };
        let keyed =
            |key: Option<&str>| Details::IndexCreation { primary_key: key.map(str::to_owned) };
        let details =
            [swap("a", "b"), swap("c", "d"), keyed(None), keyed(Some("id")), keyed(Some("no"))];
        assert_eq!(
            Value::Object(merge(&details)),
            json!({
                "swaps": [
                    { "indexes": ["a", "b"], "rename": false },
                    { "indexes": ["c", "d"], "rename": false },
                ],
                "primaryKey": "id",
            })
        );
    }

    #[test]
    fn a_snapshot_has_no_details() {
        assert!(merge(&[Details::SnapshotCreation]).is_empty());
    }
}
