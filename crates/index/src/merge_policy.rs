//! Chooses the segments to merge next. As soon as `fan_in` segments are alike, none being more than
//! `fan_in` times as large as another, they are merged into one. So a document is rewritten about
//! once for each power of `fan_in`, and the number of segments grows with the logarithm of the
//! index. A large segment with many deletions is rewritten alone, and so is one in an older format.
//!
//! Each segment makes a search slower. An index at rest is therefore merged further: no segment
//! stays beside smaller ones that together have a `fan_in`-th of its size. A write that is followed
//! by rest still costs a few times its own size at most.
//!
//! Sizes in, positions out: the policy knows no files, so that it can be tested as arithmetic.

#[derive(Debug, Clone, Copy)]
pub struct MergePolicy {
    /// Number of similar segments that are merged into one.
    pub fan_in: usize,
    /// Segments below this size are all alike, and cheap to merge.
    pub small_segment_bytes: u64,
    /// Segments are not merged into larger ones than this.
    pub largest_segment_bytes: u64,
    /// Share of deleted documents from which on a segment is rewritten alone.
    pub deleted_percent: u64,
}

impl Default for MergePolicy {
    fn default() -> Self {
        Self {
            fan_in: 8,
            small_segment_bytes: 4 << 10,
            largest_segment_bytes: 8 << 30,
            deleted_percent: 33,
        }
    }
}

/// Properties of a segment that the policy considers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub live_bytes: u64,
    pub documents: u64,
    pub deleted: u64,
    /// True if its files have an older format, which is slower to search.
    pub is_outdated: bool,
}

impl Candidate {
    fn deleted_percent(&self) -> u64 {
        self.deleted * 100 / self.documents.max(1)
    }
}

impl MergePolicy {
    /// Returns the positions of the segments to merge into one, or `None` if no merge is due.
    pub(crate) fn choose(&self, candidates: &[Candidate]) -> Option<Vec<usize>> {
        self.smallest_group(candidates)
            .or_else(|| self.most_deleted(candidates))
            .or_else(|| smallest_outdated(candidates))
    }

    /// Chooses more segments than [`MergePolicy::choose`], for an index without recent writes.
    pub(crate) fn choose_at_rest(&self, candidates: &[Candidate]) -> Option<Vec<usize>> {
        self.choose(candidates).or_else(|| self.largest_with_the_smaller(candidates))
    }

    /// Returns the smallest large enough group: small merges are quick and help the most.
    fn smallest_group(&self, candidates: &[Candidate]) -> Option<Vec<usize>> {
        let fan_in = self.fan_in();
        let order = by_size(candidates, self.largest_segment_bytes);
        let mut groups = (0..order.len()).map(|first| self.alike(candidates, &order[first..]));
        let mut members = groups.find(|group| group.len() >= fan_in)?.to_vec();
        let are_small = self.is_small(&candidates[members[0]]);
        // First the segments that free the most space, then the smallest.
        members.sort_by_key(|&position| {
            let candidate = &candidates[position];
            (std::cmp::Reverse(candidate.deleted_percent()), candidate.live_bytes)
        });
        let most = if are_small { fan_in * fan_in } else { fan_in };
        let mut bytes = 0;
        let chosen: Vec<usize> = members
            .into_iter()
            .take(most)
            .take_while(|&position| {
                bytes += candidates[position].live_bytes;
                bytes <= self.largest_segment_bytes
            })
            .collect();
        (chosen.len() >= 2).then_some(chosen)
    }

