//! Files of version 1 have no occurrences. Before a merge they are reindexed in memory.

use model::{Cancel, CancelCheck};
use roaring::RoaringBitmap;

use crate::directory::MemoryDirectory;
use crate::error::Result;
use crate::text::buffer::TextBuffer;
use crate::text::finish::finish;
use crate::text::format::{FIRST_WORD, GAP, SKIP};
use crate::text::reader::TextReader;

/// Tokens that are indexed at a time.
const MOST_TOKENS: usize = if cfg!(test) { 200 } else { 8 << 20 };

/// Converts the live documents of a file to files of the newest version.
pub fn indexed_anew(
    reader: &TextReader,
    live: &RoaringBitmap,
    cancel: &mut CancelCheck<'_>,
) -> Result<Vec<TextReader>> {
    let words: Vec<String> = (0..reader.word_count())
        .map(|ordinal| reader.word(ordinal).and_then(|word| String::from_utf8(word).ok()))
        .collect::<Option<_>>()
        .ok_or_else(|| reader.frame.damaged("the dictionary holds an impossible word"))?;
    let mut parts = Vec::new();
    let (mut buffer, mut held) = (TextBuffer::new(), 0);
    let mut cursor = reader.tokens();
    for doc_id in live {
        cancel.step()?;
        let Some(document) = cursor.seek(doc_id)? else {
            continue;
        };
        if held > 0 && held + document.token_count() > MOST_TOKENS {
            parts.push(finished(std::mem::take(&mut buffer), reader.name())?);
            held = 0;
        }
        held += document.token_count();
        buffer.document(doc_id);
        for field in document.fields() {
            let name = reader.fields().get(usize::from(field.field())).ok_or_else(|| {
                let what = format!("document {doc_id} has an attribute without a name");
                reader.frame.damaged(what)
            })?;
            let Some(of_buffer) = buffer.field(name) else {
                continue;
            };
            buffer.leaf(of_buffer);
            for token in field.iter() {
                match token {
                    GAP => buffer.gap(),
                    SKIP => buffer.skip(),
                    token => match words.get((token - FIRST_WORD) as usize) {
                        Some(word) => buffer.word(word),
                        None => {
                            let what = format!("document {doc_id} has words that do not have it");
                            return Err(reader.frame.damaged(what));
                        }
                    },
                }
            }
        }
    }
    parts.push(finished(buffer, reader.name())?);
    Ok(parts)
}

fn finished(buffer: TextBuffer, name: &str) -> Result<TextReader> {
    let directory = MemoryDirectory::new();
    finish(vec![buffer], &directory, name, &Cancel::default())?;
    TextReader::open(&directory, name)
}
