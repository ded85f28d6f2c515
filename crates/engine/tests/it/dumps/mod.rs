//! Dumps, from an instance to an archive and from archives to instances.

mod archive;
mod failures;
mod golden;
mod meilisearch;
mod round_trip;

use std::sync::Arc;

use engine::Engine;
use engine::keys::Key;

fn stored_keys(engine: &Engine) -> Vec<Arc<Key>> {
    engine.keys().list(0, usize::MAX).results.into_iter().map(|shown| shown.key).collect()
}