    /// Returns the first of some segments in order of size, and those similar to it. All are small
    /// enough for the result to be at least half of `fan_in` times as large as the largest.
    fn alike<'o>(&self, candidates: &[Candidate], order: &'o [usize]) -> &'o [usize] {
        let bytes = |position: usize| candidates[position].live_bytes;
        let size = |position: usize| bytes(position).max(self.small_segment_bytes);
        let Some(&first) = order.first() else { return order };
        let fan_in = self.fan_in() as u64;
        let limit = size(first).saturating_mul(fan_in);
        let mut group = &order[..order.partition_point(|&position| size(position) < limit)];
        let mut sum: u64 = group.iter().map(|&position| bytes(position)).sum();
        while let [others @ .., last] = group
            && !others.is_empty()
            && bytes(*last).saturating_mul(fan_in) > sum.saturating_mul(2)
        {
            (group, sum) = (others, sum - bytes(*last));
        }
        group
    }

    /// Returns the largest segment that has sizeable smaller ones beside it, with all of these.
    fn largest_with_the_smaller(&self, candidates: &[Candidate]) -> Option<Vec<usize>> {
        let mut order = by_size(candidates, self.largest_segment_bytes);
        let (mut smaller_bytes, mut count) = (0_u64, 0);
        for (place, &position) in order.iter().enumerate() {
            let bytes = candidates[position].live_bytes;
            if smaller_bytes + bytes > self.largest_segment_bytes {
                break;
            }
            if place > 0 && bytes <= smaller_bytes.saturating_mul(self.fan_in() as u64) {
                count = place + 1;
            }
            smaller_bytes += bytes;
        }
        order.truncate(count);
        (count >= 2).then_some(order)
    }

    fn most_deleted(&self, candidates: &[Candidate]) -> Option<Vec<usize>> {
        candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.deleted_percent() >= self.deleted_percent)
            // The next merge of small segments comes soon enough.
            .filter(|(_, candidate)| !self.is_small(candidate))
            .max_by_key(|(_, candidate)| candidate.deleted_percent())
            .map(|(position, _)| vec![position])
    }

    fn is_small(&self, candidate: &Candidate) -> bool {
        candidate.live_bytes < self.small_segment_bytes
    }

    fn fan_in(&self) -> usize {
        self.fan_in.max(2)
    }
}

/// Returns the positions of segments that may still grow, smallest first.
fn by_size(candidates: &[Candidate], limit: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.retain(|&position| candidates[position].live_bytes < limit);
    order.sort_by_key(|&position| candidates[position].live_bytes);
    order
}

