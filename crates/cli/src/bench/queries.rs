//! Reads the query file: each line is query text or the JSON body of a search.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::error::CliError;

pub(super) fn read(path: &Path) -> Result<Vec<Value>, CliError> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(CliError::io(name.to_string()))?;
    let mut queries = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        queries.push(if line.starts_with('{') {
            serde_json::from_str(line)
                .map_err(|error| CliError::Failed(format!("{name}:{}: {error}", place + 1)))?
        } else {
            json!({ "q": line })
        });
    }
    if queries.is_empty() {
        return Err(CliError::Failed(format!("{name} has no query")));
    }
    Ok(queries)
}
