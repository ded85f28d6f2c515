//! Which segments to merge next. Segments fall into tiers by the bytes of their live documents,
//! each tier `fan_in` times the one below; a tier with `fan_in` segments is merged into one. So
//! a document is rewritten about once a tier, and the number of segments grows with the
//! logarithm of the index. A large segment with many deletions is rewritten alone, and so is one
//! that an earlier release wrote in an older format.
//!
//! Sizes in, positions out: the policy knows no files, so that it can be tested as arithmetic.

#[derive(Debug, Clone, Copy)]
pub struct MergePolicy {
    /// Segments of one tier that become one of the next.
    pub fan_in: usize,
    /// The lowest tier: segments below this are all alike, and cheap to merge.
    pub smallest_tier_bytes: u64,
    /// Segments are not merged into larger ones than this.
    pub largest_segment_bytes: u64,
    /// From this share of deleted documents on a segment is worth rewriting alone.
    pub deleted_percent: u64,
}

impl Default for MergePolicy {
    fn default() -> Self {
        Self {
            fan_in: 8,
            smallest_tier_bytes: 4 << 10,
            largest_segment_bytes: 8 << 30,
            deleted_percent: 33,
        }
    }
}

/// What the policy looks at in a segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub live_bytes: u64,
    pub documents: u64,
    pub deleted: u64,
    /// Its files are of an older format, which is slower to search.
    pub is_outdated: bool,
}

impl Candidate {
    fn deleted_percent(&self) -> u64 {
        self.deleted * 100 / self.documents.max(1)
    }
}

impl MergePolicy {
    /// Positions of the segments to merge into one, or nothing when all is well.
    pub(crate) fn choose(&self, candidates: &[Candidate]) -> Option<Vec<usize>> {
        self.fullest_tier(candidates)
            .or_else(|| self.most_deleted(candidates))
            .or_else(|| smallest_outdated(candidates))
    }

    /// The lowest tier that is full: small merges first, they are quick and help the most.
    fn fullest_tier(&self, candidates: &[Candidate]) -> Option<Vec<usize>> {
        let mut tiers: Vec<Vec<usize>> = Vec::new();
        for (position, candidate) in candidates.iter().enumerate() {
            if candidate.live_bytes >= self.largest_segment_bytes {
                continue;
            }
            let tier = self.tier(candidate.live_bytes);
            if tiers.len() <= tier {
                tiers.resize(tier + 1, Vec::new());
            }
            tiers[tier].push(position);
        }
        let fan_in = self.fan_in.max(2);
        let (tier, mut members) =
            tiers.into_iter().enumerate().find(|(_, members)| members.len() >= fan_in)?;
        // Those that give back the most space, then the smallest.
        members.sort_by_key(|&position| {
            let candidate = &candidates[position];
            (std::cmp::Reverse(candidate.deleted_percent()), candidate.live_bytes)
        });
        let most = if tier == 0 { fan_in * fan_in } else { fan_in };
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

    fn most_deleted(&self, candidates: &[Candidate]) -> Option<Vec<usize>> {
        candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.deleted_percent() >= self.deleted_percent)
            // Below that, the next merge of the tier comes soon enough.
            .filter(|(_, candidate)| candidate.live_bytes >= self.smallest_tier_bytes)
            .max_by_key(|(_, candidate)| candidate.deleted_percent())
            .map(|(position, _)| vec![position])
    }

    fn tier(&self, live_bytes: u64) -> usize {
        let mut tier = 0;
        let mut limit = self.smallest_tier_bytes.max(1);
        while live_bytes >= limit {
            tier += 1;
            limit = limit.saturating_mul(self.fan_in.max(2) as u64);
            if limit == u64::MAX {
                break;
            }
        }
        tier
    }
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
    fn a_tier_is_merged_when_it_is_full() {
        let policy = MergePolicy::default();
        assert_eq!(policy.choose(&segments(&[5000; 7])), None);
        assert_eq!(policy.choose(&segments(&[5000; 8])).map(|chosen| chosen.len()), Some(8));
        // Other tiers do not count.
        assert_eq!(policy.choose(&segments(&[100, 100, 5000, 5000, 50_000, 50_000, 1, 1])), None);
    }

    #[test]
    fn the_lowest_full_tier_goes_first_and_takes_many_when_it_is_cheap() {
        let mut bytes = vec![5000; 8];
        bytes.extend([10; 100]);
        let chosen = MergePolicy::default().choose(&segments(&bytes)).unwrap();
        assert_eq!(chosen.len(), 64);
        assert!(chosen.iter().all(|&position| position >= 8));
    }

    #[test]
    fn outdated_segments_are_rewritten_when_there_is_nothing_else_to_do() {
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
    fn deletions_are_preferred_and_rewritten_alone_when_there_are_many() {
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
    fn no_segment_grows_past_the_limit() {
        let policy = MergePolicy { largest_segment_bytes: 20_000, ..MergePolicy::default() };
        assert_eq!(policy.choose(&segments(&[9_000; 8])).map(|chosen| chosen.len()), Some(2));
        assert_eq!(policy.choose(&segments(&[11_000; 8])), None);
        assert_eq!(policy.choose(&segments(&[20_000; 8])), None);
    }
}
