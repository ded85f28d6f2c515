//! The table of ranking rules: the name of each, its title in the dashboard, and what it needs.

use serde_json::Value;

/// Number of rules in the default of the setting, which are the first ones of the table.
const USUAL_RULES: usize = 7;

/// The basis by which a ranking rule orders documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleBasis {
    /// The words of the query that match. The rule `words` comes before, and is added if missing.
    MatchedWords,
    /// The query as a whole.
    Query,
    /// Values of documents, or boosts: not relevance.
    Values,
}

macro_rules! ranking_rules {
    ($($(#[$about:meta])* $rule:ident = $name:literal, $title:literal, $basis:ident;)*) => {
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum RankingRule {
            $($(#[$about])* $rule,)*
            Asc(String),
            Desc(String),
        }

        impl RankingRule {
            /// The rules with a name of their own, and their titles.
            pub const NAMED: &'static [(Self, &'static str)] = &[$((Self::$rule, $title)),*];

            pub fn basis(&self) -> RuleBasis {
                match self {
                    $(Self::$rule => RuleBasis::$basis,)*
                    Self::Asc(_) | Self::Desc(_) => RuleBasis::Values,
                }
            }

            /// Returns the name in the settings.
            pub fn name(&self) -> String {
                match self {
                    $(Self::$rule => $name.to_owned(),)*
                    Self::Asc(attribute) => format!("{attribute}:asc"),
                    Self::Desc(attribute) => format!("{attribute}:desc"),
                }
            }

            /// Parses a rule, exactly as written; `None` if there is none of this name.
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$rule),)*
                    _ => match name.rsplit_once(':')? {
                        (attribute, "asc") => Some(Self::Asc(attribute.to_owned())),
                        (attribute, "desc") => Some(Self::Desc(attribute.to_owned())),
                        _ => None,
                    },
                }
            }
        }
    };
}

ranking_rules! {
    Words = "words", "Words", MatchedWords;
    Typo = "typo", "Typos", MatchedWords;
    Proximity = "proximity", "Proximity", MatchedWords;
    AttributeRank = "attributeRank", "Attribute rank", MatchedWords;
    Sort = "sort", "Sort", Values;
    WordPosition = "wordPosition", "Word position", MatchedWords;
    Exactness = "exactness", "Exactness", MatchedWords;
    Attribute = "attribute", "Attribute", MatchedWords;
    /// Not of the reference: BM25F over the searchable attributes.
    Bm25 = "bm25", "Term weight", Query;
    /// Not of the reference: the sum of the boosts.
    Boost = "boost", "Boosts", Values;
}

impl RankingRule {
    /// Returns the default of the setting.
    pub(crate) fn usual() -> Value {
        Self::NAMED.iter().take(USUAL_RULES).map(|(rule, _)| Value::from(rule.name())).collect()
    }

    /// Returns whether the rule orders by relevance to the query.
    pub fn is_relevancy(&self) -> bool {
        self.basis() != RuleBasis::Values
    }

    /// Returns whether the rule `words` must come before this one.
    pub fn needs_words(&self) -> bool {
        self.basis() == RuleBasis::MatchedWords && *self != Self::Words
    }

    /// Returns whether the reference lacks this rule.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Bm25 | Self::Boost)
    }
}
