//! The only function given to models: searching an index. Its description tells a model which
//! indexes exist and how to query them.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::prompts::Prompts;

pub(crate) const SEARCH: &str = "_meiliSearchInIndex";

/// An index that a conversation may search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexDescription {
    pub uid: String,
    /// The owner's description; may be empty.
    pub description: String,
    /// The filterable attributes, each with some of its values.
    pub filters: Vec<(String, Vec<String>)>,
}

/// Defines the tool; none without an index.
pub(crate) fn definition(prompts: &Prompts, indexes: &[IndexDescription]) -> Option<Value> {
    if indexes.is_empty() {
        return None;
    }
    let uids: Vec<&str> = indexes.iter().map(|index| index.uid.as_str()).collect();
    Some(json!({
        "type": "function",
        "function": {
            "name": SEARCH,
            "description": description(prompts, indexes),
            "strict": true,
            "parameters": {
                "type": "object",
                "properties": {
                    "index_uid": {
                        "type": "string",
                        "enum": uids,
                        "description": prompts.search_index_uid_param(),
                    },
                    "q": {
                        "type": ["string", "null"],
                        "description": prompts.search_q_param(),
                    },
                    "filter": {
                        "type": ["string", "null"],
                        "description": filter_description(prompts, indexes),
                    },
                },
                "required": ["index_uid", "q", "filter"],
                "additionalProperties": false,
            },
        },
    }))
}

// Writing to a String cannot fail.

fn description(prompts: &Prompts, indexes: &[IndexDescription]) -> String {
    let mut text = prompts.search_description().to_owned();
    text.push_str("\n\nThe indexes:\n");
    for index in indexes {
        let _ = match index.description.trim() {
            "" => writeln!(text, "- {}", index.uid),
            description => writeln!(text, "- {}: {description}", index.uid),
        };
    }
    text
}

fn filter_description(prompts: &Prompts, indexes: &[IndexDescription]) -> String {
    let mut text = prompts.search_filter_param().to_owned();
    for index in indexes {
        let _ = match index.filters.as_slice() {
            [] => writeln!(text, "\n\nThe index {} cannot be filtered.", index.uid),
            _ => writeln!(text, "\n\nAttributes of the index {}:", index.uid),
        };
        for (attribute, values) in &index.filters {
            let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
            let _ = match values.as_slice() {
                [] => writeln!(text, "- {attribute}"),
                values => writeln!(text, "- {attribute}: {}", values.join(", ")),
            };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_lists_indexes_and_values() {
        let prompts = Prompts {
            search_description: Some("Look.".to_owned()),
            search_filter_param: Some("Narrow.".to_owned()),
            ..Prompts::default()
        };
        let indexes = [
            IndexDescription {
                uid: "teas".to_owned(),
                description: "All teas we sell".to_owned(),
                filters: vec![
                    ("kind".to_owned(), vec!["green".to_owned(), "a \"b\"".to_owned()]),
                    ("price".to_owned(), Vec::new()),
                ],
            },
            IndexDescription { uid: "cups".to_owned(), ..IndexDescription::default() },
        ];
        let tool = definition(&prompts, &indexes).unwrap();
        let function = &tool["function"];
        assert_eq!((&tool["type"], &function["name"]), (&json!("function"), &json!(SEARCH)));
        assert_eq!(function["strict"], true);
        assert_eq!(
            function["description"],
            "Look.\n\nThe indexes:\n- teas: All teas we sell\n- cups\n"
        );
        let parameters = &function["parameters"];
        assert_eq!(parameters["properties"]["index_uid"]["enum"], json!(["teas", "cups"]));
        assert_eq!(
            parameters["properties"]["filter"]["description"],
            "Narrow.\n\nAttributes of the index teas:\n- kind: \"green\", \"a \\\"b\\\"\"\n- price\n\
             \n\nThe index cups cannot be filtered.\n"
        );
        // What a strict function needs: every property is required, and no other is allowed.
        let names: Vec<&String> = parameters["properties"].as_object().unwrap().keys().collect();
        assert_eq!(parameters["required"], json!(names));
        assert_eq!(parameters["additionalProperties"], false);
    }

    #[test]
    fn without_an_index_there_is_no_function() {
        assert_eq!(definition(&Prompts::default(), &[]), None);
    }
}
