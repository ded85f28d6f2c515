//! Tests of vectors through commits, reopening, removal and merges: they follow their documents,
//! and no unneeded file stays.

use std::sync::Arc;

use index::{
    DocId, EmbedderVectors, Index, IndexError, Options, VectorOrigin, Writer, inspect, verify,
};
use model::Cancel;
use segment::{Directory, MemoryDirectory};
use vectors::{Metric, Request, StoreOptions};

use crate::support::{add_ids, at, delete_ids, file_names, in_memory, merge_all};

const TWO: StoreOptions = StoreOptions { dimensions: 2, metric: Metric::Cosine };
const MANUAL: VectorOrigin = VectorOrigin { given: true, regenerate: false };
const GENERATED: VectorOrigin = VectorOrigin { given: false, regenerate: true };
const GIVEN_ONCE: VectorOrigin = VectorOrigin { given: true, regenerate: true };

/// With one embedder `e` and without documents.
fn with_embedder() -> (Arc<dyn Directory>, Index) {
    let (directory, index) = in_memory();
    change(&index, |writer| writer.reset_embedder("e", TWO));
    (directory, index)
}

fn change<T>(index: &Index, change: impl FnOnce(&mut Writer<'_>) -> T) -> T {
    let mut writer = index.writer().unwrap();
    let changed = change(&mut writer);
    writer.commit(b"", at(1)).unwrap();
    changed
}

fn add(writer: &mut Writer<'_>, id: &str) -> DocId {
    writer.upsert(id, &format!("{{\"id\":\"{id}\"}}"), ["id"]).unwrap()
}

fn put(writer: &mut Writer<'_>, id: &str, vectors: &[[f32; 2]], origin: VectorOrigin) -> DocId {
    let doc_id = add(writer, id);
    writer.set_vectors(doc_id, "e", vectors, origin).unwrap();
    doc_id
}

fn embedder(index: &Index) -> EmbedderVectors {
    index.snapshot().embedder("e").unwrap().clone()
}

fn vectors_of(index: &Index, id: &str) -> Vec<Vec<f32>> {
    let doc_id = index.snapshot().doc_id(id).unwrap().unwrap();
    embedder(index).store().vectors_of(doc_id).unwrap()
}

fn origin_of(index: &Index, id: &str) -> VectorOrigin {
    let doc_id = index.snapshot().doc_id(id).unwrap().unwrap();
    embedder(index).origin_of(doc_id)
}

/// The documents nearest to a vector, nearest first.
fn nearest(index: &Index, vector: [f32; 2], limit: usize) -> Vec<DocId> {
    let cancel = &Cancel::default();
    let request = Request { limit, filter: None, nth: None, cancel, ef: None };
    let found = embedder(index).store().search(&vector, &request).unwrap();
    found.into_iter().map(|neighbour| neighbour.doc_id).collect()
}

fn vector_files(directory: &dyn Directory) -> Vec<String> {
    file_names(directory).into_iter().filter(|name| name.starts_with("vectors-")).collect()
}

#[test]
fn vectors_and_their_origins_survive_reopening() {
    let (directory, index) = with_embedder();
    change(&index, |writer| {
        put(writer, "manual", &[[1.0, 0.0], [0.0, 1.0]], MANUAL);
        put(writer, "generated", &[[0.5, 0.25]], GENERATED);
        put(writer, "once", &[[0.0, 2.0]], GIVEN_ONCE);
        put(writer, "none", &[], MANUAL);
        let shown = put(writer, "shown", &[[3.0, 4.0], [4.0, 3.0]], GENERATED);
        writer.set_fragments(shown, "e", &["image", "text"]).unwrap();
        add(writer, "new");
    });
    let check = |index: &Index| {
        assert_eq!(vectors_of(index, "manual"), [[1.0, 0.0], [0.0, 1.0]]);
        assert_eq!(vectors_of(index, "generated"), [[0.5, 0.25]]);
        assert_eq!(vectors_of(index, "once"), [[0.0, 2.0]]);
        assert!(vectors_of(index, "none").is_empty());
        assert!(vectors_of(index, "new").is_empty());
        for (id, origin) in [
            ("manual", MANUAL),
            ("generated", GENERATED),
            ("once", GIVEN_ONCE),
            ("none", MANUAL),
            ("new", GENERATED),
        ] {
            assert_eq!(origin_of(index, id), origin, "{id}");
        }
        let embedder = embedder(index);
        assert_eq!(*embedder.store().options(), TWO);
        assert_eq!(embedder.store().number_of_vectors(), 6);
        assert_eq!((embedder.given().len(), embedder.fixed().len()), (3, 2));
        let shown = index.snapshot().doc_id("shown").unwrap().unwrap();
        let names: Vec<&str> = embedder.fragments().map(|(name, _)| name).collect();
        assert_eq!(names, ["image", "text"]);
        assert!(embedder.fragments().all(|(_, documents)| documents.iter().eq([shown])));
        assert!(embedder.fragment("sound").is_none());
    };
    check(&index);
    drop(index);
    assert_eq!(verify(&*directory), []);
    let index = Index::open(directory.clone()).unwrap();
    check(&index);

    // A batch that has nothing to do with vectors leaves all of it, and its file, as it is.
    let files = vector_files(&*directory);
    add_ids(&index, &["other"]);
    check(&index);
    assert_eq!(vector_files(&*directory), files);
    assert_eq!(verify(&*directory), []);
}

#[test]
fn each_embedder_has_its_own_vectors() {
    let (directory, index) = with_embedder();
    let three = StoreOptions { dimensions: 3, metric: Metric::Hamming };
    let doc_id = change(&index, |writer| {
        writer.reset_embedder("bits", three);
        let doc_id = put(writer, "a", &[[1.0, 2.0]], MANUAL);
        writer.set_vectors(doc_id, "bits", &[[0.5, -1.0, 2.0]], GENERATED).unwrap();
        doc_id
    });
    drop(index);
    let index = Index::open(directory.clone()).unwrap();
    let snapshot = index.snapshot();
    let names: Vec<&str> = snapshot.embedders().map(|(name, _)| name).collect();
    assert_eq!(names, ["bits", "e"]);
    let bits = snapshot.embedder("bits").unwrap();
    assert_eq!(*bits.store().options(), three);
    assert_eq!(bits.store().vectors_of(doc_id).unwrap(), [[1.0, 0.0, 1.0]]);
    assert_eq!(bits.origin_of(doc_id), GENERATED);
    assert_eq!(vectors_of(&index, "a"), [[1.0, 2.0]]);

    // Vectors of a wrong length, or of an unknown embedder, are refused.
    let mut writer = index.writer().unwrap();
    let error = writer.set_vectors(doc_id, "bits", &[[1.0, 2.0]], MANUAL).unwrap_err();
    assert!(matches!(error, IndexError::Vectors(_)), "{error}");
    let error = writer.set_vectors(doc_id, "x", &[[1.0, 2.0]], MANUAL).unwrap_err();
    assert_eq!(error.to_string(), "there is no embedder `x`");
    assert!(!writer.has_embedder("x") && writer.has_embedder("bits"));
    assert_eq!(writer.vector_origin(doc_id, "x"), None);
    drop(writer);
    index.check_writable().unwrap();
    assert_eq!(verify(&*directory), []);
}

#[test]
fn a_replaced_document_keeps_its_vectors_unless_it_gets_others() {
    let (directory, index) = with_embedder();
    change(&index, |writer| put(writer, "a", &[[1.0, 0.0], [0.0, 1.0]], MANUAL));
    change(&index, |writer| add(writer, "a"));
    assert_eq!(vectors_of(&index, "a"), [[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(origin_of(&index, "a"), MANUAL);

    let before = embedder(&index);
    change(&index, |writer| {
        let doc_id = put(writer, "a", &[[7.0, 0.0]], MANUAL);
        put(writer, "a", &[[0.0, 5.0]], GENERATED);
        assert_eq!(writer.vector_origin(doc_id, "e"), Some(GENERATED));
    });
    assert_eq!(vectors_of(&index, "a"), [[0.0, 5.0]]);
    assert_eq!(origin_of(&index, "a"), GENERATED);
    // A reader of an earlier state still sees it.
    assert_eq!(before.store().vectors_of(0).unwrap().len(), 2);
    assert_eq!(before.origin_of(0), MANUAL);

    change(&index, |writer| put(writer, "a", &[], MANUAL));
    assert!(vectors_of(&index, "a").is_empty());
    assert_eq!(origin_of(&index, "a"), MANUAL);
    assert!(nearest(&index, [0.0, 1.0], 5).is_empty());
    assert_eq!(verify(&*directory), []);
}

#[test]
fn a_deleted_document_loses_its_vectors() {
    let (directory, index) = with_embedder();
    let doc_ids = change(&index, |writer| {
        ["a", "b", "c", "d"].map(|id| {
            let doc_id = put(writer, id, &[[1.0, 1.0]], MANUAL);
            writer.set_fragments(doc_id, "e", &["text"]).unwrap();
            doc_id
        })
    });
    delete_ids(&index, &["a"]);
    change(&index, |writer| writer.delete_doc_ids(&[doc_ids[1], 99].into()).unwrap());
    drop(index);
    let index = Index::open(directory.clone()).unwrap();
    let left = [doc_ids[2], doc_ids[3]];
    let vectors = embedder(&index);
    for set in [
        vectors.store().documents(),
        vectors.given(),
        vectors.fixed(),
        vectors.fragment("text").unwrap(),
    ] {
        assert!(set.iter().eq(left), "{set:?}");
    }
    assert_eq!(nearest(&index, [1.0, 1.0], 9), left);

    // The next new document takes the number of the first, and nothing else of it.
    let taken = change(&index, |writer| add(writer, "n"));
    assert!(doc_ids[..2].contains(&taken));
    assert!(vectors_of(&index, "n").is_empty());
    assert_eq!(origin_of(&index, "n"), GENERATED);

    delete_ids(&index, &["c", "d"]);
    assert!(embedder(&index).fragments().next().is_none());
    assert_eq!(verify(&*directory), []);
}

#[test]
fn documents_returning_in_a_batch_start_without_vectors() {
    let (directory, index) = with_embedder();
    change(&index, |writer| {
        put(writer, "old", &[[1.0, 0.0]], MANUAL);
        put(writer, "other", &[[1.0, 0.0]], MANUAL);
    });
    change(&index, |writer| {
        for id in ["old", "fresh"] {
            // With a vector of this batch, and in one case one of an earlier batch too.
            let doc_id = put(writer, id, &[[0.0, 1.0]], MANUAL);
            writer.set_fragments(doc_id, "e", &["text"]).unwrap();
            assert!(writer.delete(id).unwrap());
            assert_eq!(writer.vector_origin(doc_id, "e"), Some(GENERATED), "{id}");
            assert_eq!(add(writer, id), doc_id);
        }
        // One that is given a vector after its return has that one.
        assert!(writer.delete("other").unwrap());
        put(writer, "other", &[[3.0, 3.0]], GIVEN_ONCE);
        // One that is deleted for good.
        put(writer, "gone", &[[9.0, 9.0]], MANUAL);
        assert!(writer.delete("gone").unwrap());
    });
    drop(index);
    let index = Index::open(directory.clone()).unwrap();
    for id in ["old", "fresh"] {
        assert!(vectors_of(&index, id).is_empty(), "{id}");
        assert_eq!(origin_of(&index, id), GENERATED, "{id}");
    }
    assert_eq!(vectors_of(&index, "other"), [[3.0, 3.0]]);
    assert_eq!(origin_of(&index, "other"), GIVEN_ONCE);
    assert_eq!(embedder(&index).store().number_of_vectors(), 1);
    assert!(embedder(&index).fragments().next().is_none());
    assert_eq!(verify(&*directory), []);
}

#[test]
fn clearing_takes_all_vectors_and_their_files() {
    let (directory, index) = with_embedder();
    change(&index, |writer| put(writer, "a", &[[1.0, 0.0]], MANUAL));
    change(&index, |writer| {
        put(writer, "b", &[[1.0, 0.0]], MANUAL);
        assert_eq!(writer.clear().unwrap(), 2);
        // The first number is given again.
        assert_eq!(add(writer, "c"), 0);
    });
    assert!(vectors_of(&index, "c").is_empty());
    let cleared = embedder(&index);
    assert!(cleared.given().is_empty() && cleared.fixed().is_empty());
    assert_eq!(*cleared.store().options(), TWO);
    assert_eq!(vector_files(&*directory), Vec::<String>::new());

    change(&index, |writer| {
        writer.clear().unwrap();
        put(writer, "d", &[[0.0, 2.0]], GENERATED);
    });
    drop(index);
    let index = Index::open(directory.clone()).unwrap();
    assert_eq!(vectors_of(&index, "d"), [[0.0, 2.0]]);
    assert_eq!(vector_files(&*directory).len(), 1);
    assert_eq!(verify(&*directory), []);
}

#[test]
fn a_batch_that_is_not_committed_leaves_no_file() {
    let (directory, index) = with_embedder();
    change(&index, |writer| put(writer, "a", &[[1.0, 0.0]], MANUAL));
    let files = file_names(&*directory);
    let mut writer = index.writer().unwrap();
    put(&mut writer, "a", &[[0.0, 1.0]], GENERATED);
    for number in 0..500 {
        put(&mut writer, &number.to_string(), &[[1.0, number as f32]], MANUAL);
    }
    writer.reset_embedder("new", TWO);
    let doc_id = add(&mut writer, "b");
    writer.set_vectors(doc_id, "new", &[[1.0, 1.0]], MANUAL).unwrap();
    assert!(vector_files(&*directory).len() > 1, "vectors go to a file as they come");
    drop(writer);
    assert_eq!(file_names(&*directory), files);
    assert_eq!(vectors_of(&index, "a"), [[1.0, 0.0]]);
    assert_eq!(origin_of(&index, "a"), MANUAL);
    assert!(index.snapshot().embedder("new").is_none());
    index.check_writable().unwrap();
}

#[test]
fn leftovers_of_a_crash_are_removed() {
    let memory = MemoryDirectory::new();
    let index = Index::create(Arc::new(memory.clone()), at(0)).unwrap();
    change(&index, |writer| {
        writer.reset_embedder("e", TWO);
        put(writer, "a", &[[1.0, 0.0]], MANUAL);
    });
    drop(index);
    let files = vector_files(&memory);
    // A file of this store, and one of a store that was never committed.
    let other = files[0].replace(char::is_numeric, "77");
    for orphan in [format!("{}9", files[0]), other] {
        memory.put(&orphan, b"half a file".to_vec());
        assert_eq!(verify(&memory), [], "it is no problem");
        let index = Index::open(Arc::new(memory.clone())).unwrap();
        assert_eq!(vector_files(&memory), files, "{orphan}");
        assert_eq!(vectors_of(&index, "a"), [[1.0, 0.0]]);
    }
}

#[test]
fn an_embedder_that_is_removed_or_reset_gives_up_its_files() {
    let (directory, index) = with_embedder();
    let doc_id = change(&index, |writer| {
        writer.reset_embedder("other", TWO);
        let doc_id = put(writer, "a", &[[1.0, 0.0]], MANUAL);
        writer.set_vectors(doc_id, "other", &[[2.0, 2.0]], MANUAL).unwrap();
        doc_id
    });
    let first = vector_files(&*directory);
    assert_eq!(first.len(), 2);

    let reader = index.snapshot();
    change(&index, |writer| writer.remove_embedder("other"));
    assert_eq!(vector_files(&*directory), first, "somebody still reads them");
    let theirs = reader.embedder("other").unwrap().store().vectors_of(doc_id).unwrap();
    assert_eq!(theirs, [[2.0, 2.0]]);
    drop(reader);
    let second = vector_files(&*directory);
    assert_eq!(second.len(), 1);
    assert!(index.snapshot().embedder("other").is_none());
    assert_eq!(vectors_of(&index, "a"), [[1.0, 0.0]]);

    let three = StoreOptions { dimensions: 3, ..TWO };
    change(&index, |writer| {
        writer.reset_embedder("e", three);
        assert_eq!(writer.vector_origin(doc_id, "e"), Some(GENERATED));
        writer.set_vectors(doc_id, "e", &[[1.0, 2.0, 3.0]], GENERATED).unwrap();
    });
    let third = vector_files(&*directory);
    assert_eq!(third.len(), 1);
    assert_ne!(third, second, "no name is used twice");
    drop(index);
    let index = Index::open(directory.clone()).unwrap();
    assert_eq!(vectors_of(&index, "a"), [[1.0, 2.0, 3.0]]);
    assert_eq!(origin_of(&index, "a"), GENERATED);
    change(&index, |writer| writer.remove_embedder("e"));
    assert_eq!(vector_files(&*directory), Vec::<String>::new());
    assert_eq!(verify(&*directory), []);
}

/// Makes enough small commits for their files to be joined.
fn many_commits(index: &Index, from: usize) {
    for number in from..from + 10 {
        let vector = [1.0, number as f32];
        change(index, |writer| put(writer, &format!("d{number}"), &[vector], MANUAL));
    }
}

#[test]
fn a_merge_of_vectors_keeps_the_answers_and_what_came_meanwhile() {
    let (directory, index) = with_embedder();
    many_commits(&index, 0);
    let before = vector_files(&*directory);
    assert_eq!(before.len(), 10);
    let answers = nearest(&index, [1.0, 4.2], 10);
    assert_eq!(answers[..2], [4, 5]);

    let plan = index.next_vector_merge().unwrap();
    assert!(index.next_vector_merge().is_none(), "the store is taken");
    // Meanwhile one is deleted, one replaced, one added, one changes its origin.
    change(&index, |writer| {
        assert!(writer.delete("d3").unwrap());
        put(writer, "d5", &[[1.0, 50.0]], GENERATED);
        put(writer, "late", &[[1.0, 4.2]], MANUAL);
        put(writer, "d0", &[[1.0, 0.0]], GIVEN_ONCE);
    });
    let (meanwhile, receipt) = (nearest(&index, [1.0, 4.2], 20), index.snapshot());
    assert!(index.run_vector_merge(&plan, &Cancel::default()).unwrap());
    drop(plan);
    let check = |index: &Index| {
        assert_eq!(nearest(index, [1.0, 4.2], 20), meanwhile);
        assert_eq!(vectors_of(index, "d5"), [[1.0, 50.0]]);
        assert_eq!(vectors_of(index, "late"), [[1.0, 4.2]]);
        assert_eq!(vectors_of(index, "d9"), [[1.0, 9.0]]);
        assert_eq!(origin_of(index, "d5"), GENERATED);
        assert_eq!(origin_of(index, "d0"), GIVEN_ONCE);
        assert_eq!(embedder(index).store().number_of_vectors(), 10);
    };
    check(&index);
    assert_eq!(index.snapshot().receipt(), receipt.receipt());
    assert_eq!(index.snapshot().updated_at(), receipt.updated_at());
    drop(receipt);
    assert_eq!(vector_files(&*directory).len(), 2, "the merged one, and what came meanwhile");
    assert_eq!(verify(&*directory), []);
    drop(index);
    let index = Index::open(directory.clone()).unwrap();
    check(&index);
    assert_eq!(verify(&*directory), []);
}

#[test]
fn a_merge_of_vectors_that_have_gone_or_that_is_stopped_leaves_nothing() {
    let (directory, index) = with_embedder();
    many_commits(&index, 0);
    let files = file_names(&*directory);
    let plan = index.next_vector_merge().unwrap();
    let stopped = index.run_vector_merge(&plan, &Cancel::default().or_when(|| true)).unwrap_err();
    assert!(stopped.is_stopped_on_request(), "{stopped}");
    assert_eq!(file_names(&*directory), files);
    index.check_writable().unwrap();
    drop(plan);

    let plan = index.next_vector_merge().expect("being stopped is no failure");
    change(&index, |writer| writer.reset_embedder("e", TWO));
    assert!(!index.run_vector_merge(&plan, &Cancel::default()).unwrap());
    drop(plan);
    assert_eq!(vector_files(&*directory), Vec::<String>::new());
    assert!(index.next_vector_merge().is_none());
    assert_eq!(verify(&*directory), []);
}

#[test]
fn a_store_large_enough_for_a_graph_is_merged_and_reopened() {
    let (directory, index) = with_embedder();
    let place = |number: u32| {
        let angle = number as f32 / 2_500.0;
        [angle.cos(), angle.sin()]
    };
    change(&index, |writer| {
        for number in 0..2_500 {
            put(writer, &format!("d{number}"), &[place(number)], GENERATED);
        }
    });
    while let Some(plan) = index.next_vector_merge() {
        index.run_vector_merge(&plan, &Cancel::default()).unwrap();
    }
    let [graph, vectors] = &vector_files(&*directory)[..] else { panic!() };
    let explained = inspect(&*directory, graph).unwrap();
    assert!(explained.contains("kind: GRPH, version 2"), "{explained}");
    assert!(explained.contains("nodes: 2500, 2500 of them alive"), "{explained}");
    let explained = inspect(&*directory, vectors).unwrap();
    assert!(explained.contains("vectors: 2500 of 2 dimensions, Cosine"), "{explained}");
    assert!(explained.contains("documents: 2500, DocIds 0 to 2499"), "{explained}");
    delete_ids(&index, &["d1000"]);
    merge_all(&index).unwrap();
    assert_eq!(verify(&*directory), []);
    drop(index);
    let options = Options { preload_vectors: true, ..Options::default() };
    let index = Index::open_with(directory, options).unwrap();
    for number in [0, 999, 1_000, 2_499] {
        let found = nearest(&index, place(number), 3);
        let is_near = |id: &DocId| id.abs_diff(number) <= 3;
        assert!(found.len() == 3 && found.iter().all(is_near), "{number}: {found:?}");
        assert!(!found.contains(&1_000));
    }
}

#[test]
fn damage_is_reported_with_the_name_of_the_file() {
    let memory = MemoryDirectory::new();
    let directory: Arc<dyn Directory> = Arc::new(memory.clone());
    let index = Index::create(directory.clone(), at(0)).unwrap();
    change(&index, |writer| {
        writer.reset_embedder("e", TWO);
        put(writer, "a", &[[1.0, 0.0], [0.0, 1.0]], MANUAL);
    });
    drop(index);
    let [file] = &vector_files(&memory)[..] else { panic!("{:?}", file_names(&memory)) };
    let sound = memory.open(file).unwrap().to_vec();
    assert!(inspect(&memory, file).unwrap().contains(file.as_str()));
    for place in [0, sound.len() / 3, sound.len() / 2, sound.len() - 1] {
        let mut damaged = sound.clone();
        damaged[place] ^= 0x40;
        memory.put(file, damaged);
        let problems = verify(&memory);
        assert!(!problems.is_empty(), "byte {place} of {}", sound.len());
        assert!(problems.iter().all(|problem| problem.file == *file), "{problems:?}");
    }
    for cut in [0, 10, sound.len() - 1] {
        memory.put(file, sound[..cut].to_vec());
        let error = Index::open(directory.clone()).unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains(file.as_str()), "{error}");
        assert!(verify(&memory).iter().any(|problem| problem.file == *file));
    }
    memory.delete(file).unwrap();
    let error = Index::open(directory.clone()).unwrap_err();
    assert!(error.to_string().contains(file.as_str()), "{error}");
    memory.put(file, sound);
    assert_eq!(verify(&memory), []);
    assert_eq!(vectors_of(&Index::open(directory).unwrap(), "a").len(), 2);
}
