//! Scoring options of searches.

use crate::fields::Fields;

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

    pub(super) fn report(&self, fields: &mut Fields) {
        self.report_shown(fields);
        fields.put(
            "scoring.ranking_score_threshold",
            self.threshold,
            "Whether `rankingScoreThreshold` was used.",
        );
    }

    pub(super) fn report_shown(&self, fields: &mut Fields) {
        fields.put(
            "scoring.show_ranking_score",
            self.score,
            "Whether `showRankingScore` was used.",
        );
        fields.put(
            "scoring.show_ranking_score_details",
            self.details,
            "Whether `showRankingScoreDetails` was used.",
        );
    }
}
