//! What searches say about scores.

use crate::sheet::Sheet;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scoring {
    pub score: bool,
    pub details: bool,
    pub threshold: bool,
}

impl Scoring {
    pub(super) fn add(&mut self, other: Self) {
        self.score |= other.score;
        self.details |= other.details;
        self.threshold |= other.threshold;
    }

    pub(super) fn tell(&self, sheet: &mut Sheet) {
        self.tell_shown(sheet);
        sheet.put(
            "scoring.ranking_score_threshold",
            self.threshold,
            "Whether `rankingScoreThreshold` was used.",
        );
    }

    pub(super) fn tell_shown(&self, sheet: &mut Sheet) {
        sheet.put("scoring.show_ranking_score", self.score, "Whether `showRankingScore` was used.");
        sheet.put(
            "scoring.show_ranking_score_details",
            self.details,
            "Whether `showRankingScoreDetails` was used.",
        );
    }
}
