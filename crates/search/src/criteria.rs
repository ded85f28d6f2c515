//! The ranking criteria of a request: routes fill them in, and the layers between only pass them on.
//! Their JSON form is part of the search requests that instances send to each other.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::{Serialize, Serializer};
use text::{Language, locale};

use crate::strategy::Strategy;

#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Criteria {
    pub matching_strategy: Strategy,
    /// The attributes to search; `None`: all that the settings name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes_to_search_on: Option<Vec<String>>,
    /// Languages of the text; `None`: those of the attributes; empty: any.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "codes")]
    pub locales: Option<Vec<Language>>,
    /// Score below which hits are neither shown nor counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking_score_threshold: Option<f64>,
    /// The distinct attribute; `None`: the one of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<String>,
    /// Weights of attributes under `bm25`, which override the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute_weights: Option<BTreeMap<String, f64>>,
    /// True if a corrected spelling is requested.
    #[serde(skip_serializing_if = "Not::not")]
    pub did_you_mean: bool,
}

fn codes<S: Serializer>(
    languages: &Option<Vec<Language>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let languages = languages.iter().flatten();
    serializer.collect_seq(languages.map(|&language| locale::three_letter(language)))
}
