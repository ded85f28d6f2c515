//! Helpers for tests of stored files: an index in memory from the bytes of its files, and a query with
//! the usual parameters.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use model::Cancel;
use search::{Criteria, Query};
use segment::{Directory, MemoryDirectory};

pub static CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// Puts files into a directory in memory, each under its name.
pub fn directory_of<'f>(
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
) -> Arc<MemoryDirectory> {
    let directory = Arc::new(MemoryDirectory::new());
    for (name, bytes) in files {
        let mut file = directory.create(name).unwrap();
        file.write_all(bytes).unwrap();
        file.sync().unwrap();
    }
    directory.sync().unwrap();
    directory
}

/// Returns a query for a text, without a window: `None` finds every document.
pub fn query(text: Option<&str>) -> Query<'_> {
    Query {
        text,
        vector: None,
        boosts: None,
        is_hybrid: false,
        criteria: Cow::Owned(Criteria::default()),
        filter: None,
        sort: &[],
        pins: &[],
        offset: 0,
        limit: 0,
        exhaustive: false,
        with_scores: true,
        with_words: false,
        deadline: Instant::now() + Duration::from_secs(60),
        cancel: &CANCELLED,
    }
}
