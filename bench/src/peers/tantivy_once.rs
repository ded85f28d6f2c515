//! The queries of a service that tantivy can answer, each once: see `tantivy_search`.

use std::fs;
use std::path::Path;

use ::tantivy::Index;
use anyhow::{Result, bail};

use super::tantivy_search::{ask, ask_by_score};
use crate::mix::{Kind, MixedQuery};
use crate::once;

/// The child's side of [`super::search_once_with_tantivy`].
pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, queries] = arguments else { bail!("the peer takes two arguments") };
    let mut queries: Vec<MixedQuery> = serde_json::from_slice(&fs::read(queries)?)?;
    queries.retain(|query| query.kind.peer_can_answer());
    let index = Index::open_in_dir(Path::new(folder))?;
    let schema = index.schema();
    let (text, json) = (schema.get_field("text")?, schema.get_field("json")?);
    let searcher = index.reader()?.searcher();
    let once = once::ask_once(std::process::id(), &queries, |query| match query.kind {
        Kind::Question => ask_by_score(&searcher, text, &query.typed),
        _ => ask(&searcher, text, json, &query.typed),
    })?;
    println!("{}", serde_json::to_string(&once)?);
    Ok(())
}
