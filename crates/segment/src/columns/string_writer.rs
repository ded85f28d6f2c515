//! Writes the strings of a column, in byte order: the dictionary, their spellings in documents, and
//! their forms without accents if these differ.

use super::spelling::Spelling;
use crate::documents::sorted_by_text;
use crate::encoding::offsets::OffsetsBuilder;
use crate::encoding::postings;
use crate::encoding::tree::TreeWriter;
use crate::error::{Result, SegmentError};

/// Converts the normal form of a string to its form without accents. Called once for each string of
/// a column that is not plain ASCII, which has no accents.
pub type Fold<'f> = &'f (dyn Fn(&str, &mut String) + Sync);

pub struct StringWriter<'f> {
    fold: Fold<'f>,
    dictionary: TreeWriter,
    spellings: Vec<u8>,
    spelling_offsets: OffsetsBuilder,
    folded: FoldedForms,
    form: String,
}

/// Forms without accents, in the order of their strings.
#[derive(Default)]
struct FoldedForms {
    text: Vec<u8>,
    /// End of each form, and the position of its string.
    forms: Vec<(usize, u32)>,
}

/// String parts of a column. Unused ones are empty.
#[derive(Default)]
pub struct WrittenStrings {
    pub count: u32,
    pub dictionary: Vec<u8>,
    pub spellings: Vec<u8>,
    pub spelling_offsets: Vec<u8>,
    pub folded: Vec<u8>,
    pub groups: Vec<u8>,
    pub group_offsets: Vec<u8>,
}

impl<'f> StringWriter<'f> {
    pub fn new(fold: Fold<'f>) -> Self {
        Self {
            fold,
            dictionary: TreeWriter::default(),
            spellings: Vec::new(),
            spelling_offsets: OffsetsBuilder::default(),
            folded: FoldedForms::default(),
            form: String::new(),
        }
    }

    /// Adds a string and returns its position.
    pub fn add(&mut self, normal: &[u8], spelling: Spelling<&[u8]>) -> Result<u32> {
        let place = u32::try_from(self.dictionary.len())
            .map_err(|_| SegmentError::Inconsistent("there are too many values".to_owned()))?;
        self.dictionary.add(normal)?;
        self.spelling_offsets.push(self.spellings.len() as u64);
        self.spellings.extend_from_slice(spelling.to_bytes());
        if !normal.is_ascii()
            && let Ok(text) = str::from_utf8(normal)
        {
            self.form.clear();
            (self.fold)(text, &mut self.form);
            if self.form != text {
                self.folded.text.extend_from_slice(self.form.as_bytes());
                self.folded.forms.push((self.folded.text.len(), place));
            }
        }
        Ok(place)
    }

    pub fn finish(mut self) -> Result<WrittenStrings> {
        let count = self.dictionary.len() as u32;
        if count == 0 {
            return Ok(WrittenStrings::default());
        }
        let mut written = WrittenStrings { count, ..WrittenStrings::default() };
        if !self.spellings.is_empty() {
            self.spelling_offsets.push(self.spellings.len() as u64);
            written.spelling_offsets = self.spelling_offsets.to_bytes();
            written.spellings = self.spellings;
        }
        self.folded.write(&mut written)?;
        written.dictionary = self.dictionary.finish();
        Ok(written)
    }
}

impl FoldedForms {
    fn write(&self, written: &mut WrittenStrings) -> Result<()> {
        if self.forms.is_empty() {
            return Ok(());
        }
        let form = |number: u32| {
            let number = number as usize;
            let start = number.checked_sub(1).map_or(0, |before| self.forms[before].0);
            &self.text[start..self.forms[number].0]
        };
        let mut order = sorted_by_text(0..self.forms.len() as u32, form);
        let mut dictionary = TreeWriter::default();
        let mut offsets = OffsetsBuilder::default();
        let mut places = Vec::new();
        for group in order.chunk_by_mut(|&left, &right| form(left) == form(right)) {
            // By position, in which they came.
            group.sort_unstable();
            dictionary.add(form(group[0]))?;
            offsets.push(written.groups.len() as u64);
            places.clear();
            places.extend(group.iter().map(|&number| self.forms[number as usize].1));
            postings::write_sorted(&mut written.groups, &mut places);
        }
        offsets.push(written.groups.len() as u64);
        written.group_offsets = offsets.to_bytes();
        written.folded = dictionary.finish();
        Ok(())
    }
}
