//! What searches found out about text files, cached for those that ask the same again, as people do
//! who type on. Caches are an extra: without them every search gives the same answer, and no target
//! for the time it takes may be met by them.
//!
//! There is one cache of each kind for the whole process, with one bound, however many indexes and
//! files there are. Keys name an opened file by its [`InstanceId`](segment::text::InstanceId) and
//! tell all else that a value depends on, so that nothing ever has to be invalidated: files do not
//! change, those that a merge leaves alone stay open and keep their entries, and entries of files
//! that were closed are not used again and age out.

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
