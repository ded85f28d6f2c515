//! `_vectors` as shown on request: the document's own data under other names, then the vectors of
//! each embedder.

use document::{Document, VECTORS_FIELD, embeddings_json};
use index::{DocId, Snapshot};
use model::ServiceError;

use crate::common::failure::index_failure;

/// Display of `_vectors` entries whose name is not that of an embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownData {
    Shown,
    LeftOut,
}

/// Adds `_vectors` to the JSON object at the end of `out`. `stored` is the whole document.
pub(crate) fn add_vectors(
    snapshot: &Snapshot,
    doc_id: DocId,
    stored: &str,
    data: ShownData,
    out: &mut String,
) -> Result<(), ServiceError> {
    out.pop();
    out.push_str(if out.ends_with('{') { "\"" } else { ",\"" });
    out.push_str(VECTORS_FIELD);
    out.push_str("\":");
    let kept = match data {
        ShownData::Shown => kept_data(stored),
        ShownData::LeftOut => None,
    };
    out.push_str(kept.as_deref().unwrap_or("{}"));
    for (name, embedder) in snapshot.embedders() {
        let vectors = embedder.store().vectors_of(doc_id);
        let vectors = vectors.map_err(index_failure)?;
        let origin = embedder.origin_of(doc_id);
        out.pop();
        if !out.ends_with('{') {
            out.push(',');
        }
        out.push_str(&serde_json::Value::from(name).to_string());
        out.push_str(":{\"embeddings\":");
        out.push_str(&embeddings_json(&vectors));
        out.push_str(",\"regenerate\":");
        out.push_str(if origin.regenerate { "true" } else { "false" });
        out.push_str("}}");
    }
    out.push('}');
    Ok(())
}

fn kept_data(stored: &str) -> Option<String> {
    let document = Document::parse(stored).ok()?;
    document.get(VECTORS_FIELD).filter(|data| data.starts_with('{')).map(str::to_owned)
}
