//! How the documents came to be what they are: all are added, then batches replace, delete and
//! add again.

use testkit::Random;

use super::documents::random_document;
use super::{Batch, Change};

const MOST_DOCUMENTS: usize = 24;

pub fn random_batches(random: &mut Random, vocabulary: &[String]) -> Vec<Batch> {
    let ids = random.between(1, MOST_DOCUMENTS);
    let all = (1..=ids as u64).map(|id| Change::Upsert(random_document(random, vocabulary, id)));
    let mut batches = vec![Batch { changes: all.collect(), merges: false }];
    for _ in 0..random.below(4) {
        let changes = random.between(1, ids);
        let changes = (0..changes).map(|_| random_change(random, vocabulary, ids)).collect();
        batches.push(Batch { changes, merges: random.percent(25) });
    }
    batches
}

fn random_change(random: &mut Random, vocabulary: &[String], ids: usize) -> Change {
    let id = random.between(1, ids) as u64;
    if random.percent(15) {
        Change::Delete(id)
    } else {
        Change::Upsert(random_document(random, vocabulary, id))
    }
}
