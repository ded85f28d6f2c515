//! Finds the document that made a task fail. Documents are checked before they are sent, so this is
//! for errors that only the server can detect.

use document::PrimaryKey;

use super::check::for_each_document;
use super::checkpoint::SentBatch;
use super::input::Input;

/// Returns the line of the document whose id the message names, or else of the first one without a
/// valid id.
pub(crate) fn locate(
    input: &Input,
    batch: &SentBatch,
    key: &PrimaryKey,
    message: &str,
) -> Option<u64> {
    if !input.is_reopenable() {
        return None;
    }
    let named = named_id(message);
    let mut cutter = input.cutter(batch.from).ok()?;
    let mut text = Vec::new();
    while cutter.point().offset < batch.to.offset {
        text.clear();
        let cut = cutter.next(&mut text).ok()??;
        let mut is_found = false;
        let read = for_each_document(&*cutter, &text, |document| {
            is_found |= match (key.id_of(document), named) {
                (Ok(id), Some(named)) => id == named,
                (Err(_), None) => true,
                _ => false,
            };
            Ok(())
        });
        if is_found && read.is_ok() {
            return Some(cut.line);
        }
    }
    None
}

/// ``… in the document with the id: `"9"` …``, ``… with id: `9` …``
fn named_id(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("id: `")?;
    let (id, _) = rest.split_once('`')?;
    let bare = id.strip_prefix('"').and_then(|id| id.strip_suffix('"'));
    Some(bare.unwrap_or(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::batch::Lines;
    use crate::import::input::FileFormat;
    use crate::import::source::FilePosition;

    #[test]
    fn a_document_is_found_by_its_id_or_by_having_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        std::fs::write(&path, "[{\"id\":1},\n{\"id\":\"9\"},\n{\"id\":\"a b\"}]").unwrap();
        let input = Input::file(&path, FileFormat::Json).unwrap();
        let mut cutter = input.cutter(FilePosition::START).unwrap();
        let mut points = vec![FilePosition::START];
        while cutter.next(&mut Vec::new()).unwrap().is_some() {
            points.push(cutter.point());
        }
        let batch = |from: usize, to: usize| SentBatch {
            task: 0,
            from: points[from],
            to: points[to],
            lines: Lines { first: 1, last: 3 },
            documents: 1,
        };
        let key = PrimaryKey::new("id");
        let geo = "The `_geo` field in the document with the id: `\"9\"` is not an object.";
        assert_eq!(locate(&input, &batch(0, 3), &key, geo), Some(2));
        assert_eq!(locate(&input, &batch(1, 2), &key, geo), Some(2));
        assert_eq!(locate(&input, &batch(2, 3), &key, geo), None);
        assert_eq!(locate(&input, &batch(0, 3), &key, "Document identifier is invalid"), Some(3));
        assert_eq!(locate(&input, &batch(0, 2), &key, "anything else"), None);
    }
}
