//! Reads paginated lists as a whole.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::CliError;
use crate::server::Server;

const PAGE: u64 = 100;

#[derive(Debug, Deserialize)]
struct Page {
    results: Vec<Value>,
    total: u64,
}

pub(super) fn all(server: &Server, path: &str) -> Result<Vec<Value>, CliError> {
    gather(|offset| server.get(&format!("{path}?offset={offset}&limit={PAGE}")))
}

/// Reads a list from a route that lists by POST.
pub(super) fn all_by_post(server: &Server, path: &str) -> Result<Vec<Value>, CliError> {
    gather(|offset| {
        let body = json!({ "offset": offset, "limit": PAGE });
        server.send(outbound::Method::Post, path, &body)
    })
}

fn gather(mut page: impl FnMut(u64) -> Result<Page, CliError>) -> Result<Vec<Value>, CliError> {
    let mut all = Vec::new();
    loop {
        let Page { results, total } = page(all.len() as u64)?;
        let is_last = results.is_empty();
        all.extend(results);
        if is_last || all.len() as u64 >= total {
            return Ok(all);
        }
    }
}
