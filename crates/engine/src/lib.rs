//! The whole service without HTTP: it manages indexes, runs batches of changes, and answers
//! queries. It knows no request and no status code.

mod api;
mod backup;
pub mod chats;
mod common;
mod documents;
mod indexes;
pub mod keys;
mod models;
mod runner;
pub mod search;
pub mod search_rules;
mod storage;
pub mod webhooks;

pub use api::{
    Addition, Edition, Engine, EngineOptions, Health, InstanceMetrics, RecentAddition, TaskStore,
    WriteContext, check,
};
pub use backup::snapshots;
pub use bucket::{Access as BucketAccess, BucketOptions};
pub use common::counters::{ChatTokens, TokenCounts};
pub use common::error::OpenError;
pub use common::page::Page;
pub use documents::foreign::{ForeignAccess, ForeignRights};
pub use documents::{DocumentReader, DocumentView, ListDocuments, ListedDocument, ListedDocuments};
pub use embed::{FailureModes, Options as EmbedderOptions};
pub use indexes::fields::{Field, FieldFilter, RankingOrder};
pub use indexes::list::{IndexInfo, IndexList};
pub use indexes::stats::{IndexStats, InstanceStats};
pub use models::render::{RenderIndex, RenderInput, RenderTemplate};
pub use models::reranking::PersonalizationOptions;
pub use outbound::AddressPolicy;
pub use storage::import::Import;

/// Import of dumps of this program and of Meilisearch.
pub mod dumps {
    pub use crate::api::import_dump;
}
