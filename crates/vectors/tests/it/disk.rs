//! Disks that fail and files that are damaged.

use std::sync::Arc;

use model::Cancel;
use segment::directory::Effect;
use segment::{Directory, FaultDirectory, InjectedFault, MemoryDirectory};
use testkit::Random;
use vectors::{Metric, Result, Store, StoreEntry, VectorsError};

use crate::support::{NAME, RandomVectors, Site, options};

const DIMENSIONS: usize = 4;
const EFFECTS: [Effect; 4] =
    [Effect::Refused, Effect::DoneYetReported, Effect::ShortWrite, Effect::OutOfSpace];

/// Runs work on a store with a fault at every operation until there is none left to fail.
fn fails_cleanly(
    before: &MemoryDirectory,
    entry: &StoreEntry,
    effects: &[Effect],
    work: impl Fn(&Store, &Arc<dyn Directory>) -> Result<Option<Store>>,
) {
    for &effect in effects {
        for number in 0.. {
            let copy = before.crash();
            let directory =
                Arc::new(FaultDirectory::with_fault(copy, InjectedFault::at(number, effect)));
            let shared: Arc<dyn Directory> = directory.clone();
            let store = Store::open(&shared, NAME, entry).unwrap();
            let files = directory.list().unwrap();
            let outcome = work(&store, &shared);
            if !directory.has_fired() {
                outcome.unwrap();
                assert!(number >= 3);
                break;
            }
            let Err(error) = outcome else { continue };
            assert!(matches!(error, VectorsError::Segment(_)), "{error}");
            // Nothing stays, what was there is as it was, and a crash changes nothing of it.
            assert_eq!(directory.list().unwrap(), files);
            for seed in 0..2 {
                let after: Arc<dyn Directory> = Arc::new(directory.inner().crash_with_seed(seed));
                let reopened = Store::open(&after, NAME, entry).unwrap();
                assert_eq!(reopened.documents(), store.documents());
                assert_eq!(reopened.verify(), []);
            }
        }
    }
}

fn small_site(commits: u64) -> (MemoryDirectory, Site) {
    let memory = MemoryDirectory::new();
    let mut site = Site::on(Arc::new(memory.clone()), options(DIMENSIONS, Metric::Cosine));
    let mut random = Random(1);
    for commit in 0..commits as u32 {
        site.commit_random(3 * commit..3 * commit + 5, &mut random);
    }
    memory.sync().unwrap();
    (memory, site)
}

#[test]
fn a_commit_that_fails_leaves_the_store_before() {
    let (memory, site) = small_site(2);
    fails_cleanly(&memory, site.store.entry(), &EFFECTS, |store, directory| {
        let mut writer = store.writer(directory, NAME, 9);
        writer.set(100, &[[1.0, 2.0, 3.0, 4.0]])?;
        writer.remove(1);
        writer.finish(1, &Cancel::default()).map(Some)
    });
}

#[test]
fn a_join_that_fails_leaves_the_store_before() {
    let (memory, site) = small_site(9);
    assert!(site.store.wants_merge());
    fails_cleanly(&memory, site.store.entry(), &EFFECTS, |store, directory| {
        let mut generation = 100;
        let mut next = || {
            generation += 1;
            generation
        };
        store.merge(directory, NAME, &mut next, 1, &Cancel::default())
    });
}

#[test]
fn a_fold_that_fails_leaves_the_store_before() {
    let memory = MemoryDirectory::new();
    let mut site = Site::on(Arc::new(memory.clone()), options(DIMENSIONS, Metric::Cosine));
    let mut random = Random(1);
    site.commit_random(0..1100, &mut random);
    site.commit_random(1000..2200, &mut random);
    memory.sync().unwrap();
    fails_cleanly(&memory, site.store.entry(), &EFFECTS[2..3], |store, directory| {
        let mut generation = 100;
        let mut next = || {
            generation += 1;
            generation
        };
        store.merge(directory, NAME, &mut next, 1, &Cancel::default())
    });
}

