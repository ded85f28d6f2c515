//! A change of settings: for each setting that gets a value, its size and choices. None: the
//! request does not set it.

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettingsUpdate {
    pub ranking_rules: Option<RankingRules>,
    pub sortable_attributes: Option<AttributeList>,
    pub filterable_attributes: Option<FilterableAttributes>,
    pub searchable_attributes: Option<AttributeList>,
    pub displayed_attributes: Option<AttributeList>,
    pub stop_words: Option<u64>,
    pub separator_tokens: Option<u64>,
    pub non_separator_tokens: Option<u64>,
    pub dictionary: Option<u64>,
    pub synonyms: Option<u64>,
    pub typo_tolerance: TypoTolerance,
    pub max_total_hits: Option<u64>,
    pub max_values_per_facet: Option<u64>,
    /// True if the setting sorts the values of `*` by count.
    pub facets_by_count: Option<bool>,
    /// Number of attributes with their own order.
    pub facet_orders: Option<u64>,
    pub distinct_attribute: bool,
    pub proximity_precision: Option<ProximityPrecision>,
    pub facet_search: Option<bool>,
    pub prefix_search: Option<PrefixSearch>,
    pub embedders: Option<Embedders>,
}

/// Positions of the built-in rules, counted from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RankingRules {
    places: [Option<u64>; RankingRules::KNOWN.len()],
}

impl RankingRules {
    /// Names in the settings. Other rules name fields of documents, and are left out.
    pub const KNOWN: [&str; 8] = [
        "words",
        "typo",
        "proximity",
        "attribute",
        "attributeRank",
        "wordPosition",
        "sort",
        "exactness",
    ];

    pub fn new<'a>(rules: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for (place, rule) in rules.into_iter().enumerate() {
            if let Some(known) = Self::KNOWN.iter().position(|&known| known == rule) {
                found.places[known].get_or_insert(place as u64);
            }
        }
        found
    }

    pub(super) fn places(&self) -> [Option<u64>; Self::KNOWN.len()] {
        self.places
    }

    /// Returns the names in their order.
    pub(super) fn text(&self) -> String {
        let mut named: Vec<(u64, &str)> = self
            .places
            .iter()
            .zip(Self::KNOWN)
            .filter_map(|(place, name)| Some(((*place)?, name)))
            .collect();
        named.sort_unstable();
        let names: Vec<&str> = named.into_iter().map(|(_, name)| name).collect();
        names.join(", ")
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttributeList {
    pub total: u64,
    /// True if `_geo` is among them.
    pub has_geo: bool,
    /// True if `*` is among them.
    pub with_wildcard: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FilterableAttributes {
    pub total: u64,
    pub has_geo: bool,
    pub has_patterns: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TypoTolerance {
    pub enabled: Option<bool>,
    pub disable_on_attributes: bool,
    pub disable_on_words: bool,
    pub one_typo: Option<u64>,
    pub two_typos: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProximityPrecision {
    ByWord,
    ByAttribute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixSearch {
    IndexingTime,
    Disabled,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Embedders {
    pub total: u64,
    pub sources: Vec<EmbedderSource>,
    pub document_template: bool,
    pub document_template_max_bytes: Option<u64>,
    pub binary_quantized: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EmbedderSource {
    OpenAi,
    HuggingFace,
    Ollama,
    UserProvided,
    Rest,
    Composite,
}

impl EmbedderSource {
    /// Reads the name used in the settings.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "openAi" => Self::OpenAi,
            "huggingFace" => Self::HuggingFace,
            "ollama" => Self::Ollama,
            "userProvided" => Self::UserProvided,
            "rest" => Self::Rest,
            "composite" => Self::Composite,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openAi",
            Self::HuggingFace => "huggingFace",
            Self::Ollama => "ollama",
            Self::UserProvided => "userProvided",
            Self::Rest => "rest",
            Self::Composite => "composite",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_fields_leave_no_name_and_keep_their_place() {
        let rules = RankingRules::new(["words", "salary:desc", "sort", "words"]);
        assert_eq!(rules.text(), "words, sort");
        assert_eq!(
            (rules.places()[0], rules.places()[1], rules.places()[6]),
            (Some(0), None, Some(2))
        );
    }
}
