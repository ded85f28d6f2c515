//! An index of which one file was changed: manifest, documents, text, columns, places, vectors,
//! graphs. Checksums are all alike here (`cfg(fuzzing)`), so changes get past them. The index may
//! be refused, and answers may be wrong; nothing may panic or run away.
//!
//! The first byte chooses the file; then either all of its bytes follow, or changes of four bytes
//! each: place (2), what to do (1), with what (1).

use std::io::Write;
use std::sync::{Arc, LazyLock};

use crate::small_index::query_for;
use index::Index;
use segment::{Directory, MemoryDirectory};

/// The files of the index, by name.
static FILES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(crate::small_index::index_files);

/// Fails where the target would.
pub fn run(input: &[u8]) {
    let [choice, replaces, rest @ ..] = input else { return };
    let chosen = usize::from(*choice) % FILES.len();
    let directory = MemoryDirectory::new();
    for (number, (name, bytes)) in FILES.iter().enumerate() {
        let mut bytes = bytes.clone();
        if number == chosen {
            match replaces % 8 {
                0 => bytes = rest.to_vec(),
                _ => rest.chunks_exact(4).for_each(|change| apply(change, &mut bytes)),
            }
        }
        directory
            .create(name)
            .map(|mut file| file.write_all(&bytes).expect("room"))
            .expect("a file");
    }
    drop(index::verify(&directory));
    for (name, _) in FILES.iter() {
        let _ = index::inspect(&directory, name);
    }
    // What a start from a snapshot refuses.
    if !index::verify_dictionaries(&directory).is_empty() {
        return;
    }
    let Ok(index) = Index::open(Arc::new(directory)) else { return };
    let snapshot = index.snapshot();
    for text in ["quiet harbour", "\"salt and\" -copper shi", "夜", ""] {
        let _ = search::run(&snapshot, &query_for(text));
    }
    for id in 0..6_u32 {
        let _ = snapshot.document(id);
        let _ = snapshot.doc_id(&id.to_string());
    }
    for (_, embedder) in snapshot.embedders() {
        drop(embedder.store().verify());
        let _ = embedder.store().vectors_of(1);
    }
}

fn apply(change: &[u8], bytes: &mut Vec<u8>) {
    let [low, high, what, with] = *change else { return };
    let Some(place) = usize::from(u16::from_le_bytes([low, high])).checked_rem(bytes.len()) else {
        return;
    };
    match what % 4 {
        0 => bytes[place] = with,
        1 => bytes[place] = bytes[place].wrapping_add(with),
        2 => bytes[place] ^= 1 << (with % 8),
        _ => bytes.truncate(place),
    }
}
