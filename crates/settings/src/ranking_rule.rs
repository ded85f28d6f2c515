//! The ranking rules by name.

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RankingRule {
    Words,
    Typo,
    Proximity,
    Attribute,
    AttributeRank,
    WordPosition,
    Sort,
    Exactness,
    /// Not of the reference: BM25F over the searchable attributes.
    Bm25,
    /// Not of the reference: the sum of the boosts.
    Boost,
    Asc(String),
    Desc(String),
}

impl RankingRule {
    /// Parses a rule, exactly as written; `None` if there is none of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "words" => RankingRule::Words,
            "typo" => RankingRule::Typo,
            "proximity" => RankingRule::Proximity,
            "attribute" => RankingRule::Attribute,
            "attributeRank" => RankingRule::AttributeRank,
            "wordPosition" => RankingRule::WordPosition,
            "sort" => RankingRule::Sort,
            "exactness" => RankingRule::Exactness,
            "bm25" => RankingRule::Bm25,
            "boost" => RankingRule::Boost,
            _ => match name.rsplit_once(':')? {
                (attribute, "asc") => RankingRule::Asc(attribute.to_owned()),
                (attribute, "desc") => RankingRule::Desc(attribute.to_owned()),
                _ => return None,
            },
        })
    }

    /// Returns whether the reference lacks this rule.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Bm25 | Self::Boost)
    }
}
