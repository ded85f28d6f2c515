//! Compares the files of an index before and after a batch of documents or settings, for the
//! `stats` of the batch. Measured around the run, so the batch itself is unaware of it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use index::Index;
use model::size::human_binary;
use serde_json::{Map, Value, json};
use tasks::{Batch, RunStats, Work};

use super::BatchRunner;

/// State of the index of a batch at one time; empty where there is none yet. It holds no snapshot,
/// which would keep files on disk for as long as the batch runs.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    /// Files of documents and vectors; a change of settings alone is no write to an index.
    files: Vec<String>,
    documents: u64,
    /// Bytes by component.
    sizes: BTreeMap<String, u64>,
    /// Number of writers that started, and of those that had to wait.
    writers: (u64, u64),
}

impl BatchRunner {
    /// Returns none for a batch that writes neither documents nor settings.
    pub(super) fn footprint(&self, batch: &Batch) -> Option<Footprint> {
        let is_measured = matches!(
            batch.work,
            Work::Documents
                | Work::DocumentDeletion
                | Work::DocumentClear
                | Work::DocumentEdition
                | Work::Settings
                | Work::SettingsAndClear
        );
        let uid = batch.index_uid.as_deref().filter(|_| is_measured)?;
        // An index that cannot be opened fails the batch, whose error gives the reason.
        Some(match self.indexes.find(uid) {
            Ok(Some(index)) => Footprint::of(&index),
            _ => Footprint::default(),
        })
    }
}

impl Footprint {
    fn of(index: &Index) -> Self {
        let snapshot = index.snapshot();
        let is_side = |name: &&str| name.starts_with("settings.") || name.starts_with("fields.");
        let files = snapshot.file_names().filter(|name| !is_side(name)).map(str::to_owned);
        Self {
            files: files.collect(),
            documents: snapshot.number_of_documents(),
            sizes: snapshot.component_sizes(),
            writers: index.writer_counts(),
        }
    }

    /// Adds what changed since `before` to `stats`, if anything was written.
    pub fn show_change(&self, before: &Footprint, stats: &mut RunStats) {
        if self.files == before.files && self.documents == before.documents {
            return;
        }
        let attempts = self.writers.0.saturating_sub(before.writers.0);
        let blocked = self.writers.1.saturating_sub(before.writers.1);
        if attempts > 0 {
            let ratio = blocked as f64 / attempts as f64;
            stats.write_channel_congestion.extend([
                ("attempts".to_owned(), json!(attempts)),
                ("blocking_attempts".to_owned(), json!(blocked)),
                ("blocking_ratio".to_owned(), json!(ratio)),
            ]);
        }
        stats.internal_database_sizes = changed_sizes(&before.sizes, &self.sizes);
    }
}

/// Returns `"1.2 MiB (+16 KiB)"` for each component whose size changed.
fn changed_sizes(
    before: &BTreeMap<String, u64>,
    after: &BTreeMap<String, u64>,
) -> Map<String, Value> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let size = |sizes: &BTreeMap<String, u64>, name: &str| sizes.get(name).copied().unwrap_or(0);
    let changed = names.into_iter().filter_map(|name| {
        let (old, new) = (size(before, name), size(after, name));
        let sign = match new.cmp(&old) {
            Ordering::Equal => return None,
            Ordering::Greater => '+',
            Ordering::Less => '-',
        };
        let difference = human_binary(new.abs_diff(old));
        let shown = format!("{} ({sign}{difference})", human_binary(new));
        Some((name.clone(), Value::String(shown)))
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sizes_that_changed_are_shown() {
        let sizes = |of: &[(&str, u64)]| {
            of.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect::<BTreeMap<_, _>>()
        };
        let before = sizes(&[("documents", 1 << 20), ("text", 300), ("columns", 64)]);
        let after = sizes(&[("documents", (1 << 20) + (16 << 10)), ("text", 300), ("geo", 10)]);
        assert_eq!(
            Value::Object(changed_sizes(&before, &after)),
            json!({
                "columns": "0 B (-64 B)",
                "documents": "1.02 MiB (+16 KiB)",
                "geo": "10 B (+10 B)",
            })
        );
    }
}