fn smallest_outdated(candidates: &[Candidate]) -> Option<Vec<usize>> {
    let outdated = candidates.iter().enumerate().filter(|(_, candidate)| candidate.is_outdated);
    let smallest = outdated.min_by_key(|(_, candidate)| candidate.live_bytes);
    smallest.map(|(position, _)| vec![position])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(live_bytes: &[u64]) -> Vec<Candidate> {
        live_bytes
            .iter()
            .map(|&live_bytes| Candidate {
                live_bytes,
                documents: 100,
                deleted: 0,
                is_outdated: false,
            })
            .collect()
    }

    #[test]
    fn segments_that_are_alike_are_merged_when_there_are_many() {
        let policy = MergePolicy::default();
        assert_eq!(policy.choose(&segments(&[5000; 7])), None);
        assert_eq!(policy.choose(&segments(&[5000; 8])).map(|chosen| chosen.len()), Some(8));
        // Segments of other sizes do not count.
        assert_eq!(policy.choose(&segments(&[100, 100, 5000, 5000, 50_000, 50_000, 1, 1])), None);
        // Segments of similar size are merged on both sides of a power of `fan_in`.
        let around_a_power =
            [15_500, 16_500, 17_000, 16_000, 16_384, 17_000, 16_300, 500_000, 9000];
        let chosen = policy.choose(&segments(&around_a_power)).unwrap();
        assert_eq!(chosen, [8, 0, 3, 6, 4, 1, 2, 5]);
    }

    #[test]
    fn the_smallest_segments_go_first_and_many_at_once() {
        let mut bytes = vec![5000; 8];
        bytes.extend([10; 100]);
        let chosen = MergePolicy::default().choose(&segments(&bytes)).unwrap();
        assert_eq!(chosen.len(), 64);
        assert!(chosen.iter().all(|&position| position >= 8));
    }

    #[test]
    fn outdated_segments_are_rewritten_when_nothing_else_is_due() {
        let policy = MergePolicy::default();
        let mut candidates = segments(&[5000; 8]);
        candidates[3].is_outdated = true;
        assert_eq!(policy.choose(&candidates).map(|chosen| chosen.len()), Some(8));
        candidates.truncate(5);
        assert_eq!(policy.choose(&candidates), Some(vec![3]));
        candidates[1] = Candidate { live_bytes: 100, is_outdated: true, ..candidates[1] };
        assert_eq!(policy.choose(&candidates), Some(vec![1]));
        candidates[0].deleted = 40;
        assert_eq!(policy.choose(&candidates), Some(vec![0]));
    }

    #[test]
    fn segments_with_many_deletions_are_rewritten_alone_first() {
        let policy = MergePolicy { fan_in: 2, ..MergePolicy::default() };
        let mut candidates = segments(&[5000, 5000, 5000]);
        candidates[2].deleted = 10;
        assert_eq!(policy.choose(&candidates), Some(vec![2, 0]));

        let policy = MergePolicy::default();
        candidates[1].deleted = 33;
        assert_eq!(policy.choose(&candidates), Some(vec![1]));
        candidates[1].live_bytes = 4000;
        assert_eq!(policy.choose(&candidates), None);
    }

    #[test]
    fn at_rest_no_segment_stays_beside_sizeable_smaller_ones() {
        let policy = MergePolicy::default();
        let at_rest = |bytes: &[u64]| policy.choose_at_rest(&segments(bytes));
        assert_eq!(at_rest(&[50_000]), None);
        assert_eq!(at_rest(&[50_000, 6000]), None);
        assert_eq!(at_rest(&[50_000, 6000, 300]), Some(vec![2, 1, 0]));
        assert_eq!(at_rest(&[5_000_000, 6000, 1000]), Some(vec![2, 1]));
        assert_eq!(at_rest(&[5_000_000, 50_000, 300]), None);
        // A merge never exceeds the largest allowed segment.
        let policy = MergePolicy { largest_segment_bytes: 60_000, ..policy };
        let at_rest = |bytes: &[u64]| policy.choose_at_rest(&segments(bytes));
        assert_eq!(at_rest(&[50_000, 6000, 5000]), Some(vec![2, 1]));
        assert_eq!(at_rest(&[60_000, 50_000, 10_001]), None);
        assert_eq!(at_rest(&[60_000, 50_000, 10_000]), Some(vec![2, 1]));
    }

    #[test]
    fn writes_followed_by_rest_leave_few_segments() {
        let policy = MergePolicy { small_segment_bytes: 100, ..MergePolicy::default() };
        let (mut sizes, mut rewritten) = (Vec::new(), 0);
        for _ in 0..5000 {
            sizes.push(100);
            while let Some(chosen) = policy.choose_at_rest(&segments(&sizes)) {
                let merged: u64 = chosen.iter().map(|&position| sizes[position]).sum();
                let mut position = 0;
                sizes.retain(|_| {
                    position += 1;
                    !chosen.contains(&(position - 1))
                });
                sizes.push(merged);
                rewritten += merged;
            }
            assert!(sizes.len() <= 5, "{sizes:?}");
        }
        assert!(rewritten < 5000 * 100 * 40, "{rewritten}");
    }

    #[test]
    fn no_segment_grows_past_the_limit() {
        let policy = MergePolicy { largest_segment_bytes: 20_000, ..MergePolicy::default() };
        assert_eq!(policy.choose(&segments(&[9_000; 8])).map(|chosen| chosen.len()), Some(2));
        assert_eq!(policy.choose(&segments(&[11_000; 8])), None);
        assert_eq!(policy.choose(&segments(&[20_000; 8])), None);
    }
}
