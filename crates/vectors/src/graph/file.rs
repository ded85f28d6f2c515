//! Graph file: rows of links, read in place.

use segment::{Directory, FileBytes, Frame, Pages, Problem};

use super::format::{self, LAYERS, Meta};
use crate::error::Result;

#[derive(Debug)]
pub struct GraphFile {
    frame: Frame,
    meta: Meta,
    links: Pages,
    upper: Pages,
    /// Offset of each layer in its section.
    starts: [usize; LAYERS],
}

impl GraphFile {
    pub fn open(directory: &dyn Directory, name: &str) -> Result<Self> {
        Self::from_bytes(name, directory.open(name)?)
    }

    pub fn from_bytes(name: &str, bytes: FileBytes) -> Result<Self> {
        let frame = Frame::open(name, bytes, format::KIND, format::VERSION)?;
        let meta = frame.parse(format::META, "the description", Meta::parse)?;
        let mut starts = [0; LAYERS];
        let mut end = 0;
        for (layer, start) in starts.iter_mut().enumerate().skip(1) {
            *start = end;
            end += meta.rows[layer] as usize * row_length(layer);
        }
        let links = Pages::open(&frame, format::LINKS, format::LINK_PAGES)?;
        let upper = Pages::open(&frame, format::UPPER, format::UPPER_PAGES)?;
        if links.len() != meta.rows[0] as usize * row_length(0) || upper.len() != end {
            return Err(frame.damaged("its sections contradict each other").into());
        }
        Ok(Self { frame, meta, links, upper, starts })
    }

    pub fn name(&self) -> &str {
        self.frame.name()
    }

    pub fn length(&self) -> u64 {
        self.frame.length()
    }

    pub fn rows(&self, layer: usize) -> u32 {
        self.meta.rows[layer]
    }

    /// Returns the number of nodes that were alive when the file was written.
    pub fn living(&self) -> u32 {
        self.meta.living
    }

    /// Returns the words of a row.
    #[inline]
    pub fn row(&self, layer: usize, index: u32) -> Result<&[[u8; 4]]> {
        let length = row_length(layer);
        let start = self.starts[layer] + index as usize * length;
        let pages = if layer == 0 { &self.links } else { &self.upper };
        Ok(pages.get(start..start + length, &self.frame)?.as_chunks().0)
    }

    /// Reads and checks the whole file.
    pub fn preload(&self) -> Result<()> {
        self.links.get(0..self.links.len(), &self.frame)?;
        self.upper.get(0..self.upper.len(), &self.frame)?;
        Ok(())
    }

    /// Reads everything and lists problems: checksums, and links that lead nowhere.
    pub fn verify(&self) -> Vec<Problem> {
        let mut problems = self.frame.verify();
        for layer in 0..LAYERS {
            for index in 0..self.rows(layer) {
                if !self.row(layer, index).is_ok_and(|row| self.is_sound(layer, row)) {
                    let what = format!("row {index} of layer {layer} is malformed");
                    problems.push(Problem::new(self.name(), what));
                }
            }
        }
        problems
    }

    fn is_sound(&self, layer: usize, row: &[[u8; 4]]) -> bool {
        let number = |word: &[u8; 4]| u32::from_le_bytes(*word);
        let (header, links) = row.split_at(format::header(layer));
        let bounds = [self.rows(0), self.rows(layer.saturating_sub(1))];
        header.iter().zip(bounds).all(|(word, rows)| (1..=rows).contains(&number(word)))
            && links.iter().all(|word| number(word) <= self.rows(layer))
    }
}

/// Returns the length of a row in bytes.
pub fn row_length(layer: usize) -> usize {
    4 * (format::header(layer) + format::width(layer))
}
