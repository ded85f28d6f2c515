//! hannoy: a graph of the same kind in LMDB, the same number of links. Run as a child process.

use std::path::Path;

use ::hannoy::distances::Cosine;
use ::hannoy::{Database, Reader, Writer};
use anyhow::{Result, bail};
use heed::{CommitOrAbort, EnvOpenOptions};
use rand::SeedableRng;
use rand::rngs::StdRng;
use roaring::RoaringBitmap;

use super::{PeerSearch, PeerVectors, VECTOR_WIDTHS};
use crate::data::vectors::Matrix;
use crate::measure;
use crate::vectors::{Filter, NEAREST};

const MOST_BYTES: usize = 8 << 30;

/// Where all questions take longer than this, no wider view is tried: under a filter each step up
/// can take minutes.
const LONGEST_ROUND_CPU_S: f64 = 10.0;
/// So many questions before those that count bring into memory what all of them need.
const QUESTIONS_BEFORE: usize = 100;

/// The child's side of [`super::vectors_with_hannoy`].
pub fn run(arguments: &[String]) -> Result<()> {
    let [stored, queries, folder] = arguments else { bail!("the peer takes three arguments") };
    let (stored, queries) = (Matrix::read(Path::new(stored))?, Matrix::read(Path::new(queries))?);
    let pid = std::process::id();
    let cpu = || measure::cpu_s(pid);
    let folder = Path::new(folder);
    let mut options = EnvOpenOptions::new();
    #[expect(unsafe_code, reason = "LMDB maps its file, which nobody else touches here")]
    // SAFETY: the folder is new and this process is the only one that uses it.
    let environment = unsafe { options.map_size(MOST_BYTES).open(folder) }?;

    let before = cpu()?;
    let created = environment.create_databases_and_commit(
        environment.write_txn()?,
        |opener, write| -> heed::Result<_> {
            opener.create_database(write, None).map(CommitOrAbort::<_, ()>::Commit)
        },
    );
    let database: Database<Cosine> = created?.unwrap_commit();
    let mut write = environment.write_txn()?;
    let writer = Writer::<Cosine>::new(database, 0, stored.dimensions);
    for (id, row) in (0..).zip(stored.rows()) {
        writer.add_item(&mut write, id, row)?;
    }
    let mut random = StdRng::seed_from_u64(1);
    writer.builder(&mut random).ef_construction(125).build::<16, 32>(&mut write)?;
    write.commit()?;
    let build_cpu_s = cpu()? - before;

    let read = environment.read_txn()?;
    let reader = Reader::<Cosine>::open(&read, 0, database)?;
    let mut searches = Vec::new();
    for filter in Filter::ALL {
        let passing: RoaringBitmap =
            (0..stored.len() as u32).filter(|id| filter.lets_through(*id)).collect();
        for width in VECTOR_WIDTHS {
            let ask = |query: &[f32]| -> Result<Vec<u32>> {
                let mut builder = reader.nns(NEAREST);
                builder.ef_search(width);
                if filter != Filter::None {
                    builder.candidates(&passing);
                }
                let found = builder.by_vector(&read, query)?.into_nns();
                Ok(found.into_iter().map(|(id, _)| id).collect())
            };
            queries.rows().take(QUESTIONS_BEFORE).try_for_each(|query| ask(query).map(drop))?;
            let before = cpu()?;
            let hits = queries.rows().map(ask).collect::<Result<Vec<_>>>()?;
            let round_cpu_s = cpu()? - before;
            let cpu_ms_each = round_cpu_s * 1e3 / queries.len() as f64;
            searches.push(PeerSearch { filter, width, cpu_ms_each, hits });
            if round_cpu_s > LONGEST_ROUND_CPU_S {
                break;
            }
        }
    }
    let disk_bytes = measure::disk_bytes(folder)?;
    let answer = PeerVectors { build_cpu_s, disk_bytes, searches };
    println!("{}", serde_json::to_string(&answer)?);
    Ok(())
}
