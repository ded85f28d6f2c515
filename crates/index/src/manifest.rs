//! The manifest: the one small file that describes the current state of the index. This file has
//! both its writer and its reader, and FORMAT.md describes the bytes.
//!
//! The head is JSON, since it is small, rarely read and written, and legible to people; everything
//! that may be large or is not text has a section of its own.

use std::borrow::Cow;

use model::timestamp::rfc3339;
use roaring::RoaringBitmap;
use segment::{Directory, FileBytes, Frame, FrameWriter, SegmentError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::embedders::{self, EmbedderEntry, EmbedderHead};
use crate::file_name::FileName;
use crate::index_meta::IndexMeta;
use crate::section::{self, DELETED, EMBEDDERS, HEAD, RECEIPT, SETTINGS, VERSION};
use crate::segments::{Segment, SegmentEntry};

/// A manifest as read from disk, before any of the files that it names is opened.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub generation: u64,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    pub primary_key: Option<String>,
    pub leads_with_key: bool,
    /// Numbers below it have been used by segments, committed or not.
    pub next_segment: u64,
    pub segments: Vec<SegmentEntry>,
    pub fields_file: Option<u64>,
    pub fields: Vec<Box<str>>,
    pub settings_file: Option<u64>,
    pub settings: Value,
    pub embedders: Vec<EmbedderEntry>,
    pub next_doc_id: Option<u64>,
    pub receipt: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    generation: u64,
    created_at: Cow<'a, str>,
    updated_at: Cow<'a, str>,
    primary_key: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    leads_with_key: bool,
    next_segment: u64,
    segments: Vec<SegmentHead>,
    fields_file: Option<u64>,
    fields: Vec<Cow<'a, str>>,
    settings_file: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    embedders: Vec<EmbedderHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_doc_id: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SegmentHead {
    number: u64,
    documents: u64,
    text: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    geo: Option<u64>,
    deleted_file: Option<u64>,
    /// Length of its part of the section of deleted ids.
    deleted_bytes: u64,
}

/// Writes and syncs a manifest; returns its length.
pub(crate) fn write(
    directory: &dyn Directory,
    name: &str,
    generation: u64,
    next_segment: u64,
    meta: &IndexMeta,
    segments: &[Segment],
) -> segment::Result<u64> {
    let mut deleted = Vec::new();
    let mut segment_heads = Vec::with_capacity(segments.len());
    for segment in segments {
        let start = deleted.len();
        let recent = segment.deleted_set().recent();
        if !recent.is_empty() {
            deleted.extend_from_slice(&section::bitmap_to_bytes(&recent));
        }
        segment_heads.push(SegmentHead {
            number: segment.number(),
            documents: segment.documents_generation(),
            text: segment.text_generation(),
            columns: segment.columns_generations(),
            geo: segment.geo_generation(),
            deleted_file: segment.deleted_set().generation(),
            deleted_bytes: (deleted.len() - start) as u64,
        });
    }
    let (embedder_heads, vector_origins) = embedders::heads(&meta.embedders);
    let head = Head {
        generation,
        created_at: rfc3339(meta.created_at).into(),
        updated_at: rfc3339(meta.updated_at).into(),
        primary_key: meta.primary_key.as_deref().map(Cow::Borrowed),
        leads_with_key: meta.leads_with_key,
        next_segment,
        segments: segment_heads,
        fields_file: meta.fields.generation(),
        fields: meta.fields.recent().iter().map(|name| Cow::Borrowed(&**name)).collect(),
        settings_file: meta.settings.generation(),
        embedders: embedder_heads,
        next_doc_id: meta.next_doc_id,
    };

    let mut frame = FrameWriter::create(directory, name, section::MANIFEST, VERSION)?;
    let head = serde_json::to_vec(&head).map_err(|error| frame.error(error.into()))?;
    frame.section(HEAD, &head)?;
    frame.section(DELETED, &deleted)?;
    if meta.settings.generation().is_none() {
        frame.section(SETTINGS, meta.settings.value().to_string().as_bytes())?;
    }
    if !meta.embedders.is_empty() {
        frame.section(EMBEDDERS, &vector_origins)?;
    }
    frame.section(RECEIPT, &meta.receipt)?;
    frame.finish()
}

/// Reads the manifest of a generation; also returns its length.
pub(crate) fn read(directory: &dyn Directory, generation: u64) -> segment::Result<(Manifest, u64)> {
    let name = FileName::Manifest(generation).to_string();
    let manifest = parse(&name, directory.open(&name)?)?;
    let (manifest, length) = manifest;
    if manifest.generation != generation {
        let what = format!("it says that it is generation {}", manifest.generation);
        return Err(SegmentError::damaged(&name, what));
    }
    Ok((manifest, length))
}

/// Reads a manifest under any name.
pub(crate) fn parse(name: &str, bytes: FileBytes) -> segment::Result<(Manifest, u64)> {
    let frame = Frame::open(name, bytes, section::MANIFEST, VERSION)?;
    let head = frame.section(HEAD)?;
    let head: Head<'_> =
        serde_json::from_slice(&head).map_err(|error| frame.damaged(format!("head: {error}")))?;

    let settings = match head.settings_file {
        Some(_) => Value::Null,
        None => serde_json::from_slice(&frame.section(SETTINGS)?)
            .map_err(|error| frame.damaged(format!("settings: {error}")))?,
    };
    let embedders = match head.embedders {
        heads if heads.is_empty() => Vec::new(),
        heads => embedders::entries(&frame, heads, &frame.section(EMBEDDERS)?)?,
    };
    let manifest = Manifest {
        generation: head.generation,
        created_at: parse_date(&frame, &head.created_at)?,
        updated_at: parse_date(&frame, &head.updated_at)?,
        primary_key: head.primary_key.map(Cow::into_owned),
        leads_with_key: head.leads_with_key,
        next_segment: head.next_segment,
        segments: parse_segments(&frame, head.segments)?,
        fields_file: head.fields_file,
        fields: head.fields.into_iter().map(|name| name.into_owned().into()).collect(),
        settings_file: head.settings_file,
        settings,
        embedders,
        next_doc_id: head.next_doc_id,
        receipt: frame.section(RECEIPT)?.to_vec(),
    };
    Ok((manifest, frame.length()))
}

fn parse_segments(frame: &Frame, heads: Vec<SegmentHead>) -> segment::Result<Vec<SegmentEntry>> {
    let all_deleted = frame.section(DELETED)?;
    let mut rest: &[u8] = &all_deleted;
    let mut segments = Vec::with_capacity(heads.len());
    for head in heads {
        let too_short = || frame.damaged("a set of deleted ids is missing");
        let length = usize::try_from(head.deleted_bytes).map_err(|_| too_short())?;
        let (bytes, after) = rest.split_at_checked(length).ok_or_else(too_short)?;
        rest = after;
        let deleted = match bytes {
            [] => RoaringBitmap::new(),
            bytes => section::bitmap_from_bytes(frame.name(), bytes)?,
        };
        segments.push(SegmentEntry {
            number: head.number,
            documents: head.documents,
            text: head.text,
            columns: head.columns,
            geo: head.geo,
            deleted_file: head.deleted_file,
            deleted,
        });
    }
    Ok(segments)
}

fn parse_date(frame: &Frame, text: &str) -> segment::Result<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).map_err(|error| frame.damaged(format!("date: {error}")))
}
