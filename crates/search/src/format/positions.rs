//! The positions of the matches of a hit: `_matchesPosition`.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::matcher::Match;

/// Matches by attribute. A hit can have tens of thousands of them, so they are serialized from here
/// without a JSON value for each.
#[derive(Debug, Default, Serialize)]
pub struct Positions(BTreeMap<String, Matches>);

/// The matches of one value of an attribute.
#[derive(Debug)]
struct Matches {
    /// First byte and length of each match.
    places: Vec<(usize, usize)>,
    /// Indices in the arrays around the value, outermost first.
    indices: Vec<usize>,
}

#[derive(Serialize)]
struct Entry<'a> {
    start: usize,
    length: usize,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    indices: &'a [usize],
}

impl Positions {
    /// Records the matches of one value. Of several values of an attribute (in an array) the last
    /// one with matches is reported, as in the reference.
    pub fn note(&mut self, attribute: &str, indices: &[usize], matches: &[Match]) {
        if matches.is_empty() {
            return;
        }
        let places = matches.iter().map(|found| (found.bytes.start, found.bytes.len())).collect();
        let noted = Matches { places, indices: indices.to_vec() };
        self.0.insert(attribute.to_owned(), noted);
    }
}

impl Serialize for Matches {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let indices = self.indices.as_slice();
        serializer.collect_seq(self.places.iter().map(|&(start, length)| Entry {
            start,
            length,
            indices,
        }))
    }
}
