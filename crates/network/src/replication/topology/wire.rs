//! Lines of a part of moved documents. Members of one version of the program exchange them; none is
//! stored for longer than a change takes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use transfer::WholeDocument;
use vectors::StoreOptions;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Line<'a> {
    /// Definition of an index, used if there is none of its name.
    Definition(Definition),
    #[serde(borrow)]
    Document(WholeDocument<'a>),
    /// A dynamic search rule.
    Rule(Value),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Definition {
    pub primary_key: Option<String>,
    /// True if documents begin with the primary key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leads_with_key: bool,
    pub settings: Value,
    /// All fields that documents have or had, anywhere.
    pub fields: Vec<String>,
    pub next_doc_id: u64,
    pub embedders: BTreeMap<String, StoreOptions>,
}
