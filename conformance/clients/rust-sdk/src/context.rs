//! What the cases share: the client, the library of books, new indexes.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use meilisearch_sdk::client::Client;
use meilisearch_sdk::errors::{Error, MeilisearchError};
use meilisearch_sdk::indexes::Index;
use meilisearch_sdk::search::SearchResult;
use meilisearch_sdk::task_info::TaskInfo;
use meilisearch_sdk::tasks::Task;
use serde_json::{Value, json};

use crate::suite::{Problem, holds};

const INTERVAL: Option<Duration> = Some(Duration::from_millis(10));
const LIMIT: Option<Duration> = Some(Duration::from_secs(60));

pub static LIBRARY: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../shared/library.json")).expect("JSON of ours")
});

pub fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

pub fn books() -> Vec<Value> {
    LIBRARY["books"].as_array().cloned().unwrap_or_default()
}

pub struct Context {
    pub client: Client,
    pub books: Index,
    next: AtomicU32,
}

impl Context {
    pub async fn prepare() -> Result<Self, Problem> {
        let client = Client::new(variable("SONDE_URL"), Some(variable("SONDE_MASTER_KEY")))?;
        let books_with_vectors: Vec<Value> = books()
            .into_iter()
            .map(|mut book| {
                book["_vectors"] = json!({"manual": LIBRARY["vectors"][book["id"].to_string()]});
                book
            })
            .collect();
        let books = client.index("books");
        let context = Self { client, books, next: AtomicU32::new(0) };
        context.patch("/indexes/books/settings", &LIBRARY["searchSettings"]).await?;
        context.done(context.books.add_documents(&books_with_vectors, None).await?).await?;
        Ok(context)
    }

    /// A request that the client has no method for.
    pub async fn patch(&self, path: &str, body: &Value) -> Result<Value, Problem> {
        let request = reqwest::Client::new()
            .patch(format!("{}{path}", variable("SONDE_URL")))
            .bearer_auth(variable("SONDE_MASTER_KEY"))
            .json(body);
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    /// Switches a feature on that the client does not know.
    pub async fn enable(&self, feature: &str) -> Result<(), Problem> {
        self.patch("/experimental-features", &json!({feature: true})).await.map(drop)
    }

    pub fn uid(&self) -> String {
        format!("made-{}", self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// A new index with the books.
    pub async fn index(&self) -> Result<Index, Problem> {
        let index = self.client.index(self.uid());
        self.done(index.add_documents(&books(), None).await?).await?;
        Ok(index)
    }

    /// The task once it has succeeded.
    pub async fn done(&self, info: TaskInfo) -> Result<Task, Problem> {
        let task = info.wait_for_completion(&self.client, INTERVAL, LIMIT).await?;
        holds(task.is_success(), &format!("{task:?}"))?;
        Ok(task)
    }

    /// The error of the task once it has failed.
    pub async fn failed(&self, info: TaskInfo) -> Result<String, Problem> {
        let task = info.wait_for_completion(&self.client, INTERVAL, LIMIT).await?;
        holds(task.is_failure(), &format!("{task:?}"))?;
        Ok(code_of(&task.unwrap_failure()))
    }
}

/// The package knows some codes only as unknown; the link has them all.
fn code_of(error: &MeilisearchError) -> String {
    error.error_link.rsplit('#').next().unwrap_or_default().to_owned()
}

/// The code a request was refused with.
pub fn code<T>(answer: Result<T, Error>) -> Result<String, Problem> {
    match answer {
        Err(Error::Meilisearch(error)) => Ok(code_of(&error)),
        Err(other) => Err(other.into()),
        Ok(_) => Err("it was not refused".into()),
    }
}

pub fn ids(hits: &[SearchResult<Value>]) -> Vec<u64> {
    hits.iter().filter_map(|hit| hit.result["id"].as_u64()).collect()
}

pub fn id_set(hits: &[SearchResult<Value>]) -> BTreeSet<u64> {
    ids(hits).into_iter().collect()
}

pub fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
