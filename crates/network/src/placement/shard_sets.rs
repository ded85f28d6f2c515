//! Cache of the documents of each shard, by segment: computed from the ids of a segment, and kept
//! while the segment is in use and the shards are unchanged.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use filter::{Filter, ShardOperator};
use index::{Segment, Snapshot};
use model::ServiceError;
use parking_lot::Mutex;
use roaring::RoaringBitmap;
use transfer::failure::index_failure;

use super::assignment::Assignment;
use super::placements::{Placement, Placements};
use super::plan::of_version;

/// Capacity in segments. A large instance has some thousands.
const MAX_CACHED: usize = 4096;

#[derive(Debug, Default)]
pub struct ShardSets {
    cache: Mutex<SetCache>,
}

#[derive(Debug, Default)]
struct SetCache {
    /// Sets by segment and shards, with the time of last use.
    of_segments: HashMap<(u64, Assignment), (Arc<Sets>, u64)>,
    clock: u64,
}

/// A set for each shard, in the order of their names. May include deleted documents.
type Sets = Vec<RoaringBitmap>;

impl Placements {
    /// Resolves the filter's conditions about shards to documents.
    pub fn resolved(&self, filter: Filter, snapshot: &Snapshot) -> Result<Filter, ServiceError> {
        let placement = self.current();
        if !placement.is_sharded() || !filter.names_shards() {
            return Ok(filter);
        }
        filter.with_shards(|operator| self.documents(&placement, snapshot, operator))
    }

    fn documents(
        &self,
        placement: &Placement,
        snapshot: &Snapshot,
        operator: &ShardOperator,
    ) -> Result<RoaringBitmap, ServiceError> {
        let version = operator.names().find_map(of_version).map(|(_, version)| version);
        let names: BTreeSet<&str> = match version {
            // From a member: all its names have one version.
            Some(_) => operator.names().filter_map(of_version).map(|(shard, _)| shard).collect(),
            None => operator.names().collect(),
        };
        let is_meant = |shard: &str| names.contains(shard) == operator.includes();
        let is_current = version.is_none_or(|version| version == placement.network.version);
        if is_current && placement.is_clean && placement.own_shards().all(is_meant) {
            return Ok(snapshot.live().clone());
        }
        let assignment = match version {
            Some(version) if !is_current => &self.assignment_of(version),
            _ => &placement.assignment,
        };
        let mut found = RoaringBitmap::new();
        for segment in snapshot.segments() {
            let sets = self.sets.of(segment, assignment)?;
            for (shard, set) in assignment.names().zip(sets.iter()) {
                if is_meant(shard) {
                    found |= set - segment.deleted();
                }
            }
        }
        Ok(found)
    }
}

impl ShardSets {
    fn of(&self, segment: &Segment, assignment: &Assignment) -> Result<Arc<Sets>, ServiceError> {
        let identity = segment.documents().identity();
        if let Some(sets) = self.cache.lock().get(identity, assignment) {
            return Ok(sets);
        }
        // Computed without the lock: others are not held up, and doing it twice does no harm.
        let mut sets = vec![RoaringBitmap::new(); assignment.names().len()];
        let each = |id: &str, doc_id| {
            if let Some(place) = assignment.place_of(id) {
                sets[place].insert(doc_id);
            }
        };
        segment.documents().for_each_id(each).map_err(index_failure)?;
        for set in &mut sets {
            set.optimize();
        }
        let sets = Arc::new(sets);
        self.cache.lock().put(identity, assignment, Arc::clone(&sets));
        Ok(sets)
    }
}

impl SetCache {
    fn get(&mut self, identity: u64, assignment: &Assignment) -> Option<Arc<Sets>> {
        self.clock += 1;
        let (sets, last_use) = self.of_segments.get_mut(&(identity, assignment.clone()))?;
        *last_use = self.clock;
        Some(Arc::clone(sets))
    }

    fn put(&mut self, identity: u64, assignment: &Assignment, sets: Arc<Sets>) {
        if self.of_segments.len() >= MAX_CACHED {
            // Sets of merged segments and of old shards are not used again.
            let mut uses: Vec<u64> = self.of_segments.values().map(|(_, use_)| *use_).collect();
            uses.sort_unstable();
            let keep_from = uses[MAX_CACHED / 2];
            self.of_segments.retain(|_, (_, last_use)| *last_use >= keep_from);
        }
        self.clock += 1;
        self.of_segments.insert((identity, assignment.clone()), (sets, self.clock));
    }
}
