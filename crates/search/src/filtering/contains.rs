//! `CONTAINS`: there is no index of the insides of values, so every text of a column is scanned.
//! All substrings that a filter needs of one attribute are searched in one pass.

use aho_corasick::AhoCorasick;
use filter::{Condition, Operator};
use fst::Streamer;
use index::Snapshot;
use memchr::memmem::Finder;
use model::{Cancel, CancelCheck};
use roaring::RoaringBitmap;
use segment::columns::Column;

use super::evaluate::form;
use crate::error::SearchError;

/// The occurrences of substrings in the values of an attribute.
pub(super) struct Occurrences {
    /// Sorted, each once.
    parts: Vec<String>,
    /// Ordinals of the texts that contain a substring, by segment and substring.
    by_segment: Vec<Vec<RoaringBitmap>>,
    /// Number of texts scanned.
    #[cfg_attr(not(test), allow(dead_code))]
    pub texts: u64,
}

impl Occurrences {
    /// Searches for all substrings that the filter needs of this attribute.
    pub fn find(
        snapshot: &Snapshot,
        filter: &Condition,
        attribute: &str,
        cancel: &Cancel,
    ) -> Result<Self, SearchError> {
        let mut parts = Vec::new();
        collect_parts(filter, attribute, &mut parts);
        parts.sort_unstable();
        parts.dedup();
        let finder = PartFinder::new(&parts);
        let mut steps = CancelCheck::new(cancel);
        let (mut by_segment, mut texts) = (Vec::new(), 0);
        for segment in snapshot.segments() {
            let mut found = vec![RoaringBitmap::new(); parts.len()];
            if let Some(column) = segment.column(attribute)? {
                texts += scan(column, &finder, &mut steps, &mut found)?;
            }
            by_segment.push(found);
        }
        Ok(Self { parts, by_segment, texts })
    }

    /// Returns the ordinals of the texts of a segment that contain one of the parts.
    pub fn of_any(&self, segment: usize, parts: &[String]) -> Vec<u32> {
        let Some(found) = self.by_segment.get(segment) else { return Vec::new() };
        let place_of = |part: &String| self.parts.binary_search(part).ok();
        match parts {
            [part] => place_of(part).map_or_else(Vec::new, |place| found[place].iter().collect()),
            _ => {
                let mut all = RoaringBitmap::new();
                for place in parts.iter().filter_map(place_of) {
                    all |= &found[place];
                }
                all.iter().collect()
            }
        }
    }
}

fn collect_parts(condition: &Condition, of: &str, parts: &mut Vec<String>) {
    match condition {
        Condition::And(members) | Condition::Or(members) => {
            members.iter().for_each(|member| collect_parts(member, of, parts));
        }
        Condition::Not(inner) => collect_parts(inner, of, parts),
        Condition::Compare { attribute, operator: Operator::Contains { value, .. } }
            if attribute.value() == of =>
        {
            parts.push(form(value));
        }
        _ => {}
    }
}

/// A single part is found faster without an automaton.
enum PartFinder<'p> {
    One(Box<Finder<'p>>),
    Many(AhoCorasick),
    Each(Vec<Finder<'p>>),
}

impl<'p> PartFinder<'p> {
    fn new(parts: &'p [String]) -> Self {
        let finder = |part: &'p String| Finder::new(part.as_bytes());
        match parts {
            [part] => Self::One(Box::new(finder(part))),
            // Parts are short and bounded in number, so an automaton of them can be built.
            _ => match AhoCorasick::new(parts) {
                Ok(automaton) => Self::Many(automaton),
                Err(_) => Self::Each(parts.iter().map(finder).collect()),
            },
        }
    }
}

/// Adds the ordinals of the texts that contain each part, and returns the number of texts.
fn scan(
    column: &Column,
    finder: &PartFinder<'_>,
    steps: &mut CancelCheck<'_>,
    found: &mut [RoaringBitmap],
) -> Result<u64, SearchError> {
    let Some(dictionary) = column.dictionary() else { return Ok(0) };
    // The last text in which each part was found.
    let mut last = vec![0_u64; found.len()];
    let mut texts = dictionary.stream();
    let mut count = 0_u64;
    while let Some((text, place)) = texts.next() {
        count += 1;
        steps.step()?;
        let ordinal = column.number_count() + place.value() as u32;
        match finder {
            PartFinder::One(part) => {
                if part.find(text).is_some() {
                    found[0].insert(ordinal);
                }
            }
            PartFinder::Many(automaton) => {
                let mut missing = found.len();
                for occurrence in automaton.find_overlapping_iter(text) {
                    steps.step()?;
                    let part = occurrence.pattern().as_usize();
                    if last[part] == count {
                        continue;
                    }
                    last[part] = count;
                    found[part].insert(ordinal);
                    missing -= 1;
                    if missing == 0 {
                        break;
                    }
                }
            }
            PartFinder::Each(parts) => {
                for (part, found) in parts.iter().zip(found.iter_mut()) {
                    steps.step()?;
                    if part.find(text).is_some() {
                        found.insert(ordinal);
                    }
                }
            }
        }
    }
    Ok(count)
}
