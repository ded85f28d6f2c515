//! Statistics of an index and of the whole instance.

use std::collections::BTreeMap;

use deserr::Deserr;
use engine::{Engine, IndexStats};
use model::{size, timestamp};
use serde::Serialize;

use super::damaged::name_damaged;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::query_code;
use crate::http::query::{Param, QueryError};

#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
struct StatsParameters {
    #[deserr(default = Param(false), error = query_code!(InvalidStatsShowInternalDatabaseSizes))]
    show_internal_database_sizes: Param<bool>,
    #[deserr(default = SizeFormat::Raw, error = query_code!(InvalidStatsSizeFormat))]
    size_format: SizeFormat,
}

#[derive(Debug, Clone, Copy, Deserr)]
#[deserr(rename_all = camelCase)]
enum SizeFormat {
    Human,
    Raw,
}

/// A size in bytes or as text with a unit, as the request asks.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Size {
    Bytes(u64),
    Text(String),
}

impl SizeFormat {
    fn show(self, bytes: u64) -> Size {
        match self {
            SizeFormat::Raw => Size::Bytes(bytes),
            SizeFormat::Human => Size::Text(size::human_binary(bytes)),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct IndexStatsObject {
    number_of_documents: u64,
    raw_document_db_size: Size,
    avg_document_size: Size,
    is_indexing: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    internal_database_sizes: BTreeMap<String, Size>,
    number_of_embeddings: u64,
    number_of_embedded_documents: u64,
    field_distribution: BTreeMap<String, u64>,
}

impl IndexStatsObject {
    fn new(stats: IndexStats, parameters: &StatsParameters) -> Self {
        let show = |bytes| parameters.size_format.show(bytes);
        let internal = match parameters.show_internal_database_sizes {
            Param(true) => stats.internal_sizes,
            Param(false) => BTreeMap::new(),
        };
        Self {
            number_of_documents: stats.number_of_documents,
            raw_document_db_size: show(stats.raw_document_bytes),
            avg_document_size: show(stats.average_document_bytes),
            is_indexing: stats.is_indexing,
            internal_database_sizes: internal.into_iter().map(|(n, b)| (n, show(b))).collect(),
            number_of_embeddings: stats.number_of_embeddings,
            number_of_embedded_documents: stats.number_of_embedded_documents,
            field_distribution: stats.field_distribution,
        }
    }
}

pub async fn of_index(app: App, call: Call) -> Answer {
    let parameters: StatsParameters = call.parameters()?;
    let uid = call.index_uid()?;
    let stats = app.blocking(move |engine| engine.index_stats(&uid)).await?;
    Ok(answer::ok(&IndexStatsObject::new(stats, &parameters)))
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct InstanceStatsObject {
    database_size: Size,
    used_database_size: Size,
    last_update: Option<String>,
    indexes: BTreeMap<String, IndexStatsObject>,
}

pub async fn of_instance(app: App, call: Call) -> Answer {
    let parameters: StatsParameters = call.parameters()?;
    let mut stats = app.blocking(Engine::stats).await?;
    // Sizes are those of the instance; the rest covers the indexes that the key may see.
    stats.indexes.retain(|uid, _| call.access.is_to_index(uid));
    stats.damaged.retain(|uid| call.access.is_to_index(uid));
    let last_update = stats.indexes.values().map(|index| index.updated_at).max();
    let indexes = stats
        .indexes
        .into_iter()
        .map(|(uid, index)| (uid, IndexStatsObject::new(index, &parameters)))
        .collect();
    let mut response = answer::ok(&InstanceStatsObject {
        database_size: parameters.size_format.show(stats.database_size),
        used_database_size: parameters.size_format.show(stats.used_database_size),
        last_update: last_update.map(timestamp::rfc3339),
        indexes,
    });
    name_damaged(&mut response, &stats.damaged);
    Ok(response)
}
