//! A scenario as it stands in its file. conformance/contract/README.md explains the form.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    #[allow(dead_code)]
    pub title: String,
    /// Where the contract says so.
    #[allow(dead_code)]
    pub spec: String,
    /// Names of indexes, each with a fresh uid that `$name` stands for.
    #[serde(default)]
    pub indexes: Vec<String>,
    /// Launch options that the server must have beside its master key.
    #[serde(default)]
    pub options: Vec<String>,
    /// Whether the server must have no master key.
    #[serde(default)]
    pub open: bool,
    pub steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Method and path.
    #[serde(rename = "do")]
    pub request: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The bearer token; absent: the master key; `none`: no header at all.
    pub key: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub body: Option<Value>,
    /// Sent as it is, in the place of a body.
    pub text: Option<String>,
    /// Content type; `none`: no header.
    #[serde(rename = "type")]
    pub content_type: Option<String>,

    pub status: Option<u16>,
    #[serde(default, deserialize_with = "present")]
    pub answer: Option<Value>,
    /// Code of the error that is answered, and its text.
    pub error: Option<String>,
    pub message: Option<String>,
    /// Expected outcome of the enqueued task.
    pub task: Option<ExpectedTask>,
    /// The member `id` of each hit, in order, and the scores that are shown.
    pub hits: Option<Vec<Value>>,
    pub scores: Option<Vec<Value>>,
    /// Headers of the answer.
    #[serde(default)]
    pub returned: BTreeMap<String, String>,
    /// Variable → where its value stands in the answer.
    #[serde(default)]
    pub save: BTreeMap<String, String>,

    /// In the place of a request: a tenant token to be signed.
    pub sign: Option<Token>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedTask {
    #[serde(rename = "type")]
    pub kind: String,
    /// Absent: the index named in the path; null for tasks of no index.
    #[serde(default, rename = "indexUid", deserialize_with = "present")]
    pub index_uid: Option<Value>,
    /// `succeeded` where nothing is said, `failed` with an error.
    pub status: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub details: Option<Value>,
    pub error: Option<String>,
    pub message: Option<String>,
    #[serde(rename = "customMetadata")]
    pub custom_metadata: Option<String>,
    #[serde(default, rename = "canceledBy", deserialize_with = "present")]
    pub canceled_by: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// The value of the key that it is signed with.
    pub with: String,
    pub claims: Value,
    /// HS256 where nothing is said.
    pub algorithm: Option<String>,
    /// The variable for the token.
    #[serde(rename = "as")]
    pub variable: String,
}

impl Scenario {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a scenario can be read");
        Self::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, serde_yaml_ng::Error> {
        let mut document: serde_yaml_ng::Value = serde_yaml_ng::from_str(text)?;
        document.apply_merge()?;
        serde_yaml_ng::from_value(document)
    }

    pub fn needs_own_server(&self) -> bool {
        self.open || !self.options.is_empty()
    }
}

/// Distinguishes a member that is null from one that is missing.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
