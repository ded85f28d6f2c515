//! Merges lists of hits. Each list keeps its own order, which is that of its query; the best of the
//! next hits of all lists goes first.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::vec::IntoIter;

use crate::distinct::DistinctValue;
use crate::pins::{self, Pin};
use crate::sort_key::{self, SortKey};

/// A hit with the data that merging needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<H> {
    pub parts: Vec<SortKey>,
    /// The weighted global score.
    pub score: f64,
    /// The position of its query. Among equal hits, that of the first query wins.
    pub query: usize,
    /// The internal number of the document, which orders equal hits of one query. It is comparable
    /// only between hits of the same query, and unique only within one index.
    pub number: u64,
    /// A fixed position; pinned hits are not compared.
    pub pin: Option<Pin>,
    /// The values that no other hit may share; empty if every hit is kept.
    pub distinct: Vec<DistinctValue>,
    /// The payload.
    pub hit: H,
}

impl<H> Candidate<H> {
    /// Returns whether it ranks before another candidate.
    fn is_before(&self, other: &Self) -> bool {
        let by_score =
            sort_key::compare((&self.parts, self.score), (&other.parts, other.score)).reverse();
        let order =
            by_score.then(self.query.cmp(&other.query)).then(self.number.cmp(&other.number));
        order == Ordering::Less
    }
}

#[derive(Debug)]
pub struct MergedHits<H> {
    /// The hits in their final order from the first on, at most as many as requested.
    pub hits: Vec<Candidate<H>>,
    /// The values of these hits, which no other hit may have.
    pub seen: HashSet<DistinctValue>,
    /// The lists that ended before there were enough hits. If a list was truncated, hits may be
    /// missing.
    pub spent: Vec<usize>,
}

/// Merges the results of the queries of one index: a document counts once, by its best query.
pub fn merge_queries<H>(lists: Vec<Vec<Candidate<H>>>, most: usize) -> MergedHits<H> {
    let (numbers, seen) = (Some(HashSet::new()), HashSet::new());
    Merge { numbers, seen, admits: &mut |_| true }.run(lists, most)
}

/// Merges the results of several indexes and instances.
pub fn merge_answers<H>(lists: Vec<Vec<Candidate<H>>>, most: usize) -> MergedHits<H> {
    merge_admitted(lists, most, &mut |_| true)
}

/// Like [`merge_answers`], but `admits` can reject hits that would be kept; it is called in their
/// order.
pub fn merge_admitted<H>(
    lists: Vec<Vec<Candidate<H>>>,
    most: usize,
    admits: &mut dyn FnMut(&H) -> bool,
) -> MergedHits<H> {
    Merge { numbers: None, seen: HashSet::new(), admits }.run(lists, most)
}

struct Merge<'a, H> {
    /// The documents seen so far, if several lists may contain the same ones.
    numbers: Option<HashSet<u64>>,
    seen: HashSet<DistinctValue>,
    admits: &'a mut dyn FnMut(&H) -> bool,
}

impl<H> Merge<'_, H> {
    fn run(mut self, mut lists: Vec<Vec<Candidate<H>>>, most: usize) -> MergedHits<H> {
        let pinned = self.pinned(&mut lists);
        let pins: Vec<Pin> = pinned.iter().filter_map(|candidate| candidate.pin).collect();
        let wanted = pins::ranked_window(&pins, 0..most).len();
        let (ranked, spent) = self.ranked(lists, wanted);
        let pinned = pins.iter().map(|pin| pin.position).zip(pinned).collect();
        let hits = pins::place(pins::RankedSlice::from_first(ranked), pinned, 0..most);
        MergedHits { hits, seen: self.seen, spent }
    }

    /// Takes the pins out of the lists. A document that is pinned twice keeps its first position.
    fn pinned(&mut self, lists: &mut [Vec<Candidate<H>>]) -> Vec<Candidate<H>> {
        let mut pinned: Vec<Candidate<H>> = Vec::new();
        for list in lists {
            pinned.extend(list.extract_if(.., |candidate| candidate.pin.is_some()));
        }
        pinned.sort_by_key(|candidate| {
            let place = candidate.pin.map(|pin| (pin.position, pin.precedence));
            (place, candidate.query, candidate.number)
        });
        pinned.retain(|candidate| self.keep(candidate));
        pinned
    }

    fn ranked(
        &mut self,
        lists: Vec<Vec<Candidate<H>>>,
        wanted: usize,
    ) -> (Vec<Candidate<H>>, Vec<usize>) {
        let mut heads: Vec<Head<H>> = lists.into_iter().map(Head::new).collect();
        let mut ranked = Vec::new();
        let mut spent: Vec<usize> =
            (0..heads.len()).filter(|&at| heads[at].next.is_none()).collect();
        while ranked.len() < wanted {
            let Some((best, candidate)) = take_best(&mut heads) else { break };
            if self.keep(&candidate) {
                ranked.push(candidate);
            }
            if heads[best].next.is_none() && ranked.len() < wanted {
                spent.push(best);
            }
        }
        if wanted == 0 {
            spent.clear();
        }
        (ranked, spent)
    }

    /// Returns whether no kept hit excludes the candidate.
    fn keep(&mut self, candidate: &Candidate<H>) -> bool {
        if let Some(numbers) = &mut self.numbers
            && !numbers.insert(candidate.number)
        {
            return false;
        }
        if candidate.distinct.iter().any(|value| self.seen.contains(value)) {
            return false;
        }
        if !(self.admits)(&candidate.hit) {
            return false;
        }
        self.seen.extend(candidate.distinct.iter().cloned());
        true
    }
}

/// A list whose next hit was taken out for comparison.
struct Head<H> {
    next: Option<Candidate<H>>,
    rest: IntoIter<Candidate<H>>,
}

impl<H> Head<H> {
    fn new(list: Vec<Candidate<H>>) -> Self {
        let mut rest = list.into_iter();
        Self { next: rest.next(), rest }
    }
}

fn take_best<H>(heads: &mut [Head<H>]) -> Option<(usize, Candidate<H>)> {
    let mut best: Option<(usize, &Candidate<H>)> = None;
    for (number, head) in heads.iter().enumerate() {
        if let Some(next) = &head.next
            && best.is_none_or(|(_, best)| next.is_before(best))
        {
            best = Some((number, next));
        }
    }
    let (number, _) = best?;
    let head = &mut heads[number];
    let next = head.rest.next();
    Some((number, std::mem::replace(&mut head.next, next)?))
}

#[cfg(test)]
mod tests;
