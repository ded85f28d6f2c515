//! Process-wide caches of results derived from text files, for repeated queries such as those of
//! search-as-you-type. Caches are an extra: without them every search gives the same answer, and
//! performance targets must be met without them.
//!
//! There is one bounded cache of each kind for the whole process, however many indexes and files
//! there are. Keys contain the [`InstanceId`](segment::text::InstanceId) of an opened file and
//! everything else that a value depends on, so that nothing is ever invalidated: files do not
//! change, files that a merge leaves alone stay open and keep their entries, and entries of closed
//! files age out.

mod generations;
mod sets;
mod sharded;
mod variants;

use std::sync::LazyLock;

use sets::SetCache;
use variants::VariantCache;

pub(crate) use variants::VariantKey;

/// Memory limits of the caches, for the whole process: 144 MiB together.
const SETS_BYTES: usize = 128 << 20;
const VARIANTS_BYTES: usize = 16 << 20;

pub(crate) static SETS: LazyLock<SetCache> = LazyLock::new(|| SetCache::new(SETS_BYTES));
pub(crate) static VARIANTS: LazyLock<VariantCache> =
    LazyLock::new(|| VariantCache::new(VARIANTS_BYTES));
