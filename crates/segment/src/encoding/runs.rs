//! Ranks of documents among those of a file. DocIds are mostly consecutive, so a few runs answer
//! that faster than a general set would.

use roaring::RoaringBitmap;

use crate::DocId;

#[derive(Debug, Clone, Default)]
pub struct Runs {
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    first: DocId,
    last: DocId,
    /// Number of documents before the run.
    before: u32,
}

impl Runs {
    pub fn new(doc_ids: &RoaringBitmap) -> Self {
        let mut runs = Vec::new();
        let mut before = 0;
        let mut rest = doc_ids.iter();
        while let Some(range) = rest.next_range() {
            let (first, last) = range.into_inner();
            // Set containers may split a run.
            match runs.last_mut() {
                Some(Run { last: end, .. }) if end.checked_add(1) == Some(first) => *end = last,
                _ => runs.push(Run { first, last, before }),
            }
            // Wraps only for a set that holds every number.
            before = before.wrapping_add(last - first).wrapping_add(1);
        }
        Self { runs }
    }

    /// Returns the rank of a document. `near` caches the run of the last result, which makes
    /// ascending lookups nearly free.
    #[inline]
    pub fn place(&self, doc_id: DocId, near: &mut usize) -> Option<usize> {
        let run = match self.runs.get(*near) {
            Some(run) if run.first <= doc_id && doc_id <= run.last => run,
            _ => self.find(doc_id, near)?,
        };
        Some(run.before as usize + (doc_id - run.first) as usize)
    }

    /// Returns the document of a rank. `near` is used as in [`Self::place`].
    #[inline]
    pub fn doc_id(&self, place: usize, near: &mut usize) -> Option<DocId> {
        let starts_before = |run: &Run| run.before as usize <= place;
        let is_here = |number: usize| {
            let run = self.runs.get(number)?;
            let within = place.checked_sub(run.before as usize)?;
            (within <= (run.last - run.first) as usize).then(|| run.first + within as u32)
        };
        if let Some(doc_id) = is_here(*near) {
            return Some(doc_id);
        }
        *near = self.runs.partition_point(starts_before).checked_sub(1)?;
        is_here(*near)
    }

    fn find(&self, doc_id: DocId, near: &mut usize) -> Option<&Run> {
        let behind = |run: &Run| run.first <= doc_id;
        let mut start = 0;
        let mut end = self.runs.len();
        if self.runs.get(*near).is_some_and(behind) {
            // Often it is one of the next.
            start = *near;
            let mut step = 1;
            while start + step < end {
                if !behind(&self.runs[start + step]) {
                    end = start + step;
                    break;
                }
                start += step;
                step *= 2;
            }
        }
        let place = start + self.runs[start..end].partition_point(behind);
        *near = place.checked_sub(1)?;
        let run = &self.runs[*near];
        (doc_id <= run.last).then_some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_ranks_in_any_order() {
        let doc_ids: RoaringBitmap =
            (5..200).chain((300..400).step_by(3)).chain(65_000..66_000).chain([u32::MAX]).collect();
        let runs = Runs::new(&doc_ids);
        let all: Vec<DocId> = doc_ids.iter().collect();
        let mut near = 0;
        for (place, &doc_id) in all.iter().enumerate() {
            assert_eq!(runs.place(doc_id, &mut near), Some(place));
            assert_eq!(runs.doc_id(place, &mut near), Some(doc_id));
        }
        assert_eq!(runs.doc_id(all.len(), &mut near), None);
        for (place, &doc_id) in all.iter().enumerate().rev().step_by(7) {
            assert_eq!(runs.place(doc_id, &mut near), Some(place));
            assert_eq!(runs.doc_id(place, &mut near), Some(doc_id));
            assert_eq!(runs.place(299, &mut near), None);
        }
        for doc_id in [0, 4, 200, 299, 301, 64_999, 66_000, u32::MAX - 1] {
            assert_eq!(runs.place(doc_id, &mut near), None, "{doc_id}");
        }
        assert_eq!(Runs::default().place(0, &mut 0), None);
    }
}
