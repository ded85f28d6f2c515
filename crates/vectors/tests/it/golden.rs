//! Golden files of a store with a graph, as each version of the formats wrote them. Every later build reads
//! them and finds the recorded neighbours; and it writes the bytes of the newest folder, unless a version in
//! the files differs.
//!
//! `UPDATE_GOLDEN=1 cargo test -p vectors --test it golden` adds a folder for this build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use segment::{Directory, MemoryDirectory};
use testkit::{Random, golden};
use vectors::{Metric, Store, StoreEntry};

use crate::support::{GRAPH_EF, NAME, Site, options};

const ENTRY: &str = "entry.json";
const NEIGHBOURS: &str = "neighbours.json";
const DIMENSIONS: usize = 64;
/// Just enough for a graph.
const VECTORS: u32 = 2_100;
const DELETED: u32 = 50;

type Files = BTreeMap<String, Vec<u8>>;
type Neighbours = Vec<Vec<u32>>;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Signs of bits, whose distances are whole numbers: every processor builds the same graph.
fn vector(seed: u32) -> Vec<f32> {
    let mut random = Random(u64::from(seed % 300));
    let group = random.draw();
    let mut random = Random(u64::from(seed) + 1_000);
    let bits = group ^ (random.draw() & random.draw() & random.draw());
    (0..DIMENSIONS).map(|place| if bits >> place & 1 == 1 { 1.0 } else { -1.0 }).collect()
}

/// Writes the store of this build: a graph over all vectors, then a commit that deletes some.
fn written() -> (Files, StoreEntry) {
    let mut site = Site::new(options(DIMENSIONS, Metric::Hamming));
    site.write((0..VECTORS).map(|id| (id, vec![vector(id)])).collect(), 1);
    while site.store.wants_merge() {
        let merged = site.merged(1).expect("a merge");
        site.store = site.store.rebase(&site.store, &merged).unwrap().unwrap();
    }
    site.write((0..DELETED).map(|id| (id * 7, Vec::new())).collect(), 1);
    site.tidy();
    let names = site.directory.list().unwrap().into_iter();
    let files = names.map(|(name, _)| {
        let bytes = site.directory.open(&name).unwrap().to_vec();
        (name, bytes)
    });
    (files.collect(), site.store.entry().clone())
}

fn opened(files: &Files, entry: &StoreEntry) -> Site {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    for (name, bytes) in files {
        let mut file = directory.create(name).unwrap();
        file.write_all(bytes).unwrap();
        file.sync().unwrap();
    }
    let store = Store::open(&directory, NAME, entry).unwrap();
    Site { directory, store, ..Site::new(options(DIMENSIONS, Metric::Hamming)) }
}

/// The nearest documents of some queries, through the graph.
fn neighbours(site: &Site) -> Neighbours {
    let nearest = |seed: u32| {
        let found = site.search_with(&vector(5_000 + seed), 10, None, Some(GRAPH_EF));
        found.iter().map(|neighbour| neighbour.doc_id).collect()
    };
    (0..20).map(nearest).collect()
}

fn read(folder: &Path) -> (Files, StoreEntry, Neighbours) {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Files = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    let entry = files.remove(ENTRY).expect("the entry of the manifest");
    let neighbours = files.remove(NEIGHBOURS).expect("the recorded neighbours");
    let entry = serde_json::from_slice(&entry).unwrap();
    (files, entry, serde_json::from_slice(&neighbours).unwrap())
}

#[test]
fn golden_stores_are_read_and_find_the_recorded_neighbours() {
    let folders = golden::folders(&root());
    assert!(!folders.is_empty(), "no golden files");
    for (number, folder) in folders {
        let (files, entry, recorded) = read(&folder);
        assert!(files.keys().any(|name| name.contains(".graph.")), "golden {number}");
        let site = opened(&files, &entry);
        assert_eq!(site.store.verify(), [], "golden {number}");
        assert_eq!(site.store.number_of_vectors(), u64::from(VECTORS - DELETED));
        assert_eq!(neighbours(&site), recorded, "golden {number}");
    }
}

#[test]
fn bytes_of_stores_change_only_with_their_version() {
    let (files, entry) = written();
    let newest = golden::folders(&root()).pop();
    let golden = newest.map(|(_, folder)| read(&folder).0).unwrap_or_default();
    if golden::is_update() && golden != files {
        let folder = golden::new_folder(&root()).unwrap();
        for (name, bytes) in &files {
            fs::write(folder.join(name), bytes).unwrap();
        }
        fs::write(folder.join(ENTRY), serde_json::to_string(&entry).unwrap()).unwrap();
        let neighbours = neighbours(&opened(&files, &entry));
        fs::write(folder.join(NEIGHBOURS), serde_json::to_string(&neighbours).unwrap()).unwrap();
        return;
    }
    for (name, bytes) in &files {
        let same = golden.get(name).is_some_and(|golden| golden == bytes);
        assert!(same, "{name} changed: raise the version of its kind and run UPDATE_GOLDEN=1");
    }
    assert_eq!(golden.len(), files.len(), "files of the newest golden folder are gone");
}
