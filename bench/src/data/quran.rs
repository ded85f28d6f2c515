//! quran: one text of 6,236 verses in English. Short, with much of its wording repeated, so that
//! finding one verse depends on weighing rare words against common ones.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{Ndjson, pack};

pub const DOCS: usize = 6_236;

#[derive(Deserialize)]
struct Chapter {
    id: u32,
    verses: Vec<SourceVerse>,
}

#[derive(Deserialize)]
struct SourceVerse {
    id: u32,
    translation: String,
}

#[derive(Serialize, Deserialize)]
pub struct Verse {
    pub id: usize,
    pub chapter: u32,
    pub verse: u32,
    pub text: String,
}

pub fn convert(packs: &Path, out: &mut Ndjson) -> Result<usize> {
    let chapters = pack::read_member(packs, "quran-json", "3.1.2", "dist/quran_en.json")?;
    let chapters: Vec<Chapter> = serde_json::from_slice(&chapters)?;
    let mut id = 0;
    for chapter in chapters {
        for verse in chapter.verses {
            id += 1;
            let (text, verse) = (verse.translation, verse.id);
            out.push(&Verse { id, chapter: chapter.id, verse, text })?;
        }
    }
    Ok(DOCS)
}
