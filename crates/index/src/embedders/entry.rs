//! Manifest entry of an embedder: a small head, and document sets in a section of their own.

use roaring::RoaringBitmap;
use segment::Frame;
use serde::{Deserialize, Serialize};
use vectors::StoreEntry;

use super::{Embedders, Origins};
use crate::section;

/// An embedder as read from a manifest, before its files are opened.
#[derive(Debug)]
pub(crate) struct EmbedderEntry {
    pub name: String,
    pub number: u64,
    pub store: StoreEntry,
    pub origins: Origins,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmbedderHead {
    name: String,
    number: u64,
    store: StoreEntry,
    /// Lengths of its sets in the section.
    given_bytes: u64,
    fixed_bytes: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fragments: Vec<FragmentHead>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FragmentHead {
    name: String,
    bytes: u64,
}

/// Returns the heads of all embedders, and the bytes of the section.
pub(crate) fn heads(embedders: &Embedders) -> (Vec<EmbedderHead>, Vec<u8>) {
    let mut section = Vec::new();
    let mut heads = Vec::with_capacity(embedders.len());
    for (name, embedder) in embedders {
        let Origins { given, fixed, fragments } = &*embedder.origins;
        heads.push(EmbedderHead {
            name: name.clone(),
            number: embedder.number,
            store: embedder.store.entry().clone(),
            given_bytes: append(given, &mut section),
            fixed_bytes: append(fixed, &mut section),
            fragments: fragments
                .iter()
                .map(|(name, documents)| FragmentHead {
                    name: name.clone(),
                    bytes: append(documents, &mut section),
                })
                .collect(),
        });
    }
    (heads, section)
}

fn append(set: &RoaringBitmap, section: &mut Vec<u8>) -> u64 {
    if set.is_empty() {
        return 0;
    }
    let mut set = set.clone();
    set.optimize();
    let bytes = section::bitmap_to_bytes(&set);
    section.extend_from_slice(&bytes);
    bytes.len() as u64
}

pub(crate) fn entries(
    frame: &Frame,
    heads: Vec<EmbedderHead>,
    section: &[u8],
) -> segment::Result<Vec<EmbedderEntry>> {
    let mut rest = section;
    let mut entries = Vec::with_capacity(heads.len());
    for head in heads {
        let mut take = |bytes: u64| take_set(frame, &mut rest, bytes);
        let (given, fixed) = (take(head.given_bytes)?, take(head.fixed_bytes)?);
        let fragments = head.fragments.into_iter().map(|fragment| {
            let documents = take(fragment.bytes)?;
            Ok((fragment.name, documents))
        });
        let fragments = fragments.collect::<segment::Result<_>>()?;
        entries.push(EmbedderEntry {
            name: head.name,
            number: head.number,
            store: head.store,
            origins: Origins { given, fixed, fragments },
        });
    }
    Ok(entries)
}

fn take_set(frame: &Frame, rest: &mut &[u8], bytes: u64) -> segment::Result<RoaringBitmap> {
    let too_short = || frame.damaged("a set of documents with vectors is missing");
    let length = usize::try_from(bytes).map_err(|_| too_short())?;
    let (set, after) = rest.split_at_checked(length).ok_or_else(too_short)?;
    *rest = after;
    match set {
        [] => Ok(RoaringBitmap::new()),
        set => section::bitmap_from_bytes(frame.name(), set),
    }
}