/// A flipped bit or a missing end is noticed, at the latest by a verification, and no search of
/// damaged files panics or finds what is not there.
#[test]
fn damage_is_noticed() {
    let memory = MemoryDirectory::new();
    let mut site = Site::on(Arc::new(memory.clone()), options(DIMENSIONS, Metric::Cosine));
    let mut random = Random(7);
    site.commit(
        (0..1200)
            .map(|id| (id, vec![random.vector(DIMENSIONS), random.vector(DIMENSIONS)]))
            .collect(),
    );
    site.merge();
    site.commit_random(10..30, &mut random);
    let entry = site.store.entry().clone();
    for file in site.store.files() {
        let bytes = memory.open(&file.name).unwrap().to_vec();
        for round in 0..60 {
            let mut damaged = bytes.clone();
            if round % 4 == 0 {
                damaged.truncate(random.below(bytes.len() as u64) as usize);
            } else {
                let place = random.below(bytes.len() as u64) as usize;
                damaged[place] ^= 1 << random.below(8);
            }
            let copy = memory.crash();
            for other in site.store.files() {
                copy.put(&other.name, memory.open(&other.name).unwrap().to_vec());
            }
            copy.put(&file.name, damaged);
            let copy: Arc<dyn Directory> = Arc::new(copy);
            match Store::open(&copy, NAME, &entry) {
                Err(error) => assert!(error.is_damaged(), "{error}"),
                Ok(store) => {
                    assert_ne!(store.verify(), [], "{} round {round}", file.name);
                    let site =
                        Site { store, directory: copy, model: Default::default(), generation: 0 };
                    let cancel = &Cancel::default();
                    let request =
                        vectors::Request { limit: 10, filter: None, nth: None, cancel, ef: None };
                    for _ in 0..5 {
                        match site.store.search(&random.vector(DIMENSIONS), &request) {
                            Ok(found) => assert_eq!(found.len(), 10),
                            Err(error) => assert!(error.is_damaged(), "{error}"),
                        }
                    }
                }
            }
        }
    }
}

/// A bit of each byte of the head and the tables of a graph file, and of many of its rows.
#[test]
fn damage_of_a_graph_is_noticed_wherever_it_is() {
    let memory = MemoryDirectory::new();
    let mut site = Site::on(Arc::new(memory.clone()), options(DIMENSIONS, Metric::Cosine));
    let mut random = Random(8);
    site.commit_random(0..2100, &mut random);
    site.merge();
    let entry = site.store.entry().clone();
    let files = site.store.files();
    let graph = files.iter().find(|file| file.name.contains(".graph.")).unwrap();
    let bytes = memory.open(&graph.name).unwrap().to_vec();
    let is_tried = |place: usize| place < 256 || place + 2048 > bytes.len() || place % 1009 == 5;
    let query = random.vector(DIMENSIONS);
    for place in (0..bytes.len()).filter(|&place| is_tried(place)) {
        let copy = MemoryDirectory::new();
        for file in &files {
            copy.put(&file.name, memory.open(&file.name).unwrap().to_vec());
        }
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        copy.put(&graph.name, damaged);
        let copy: Arc<dyn Directory> = Arc::new(copy);
        let store = match Store::open(&copy, NAME, &entry) {
            Ok(store) => store,
            Err(error) => {
                assert!(error.is_damaged(), "byte {place}: {error}");
                continue;
            }
        };
        let cancel = &Cancel::default();
        let request =
            vectors::Request { limit: 10, filter: None, nth: None, cancel, ef: Some(300) };
        match store.search(&query, &request) {
            Ok(found) => assert_eq!(found.len(), 10, "byte {place}"),
            Err(error) => assert!(error.is_damaged(), "byte {place}: {error}"),
        }
        assert_ne!(store.verify(), [], "byte {place}");
    }
}
